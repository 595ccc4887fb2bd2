"""Files that are whole at any moment: the old one stays until the new one is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def whole_file(path: str | Path, mode: str = "w", **how: Any) -> Iterator[IO[Any]]:
    """Write a file beside the one of that name, and put it in its place at the end."""
    part = Path(f"{path}.part")
    with part.open(mode, **how) as file:
        yield file
    os.replace(part, path)  # noqa: PTH105 (what is named here is that it is atomic)
