"""Referees: score the robots of a running arena from ground truth, in simulated time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.arena.referees.coverage import FloorCoverage
    from paddock.arena.referees.foraging import Foraging
    from paddock.arena.referees.laps import Laps
    from paddock.arena.referees.maze_race import MazeRace
    from paddock.arena.referees.meeting import Meeting
    from paddock.arena.referees.officiating import Officiating, officiate
    from paddock.arena.referees.referee import Referee
    from paddock.arena.referees.referee_registry import REFEREES, AnyReferee, make_referee
    from paddock.arena.referees.ring import KingOfTheHill, Sumo
    from paddock.arena.referees.standings import RobotScore, rank

__all__ = [
    "REFEREES",
    "AnyReferee",
    "FloorCoverage",
    "Foraging",
    "KingOfTheHill",
    "Laps",
    "MazeRace",
    "Meeting",
    "Officiating",
    "Referee",
    "RobotScore",
    "Sumo",
    "make_referee",
    "officiate",
    "rank",
]

__getattr__ = import_on_demand(__name__)
