"""Run the command line in this process, because a new process takes more than a second to load the kernels."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from paddock.cli import main


class Printed(NamedTuple):
    """The output and exit status of a command."""

    returncode: int
    stdout: str
    stderr: str


def paddock(*arguments: str, folder: Path | None = None, columns: int | None = 160) -> Printed:
    """Run `paddock …` in a terminal with some columns; None: not in a terminal."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["paddock", *arguments])
        if columns is None:
            patch.delenv("COLUMNS", raising=False)
        else:
            patch.setenv("COLUMNS", str(columns))
        patch.setenv("TERM", "dumb")
        if folder is not None:
            patch.chdir(folder)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
                code = 0
            except SystemExit as end:
                code = int(end.code or 0)
    return Printed(code, out.getvalue(), err.getvalue())
