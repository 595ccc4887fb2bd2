"""Metrics: figures about robots, added up while they run."""

from paddock.metrics.base import Metric
from paddock.metrics.coverage import Coverage
from paddock.metrics.goal import Along, Goal
from paddock.metrics.motion import Contact, Travel
from paddock.metrics.sensing import Avoidance, Line, Nearness

__all__ = ["Along", "Avoidance", "Contact", "Coverage", "Goal", "Line", "Metric", "Nearness", "Travel"]
