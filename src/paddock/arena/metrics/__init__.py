"""Metrics: figures of robots, summed during a run."""

from paddock.arena.metrics.coverage import Coverage
from paddock.arena.metrics.goal import Goal, PathProgress
from paddock.arena.metrics.means import MeanDistance, MeanReading
from paddock.arena.metrics.metric import Metric
from paddock.arena.metrics.motion import ContactTime, Distance, StallTime
from paddock.arena.metrics.sensing import Avoidance, Closeness, Line

__all__ = [
    "Avoidance",
    "Closeness",
    "ContactTime",
    "Coverage",
    "Distance",
    "Goal",
    "Line",
    "MeanDistance",
    "MeanReading",
    "Metric",
    "PathProgress",
    "StallTime",
]
