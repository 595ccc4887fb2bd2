"""Episodes: the results of runs, with one Trace per robot, events and metrics."""

from paddock.episodes.episode import Episode, RobotRecord
from paddock.episodes.events import Event
from paddock.episodes.trace import Span, Trace

__all__ = ["Episode", "Event", "RobotRecord", "Span", "Trace"]
