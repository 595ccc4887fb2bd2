"""All referees by name; each is imported on first use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from paddock.arena.referees.referee import Referee
from paddock.core.registry import Registry
from paddock.core.spec import Tagged, convert
from paddock.core.user_code import code_beside

REFEREES: Registry[type[Referee]] = Registry(
    "referee",
    group="paddock.referees",
    builtin={
        "laps": "paddock.arena.referees.laps:Laps",
        "maze-race": "paddock.arena.referees.maze_race:MazeRace",
        "coverage": "paddock.arena.referees.coverage:FloorCoverage",
        "sumo": "paddock.arena.referees.ring:Sumo",
        "king-of-the-hill": "paddock.arena.referees.ring:KingOfTheHill",
        "foraging": "paddock.arena.referees.foraging:Foraging",
        "meet": "paddock.arena.referees.meeting:Meeting",
    },
    base=Referee,
)
AnyReferee = Annotated[Referee, Tagged("kind", "referee", REFEREES)]  # a `[referee]` table in a spec


def make_referee(what: str | Mapping[str, Any] | Referee, *, folder: str | Path | None = None) -> Referee:
    """Create a referee by its name, by `file.py:Name`, or from a table with a key `kind` and its options.

    Args:
        what: the name or table; a referee is returned unchanged.
        folder: folder in which files are searched first; None: only the working directory.
    """
    table = {"kind": what} if isinstance(what, str) else what
    with code_beside(Path(folder or "").resolve()):
        made: Referee = convert(table, AnyReferee, "referee")
    return made
