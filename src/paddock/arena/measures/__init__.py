"""Measures: figures about robots that a batch adds up while it runs."""

from paddock.arena.measures.base import Measure
from paddock.arena.measures.coverage import Coverage
from paddock.arena.measures.goal import Along, Goal
from paddock.arena.measures.motion import Contact, Travel
from paddock.arena.measures.sensing import Avoidance, Line, Nearness

__all__ = ["Along", "Avoidance", "Contact", "Coverage", "Goal", "Line", "Measure", "Nearness", "Travel"]
