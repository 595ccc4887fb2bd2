"""Recordings of arenas as MCAP files, which Foxglove and PlotJuggler open and from which Paddock can continue."""

from paddock.report.recordings.recorder import Recorder, record
from paddock.report.recordings.recording import Recording
from paddock.report.recordings.replay import ReplayArena
from paddock.report.recordings.streams import StreamRates

__all__ = ["Recorder", "Recording", "ReplayArena", "StreamRates", "record"]
