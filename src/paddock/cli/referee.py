"""Options about referees: who decides, how long heats last, where results go."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.arena.controllers import load_file
from paddock.core.errors import PaddockError
from paddock.core.spec import read_toml_file
from paddock.referees import Referee, make_referee
from paddock.referees.score_function import ScoreFunction

if TYPE_CHECKING:
    from paddock.server.heat_desk import HeatSettings


def choose_referee(name: str | None, score: Path | None = None) -> Referee | None:
    """What `--referee` or `--score` names, or nobody."""
    if name is not None and score is not None:
        raise PaddockError("expected either --referee or --score")
    if score is not None:
        return load_score_function(score)
    return None if name is None else load_referee(name)


def load_referee(name: str) -> Referee:
    """A referee by its name, by `file.py:Name`, or from a TOML file with a key `kind` and its options."""
    if not name.endswith(".toml"):
        return make_referee(name)
    path = Path(name)
    table = read_toml_file(path)
    return make_referee(table.get("referee", table), folder=path.parent)


def load_score_function(path: Path) -> ScoreFunction:
    """The function `score(arena)` of a user's Python file, as a referee."""
    function = getattr(load_file(path), "score", None)
    if not callable(function):
        raise PaddockError(f"{path}: expected a function score(arena) that answers a dict of points by robot name")
    return ScoreFunction(function)


def plan_heats(seconds: float | None, folder: Path | None) -> HeatSettings:
    """How heats go, and where their results are kept."""
    from paddock.classes.results import append_results, read_results
    from paddock.server.heat_desk import HeatSettings

    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise PaddockError(f"--heat-seconds: expected seconds > 0, got {seconds:g}")
    if folder is None:
        return HeatSettings(seconds=seconds)
    folder.mkdir(parents=True, exist_ok=True)
    last = max((row.heat for row in read_results(folder)), default=0)
    return HeatSettings(
        seconds=seconds, first=last + 1, keep=lambda rows: append_results(folder, rows), recordings=folder
    )
