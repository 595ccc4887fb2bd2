"""Where commands put their pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from paddock.core.errors import PaddockError
from paddock.core.files import save_image

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def checked_picture(path: Path | None) -> Path | None:
    """A path that a picture can be written to, before anything else is done; '' means none."""
    if path is None or path == Path():
        return None
    if path.suffix.lower() not in SUFFIXES:
        raise PaddockError(f"{path}: expected a picture's name ending in {', '.join(SUFFIXES)}")
    if not path.absolute().parent.is_dir():
        raise PaddockError(f"{path}: there is no such folder")
    return path


def save_picture(picture: Image, path: Path) -> None:
    """Write a picture and say so."""
    save_image(picture, path)
    Console().print(f"wrote {path} ({picture.width} × {picture.height})")
