"""Episodes: the results of runs, with one Trace per robot, events and metrics."""

from paddock.arena.episodes.episode import Episode, Foul, RobotRecord, Verdict
from paddock.arena.episodes.events import Event
from paddock.arena.episodes.trace import Span, Trace

__all__ = ["Episode", "Event", "Foul", "RobotRecord", "Span", "Trace", "Verdict"]
