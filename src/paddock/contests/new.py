"""Create contest folders from templates, each with a commented contest.toml and two example controllers."""

from __future__ import annotations

import shutil
from pathlib import Path

from paddock.core.errors import PaddockError, UnknownName

TEMPLATES = Path(__file__).parent / "templates"
GAMES = tuple(sorted(path.name for path in TEMPLATES.iterdir()))


def new_contest(folder: str | Path, game: str = "race") -> Path:
    """Create the folder of a contest; return the path of its contest.toml."""
    if game not in GAMES:
        raise UnknownName("game", game, GAMES)
    path = Path(folder)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise PaddockError(f"{path}: already exists and is not empty: choose another name")
    try:
        # An installed package has the byte code of its templates, too.
        shutil.copytree(TEMPLATES / game, path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        (path / "submissions").mkdir(exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise PaddockError(f"{path}: cannot be created: {getattr(error, 'strerror', None) or error}") from None
    return path / "contest.toml"
