"""MapListener: stores the newest map of a mapper, its growth over time and the robot's poses."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

import numpy as np

from paddock.core.closing import Closing
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.network.nodes.bus import open_bus
from paddock.network.nodes.node_messages import HealthMessage, MapMessage, ModuleMessage, PoseMessage
from paddock.network.nodes.remote_map import read_map
from paddock.perception.mapping import OccupancyGrid

log = logging.getLogger("paddock.modules")
POLL = 0.1  # [s]
PERIOD = 5.0  # wall seconds between two calls of `keep`


class MapListener(Closing):
    """Listens to a mapper until it is closed.

    Args:
        url: URL of the bus.
        keep: called periodically once a map exists, but not at the end.
    """

    def __init__(self, url: str, keep: Callable[[MapListener], None] | None = None) -> None:
        self.grid: OccupancyGrid | None = None
        self.times: list[float] = []  # simulated [s]
        self.poses: list[Pose] = []  # at those times, in the mapper's frame
        self.growth: list[tuple[float, float]] = []  # times [s] and known free space [m²]
        self.doing = ""  # state of the planner
        self._keep, self._closed = keep, threading.Event()
        self._bus = open_bus(url, "LISTENER", hears=["MAPPER", "PLANNER"], lossless=True)
        self._thread = threading.Thread(target=self._run, name="map listener", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        keep_at = time.monotonic() + PERIOD
        while (waiting := self._bus.receive_all(POLL)) or not self._closed.is_set():
            for message in waiting:
                self._take(message)
            if self._keep is not None and self.grid is not None and time.monotonic() >= keep_at:
                try:
                    self._keep(self)
                except PaddockError as error:  # for example a full disk; the next call may succeed
                    log.warning("the map could not be saved: %s", error)
                keep_at = time.monotonic() + PERIOD

    def _take(self, message: ModuleMessage) -> None:
        match message:
            case PoseMessage(source="MAPPER") if not self.times or message.time > self.times[-1]:
                self.times.append(message.time)
                self.poses.append(Pose(message.x, message.y, message.theta))
            case MapMessage(source="MAPPER") if (grid := read_map(message)) is not None:
                self.grid = grid
                self.growth.append((message.time, float(np.count_nonzero(grid.log_odds < 0)) * grid.resolution**2))
            case HealthMessage(source="PLANNER"):
                self.doing = message.status.partition(";")[0]

    def close(self) -> None:
        """Handle the remaining messages and stop."""
        self._closed.set()
        self._thread.join()
        self._bus.close()
