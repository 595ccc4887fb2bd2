"""Recordings of arenas as MCAP files, which Foxglove and PlotJuggler open and from which Paddock can continue."""

from paddock.recordings.bag import export_bag
from paddock.recordings.recorder import Recorder, record
from paddock.recordings.recording import Recording
from paddock.recordings.replay import ReplayArena
from paddock.recordings.streams import StreamRates

__all__ = ["Recorder", "Recording", "ReplayArena", "StreamRates", "export_bag", "record"]
