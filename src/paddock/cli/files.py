"""Output files of commands: existing files are replaced only with --force, except pictures named by the user."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from paddock.core.errors import PaddockError
from paddock.core.files import save_image
from paddock.worlds import WorldSpec, save_world

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def check_new(path: Path, *, force: bool) -> Path:
    """Return the path if it may be written; call it before anything else is done."""
    if path.exists() and not force:
        raise PaddockError(f"{path} already exists: choose another name, or overwrite it with --force")
    return path


def check_world_file(path: Path, *, force: bool) -> Path:
    """Return the path if a new world can be written to it; call it before anything else is done."""
    if path.suffix != ".toml":
        raise PaddockError(f"{path}: expected a world's name ending in .toml")
    return check_new(_check_folder(path), force=force)


def check_picture(path: Path | None) -> Path | None:
    """Return the path if a picture can be written to it, None for ''; call it before anything else is done."""
    if path is None or path == Path():
        return None
    if path.suffix.lower() not in SUFFIXES:
        raise PaddockError(f"{path}: expected a picture's name ending in {', '.join(SUFFIXES)}")
    return _check_folder(path)


def _check_folder(path: Path) -> Path:
    if not path.absolute().parent.is_dir():
        raise PaddockError(f"{path}: no such folder")
    return path


def save_world_file(world: WorldSpec, path: Path, about: str) -> None:
    """Write a world and print its path."""
    save_world(world, path)
    Console().print(f"wrote {path} ({about})", soft_wrap=True)


def save_picture(picture: Image, path: Path) -> None:
    """Write a picture and print its path."""
    save_image(picture, path)
    Console().print(f"wrote {path} ({picture.width} × {picture.height})")
