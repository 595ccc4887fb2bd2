"""Metrics: figures of robots, summed during a run."""

from paddock.metrics.base import Metric
from paddock.metrics.coverage import Coverage
from paddock.metrics.goal import Along, Goal
from paddock.metrics.means import MeanDistance, MeanReading
from paddock.metrics.motion import ContactTime, Distance
from paddock.metrics.sensing import Avoidance, Line, Nearness

__all__ = [
    "Along",
    "Avoidance",
    "ContactTime",
    "Coverage",
    "Distance",
    "Goal",
    "Line",
    "MeanDistance",
    "MeanReading",
    "Metric",
    "Nearness",
]
