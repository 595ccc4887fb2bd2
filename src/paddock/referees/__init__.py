"""Referees: score the robots of a running arena from ground truth, in simulated time."""

from paddock.referees.base import Foul, Referee
from paddock.referees.coverage import FloorCoverage
from paddock.referees.foraging import Foraging
from paddock.referees.laps import Laps
from paddock.referees.maze_race import MazeRace
from paddock.referees.meeting import Meeting
from paddock.referees.officiating import Officiating, officiate
from paddock.referees.registry import REFEREES, AnyReferee, make_referee
from paddock.referees.ring import KingOfTheHill, Sumo
from paddock.referees.standings import RobotScore, rank

__all__ = [
    "REFEREES",
    "AnyReferee",
    "FloorCoverage",
    "Foraging",
    "Foul",
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
