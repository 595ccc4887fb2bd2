"""Command line: every command is a thin wrapper of a library call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def main() -> None:
    """Run the command line. Ctrl-C ends it with a one-line message, even while commands are still being loaded."""
    import sys

    try:
        _run_command()
    except KeyboardInterrupt:  # during the import of a command, which takes a second or two
        sys.stderr.write("paddock: stopped\n")
        sys.exit(130)  # as shells expect it
    except SystemExit as end:
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):  # which typer turns into an exit
            sys.stderr.write("paddock: stopped\n")
        raise
    except BrokenPipeError:  # `paddock worlds | head`
        sys.stderr.close()
        sys.exit(0)


def _run_command() -> None:
    """Run the command; print a PaddockError as one message, without a traceback."""
    import io
    import sys

    from paddock.core.errors import PaddockError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a character that the terminal cannot encode must not end a run
    try:
        _make_command()()
    except PaddockError as error:
        from rich.console import Console
        from rich.text import Text

        from paddock.core.outside import visible

        words = Text.assemble(("paddock: ", "bold red"), visible(error, lines=True))
        Console(stderr=True).print(words, soft_wrap=True)
        sys.exit(2)


@functools.cache
def _make_command() -> Callable[[], Any]:
    """Return the root command, created once per process."""
    from typer.main import get_command

    from paddock.cli.app import app

    return get_command(app)
