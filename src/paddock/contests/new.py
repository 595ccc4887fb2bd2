"""Create contest folders from templates, each with a commented contest.toml and two example controllers."""

from __future__ import annotations

from pathlib import Path

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.files import write_text

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
        (path / "submissions").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PaddockError(f"{path}: cannot be created: {error.strerror}") from None
    for source in sorted(TEMPLATES.joinpath(game).rglob("*.*")):
        if "__pycache__" not in source.parts:  # an installed package has the byte code of its templates, too
            write_text(path / source.relative_to(TEMPLATES / game), source.read_text(encoding="utf-8"))
    return path / "contest.toml"
