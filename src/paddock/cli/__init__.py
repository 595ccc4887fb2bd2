"""Command line: every command is a thin wrapper of a library call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from typing import Any


def main() -> None:
    """Run the command line. Ctrl-C ends it with a one-line message, even while commands are still being loaded."""
    import sys

    try:
        try:
            _run_command()
        finally:
            if sys.stdout is not None:  # the program was started without an output
                sys.stdout.flush()
    except KeyboardInterrupt:  # during the import of a command, which takes a second or two
        sys.stderr.write("paddock: stopped\n")
        sys.exit(130)  # as shells expect it
    except SystemExit as end:
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):  # which typer turns into an exit
            sys.stderr.write("paddock: stopped\n")
        raise
    except BrokenPipeError:  # `paddock world list | head`
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:  # such as a full disk
        _discard_output()
        if error.filename is not None:
            what = f"{error.filename}: "
        else:
            what = "the output cannot be written: " if error.errno in (ENOSPC, EDQUOT, EFBIG) else ""
        sys.stderr.write(f"paddock: {what}{error.strerror or error}\n")
        sys.exit(2)


def _discard_output() -> None:
    """Discard what is not printed yet, so that Python does not try to print it again when it exits."""
    import os
    import sys

    with suppress(AttributeError, OSError):  # there may be no output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
        with _shorten_warnings():
            _warn_about_namesake()
            _make_command()(prog_name="paddock")
    except PaddockError as error:
        _print_message(error, "bold red")
        sys.exit(2)


def _warn_about_namesake() -> None:
    """Warn if another project's package of this name is installed; not while the shell completes a word."""
    import os
    import warnings

    from paddock.core.errors import PaddockWarning
    from paddock.core.packages import explain_namesake, find_namesake

    if "_PADDOCK_COMPLETE" not in os.environ and (version := find_namesake()):
        warnings.warn(explain_namesake(version), PaddockWarning, stacklevel=1)


@contextmanager
def _shorten_warnings() -> Iterator[None]:
    """Print each warning of Paddock in one line, with its location only if that is in a user's own file."""
    import sys
    import warnings

    from paddock.core.errors import PaddockWarning
    from paddock.core.user_code import is_users, place

    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], file: str, line: int, *more: Any) -> None:
            if issubclass(category, PaddockWarning):
                _print_message(f"{place(file, line)}: {message}" if is_users(file) else message, "yellow")
            else:
                usual(message, category, file, line, *more)

        warnings.showwarning = show  # type: ignore[assignment]
        if not sys.warnoptions:  # else the user has chosen what to show
            warnings.simplefilter("default", PaddockWarning)
        yield


def _print_message(text: object, style: str) -> None:
    """Print a message of Paddock; above a progress bar, if there is one."""
    import sys

    from rich.text import Text

    from paddock.core.terminal.console import Console
    from paddock.core.terminal_text import visible

    console = Console(stderr=True)
    with console.capture() as message:
        console.print(Text.assemble(("paddock: ", style), visible(text, lines=True)), soft_wrap=True)
    if sys.stderr is not None:  # rich replaces it while it draws a bar, and its own console would bypass that
        sys.stderr.write(message.get())


@functools.cache
def _make_command() -> Callable[..., Any]:
    """Return the root command, created once per process."""
    from typer.main import get_command

    from paddock.cli.app import app, shorten_help

    command = get_command(app)
    shorten_help(command)
    return command
