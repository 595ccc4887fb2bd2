"""Recordings of arenas as MCAP files, which Foxglove and PlotJuggler open and from which Paddock can continue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.report.recordings.recorder import Recorder, record
    from paddock.report.recordings.recording import Recording
    from paddock.report.recordings.replay import ReplayArena
    from paddock.report.recordings.streams import StreamRates

__all__ = ["Recorder", "Recording", "ReplayArena", "StreamRates", "record"]

__getattr__ = import_on_demand(__name__)
