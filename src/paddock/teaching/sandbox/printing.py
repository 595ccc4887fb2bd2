"""BoundedOutput: stores the printed output of a program up to a limit and drops the rest."""

from __future__ import annotations

import io
import os

CUT = "… (the rest of the output was dropped)\n"


class BoundedOutput(io.TextIOBase):
    """A text stream to a file descriptor. It is unbuffered, because the process may be killed at any time."""

    encoding = "utf-8"

    def __init__(self, number: int, limit: int) -> None:
        self._number, self._left = number, limit - len(CUT.encode())

    def write(self, text: str) -> int:
        data = text.encode("utf-8", "replace")
        if self._left < 0:
            return len(text)
        if len(data) > self._left:
            data = data[: self._left] + CUT.encode()
            self._left = -1
        else:
            self._left -= len(data)
        os.write(self._number, data)
        return len(text)

    def fileno(self) -> int:
        return self._number

    def writable(self) -> bool:
        return True
