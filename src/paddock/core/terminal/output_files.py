"""Output files of commands: existing files are replaced only with --force, except pictures named by the user."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import typer

from paddock.core.errors import PaddockError
from paddock.core.terminal_text import visible

CHARTS = (".png", ".svg", ".pdf")
PICTURES = (*CHARTS, ".jpg", ".jpeg", ".webp")
ANIMATIONS = (".gif", ".mp4")


def check_new(path: Path, *endings: str, force: bool) -> Path:
    """Return the path if a new file can be written to it; call it before anything else is done."""
    _check_place(path, endings)
    if path.exists() and not force:
        raise PaddockError(f"{path} already exists: choose another name, or overwrite it with --force")
    return path


def check_picture(path: Path | None, endings: Sequence[str] = PICTURES) -> Path | None:
    """Return the path if a picture can be written to it, None for ''; call it before anything else is done."""
    if path is None or path == Path():
        return None
    _check_place(path, endings)
    return path


def _check_place(path: Path, endings: Sequence[str]) -> None:
    """Check the ending of a file name, any if none is given, and the folder of the file."""
    if endings and path.suffix.lower() not in endings:
        raise PaddockError(f"{path}: expected a file name ending in {', '.join(endings)}")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise PaddockError(f"{path}: no such folder")
    if not os.access(folder, os.W_OK):
        raise PaddockError(f"{path}: you may not write to this folder: choose another one")


def print_written(path: Path, about: str = "", *, err: bool = False) -> None:
    """Print that a file or folder was written. The path is not wrapped, and brackets in it are not markup."""
    typer.echo(visible(f"wrote {path}{about}"), err=err)


def choose_picture(path: Path | None, name: str, *, force: bool) -> Path:
    """Return the path of a picture, by default NAME.png if this file does not exist."""
    return check_picture(path) or check_new(Path(f"{name}.png"), force=force)
