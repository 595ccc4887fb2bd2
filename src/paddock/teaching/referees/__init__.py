"""Referees: score the robots of a running arena from ground truth, in simulated time."""

from paddock.teaching.referees.coverage import FloorCoverage
from paddock.teaching.referees.foraging import Foraging
from paddock.teaching.referees.laps import Laps
from paddock.teaching.referees.maze_race import MazeRace
from paddock.teaching.referees.meeting import Meeting
from paddock.teaching.referees.officiating import Officiating, officiate
from paddock.teaching.referees.referee import Foul, Referee
from paddock.teaching.referees.referee_registry import REFEREES, AnyReferee, make_referee
from paddock.teaching.referees.ring import KingOfTheHill, Sumo
from paddock.teaching.referees.standings import RobotScore, rank

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
