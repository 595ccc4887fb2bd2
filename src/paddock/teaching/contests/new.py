"""Create contest folders from templates, each with a commented contest.toml and two example controllers."""

from __future__ import annotations

from pathlib import Path

from paddock.core.errors import UnknownName
from paddock.core.files import make_new_folder, write_text

TEMPLATES = Path(__file__).parent / "templates"
GAMES = tuple(sorted(path.name for path in TEMPLATES.iterdir()))


def new_contest(folder: str | Path, game: str = "race") -> Path:
    """Create the folder of a contest; return the path of its contest.toml."""
    if game not in GAMES:
        raise UnknownName("game", game, GAMES)
    path = Path(folder)
    make_new_folder(path)
    make_new_folder(path / "submissions")
    for source in sorted(TEMPLATES.joinpath(game).rglob("*.*")):
        if "__pycache__" not in source.parts:  # an installed package has the byte code of its templates, too
            write_text(path / source.relative_to(TEMPLATES / game), source.read_text(encoding="utf-8"))
    return path / "contest.toml"
