"""Episodes: the results of runs, with one Trace per robot, events and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.arena.episodes.episode import Episode, Foul, RobotRecord, Verdict
    from paddock.arena.episodes.events import Event
    from paddock.arena.episodes.trace import Span, Trace

__all__ = ["Episode", "Event", "Foul", "RobotRecord", "Span", "Trace", "Verdict"]

__getattr__ = import_on_demand(__name__)
