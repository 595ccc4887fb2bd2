"""Programs that run in a terminal of their own."""

from __future__ import annotations

import os
import pty
import re
import selectors
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from warm_start import start_python

LONG = 60.0  # seconds after which a test gives up; nothing here is measured by it


class TerminalProgram:
    """`python -m paddock …` in its own terminal."""

    def __init__(self, *arguments: str, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.ours, theirs = pty.openpty()
        environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm", **(settings or {})}
        self.process = start_python(["-m", "paddock", *arguments], environment, folder, terminal=theirs)
        os.close(theirs)
        self.printed = ""
        self._seen = 0

    def expect(self, pattern: str) -> str:
        """Wait for a text after the last match."""
        end = time.monotonic() + LONG
        while (found := re.search(pattern, self.printed[self._seen :])) is None:
            assert self._read(end), f"expected {pattern!r}, got:\n{self.printed[self._seen :]}"
        self._seen += found.end()
        return found[0]

    def type(self, text: str) -> None:
        """Type text into the terminal."""
        os.write(self.ours, text.encode())

    def answer(self, question: str, text: str) -> None:
        """Wait for a prompt and answer it."""
        self.expect(question)
        self.type(text + "\n")

    def end(self) -> int:
        """Wait for the end of the program and return the exit status."""
        end = time.monotonic() + LONG
        while self._read(end):
            pass
        return self.process.wait(LONG)

    def _read(self, end: float) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self.ours, selectors.EVENT_READ)
            if not selector.select(max(0.0, end - time.monotonic())):
                return False
        try:
            data = os.read(self.ours, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self.printed += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode(errors="replace")).replace("\r", "")
        return bool(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours)
