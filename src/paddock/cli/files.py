"""World files that commands write: never over another one unless it is asked for."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from paddock.core.errors import PaddockError
from paddock.worlds import WorldSpec, save_world


def checked_new(path: Path, *, force: bool) -> Path:
    """A path that may be written to, before anything else is done."""
    if path.exists() and not force:
        raise PaddockError(f"{path}: it is there already: choose another name, or overwrite it with --force")
    return path


def checked_world_file(path: Path, *, force: bool) -> Path:
    """A path that a new world can be written to, before anything else is done."""
    if path.suffix != ".toml":
        raise PaddockError(f"{path}: expected a world's name ending in .toml")
    if not path.absolute().parent.is_dir():
        raise PaddockError(f"{path}: there is no such folder")
    return checked_new(path, force=force)


def save_world_file(world: WorldSpec, path: Path, about: str) -> None:
    """Write a world and say so."""
    save_world(world, path)
    Console().print(f"wrote {path} ({about})", soft_wrap=True)
