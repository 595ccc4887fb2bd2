"""Downloads: files of services that are sent over HTTP, each at the pace of its reader."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

PIECE = 64 * 1024  # bytes that are written at a time, and that a connection keeps for a slow reader


class Download(NamedTuple):
    """A file of a service: its content type and, once they are known, its bytes or its path; None if there is none."""

    type: str
    content: asyncio.Future[bytes | Path | None]


class DownloadBody:
    """The open file of a download."""

    def __init__(self, content: bytes | Path) -> None:
        self._file: IO[bytes] = BytesIO(content) if isinstance(content, bytes) else content.open("rb")
        self.size = len(content) if isinstance(content, bytes) else content.stat().st_size

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces."""
        while piece := self._file.read(PIECE):
            yield piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()
