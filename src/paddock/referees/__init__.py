"""Referees: who is how good in a running arena, decided from the truth and in simulated time."""

from paddock.referees.base import Foul, Referee
from paddock.referees.laps import Laps
from paddock.referees.officiating import Officiating, officiate
from paddock.referees.registry import REFEREES, AnyReferee, make_referee

__all__ = ["REFEREES", "AnyReferee", "Foul", "Laps", "Officiating", "Referee", "make_referee", "officiate"]
