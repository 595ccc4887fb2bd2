"""RemoteMapper: the map source for navigation if the mapper runs in another process."""

from __future__ import annotations

import logging
import math
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable

import numpy as np

from paddock.arena.localisation import make_odometry
from paddock.arena.mapping import make_range_reader
from paddock.core.closing import Closing
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, compose, relative
from paddock.core.observation import Observation
from paddock.network.nodes.bus import open_bus
from paddock.network.nodes.node_messages import HealthMessage, MapMessage, ModuleMessage, PoseMessage
from paddock.perception.estimation import Estimate
from paddock.perception.mapping import GridFrame, OccupancyGrid, Scan
from paddock.simulation.robots import RobotSpec

MEMORY = 50  # stored poses
SURE = 5.0  # log-odds of a known cell: a message contains only its state
log = logging.getLogger("paddock.modules")
POLL = 0.1  # [s]
PERIOD = 5.0  # wall seconds between two calls of `keep`


class RemoteMapper:
    """Map and pose from the mapper's messages; odometry updates the pose between messages.

    Args:
        spec: the robot.
    """

    def __init__(self, spec: RobotSpec) -> None:
        self.grid = OccupancyGrid()
        self.odometry, self.reader = make_odometry(spec), make_range_reader(spec)
        self.estimate = Estimate(self.odometry.pose, np.zeros((3, 3)))
        self.scan: Scan | None = None
        self._poses: deque[tuple[float, Pose]] = deque(maxlen=MEMORY)  # time and pose by odometry
        self._fix: tuple[float, Pose] = (-math.inf, self.odometry.pose)
        self._maps = 0

    def take(self, message: ModuleMessage) -> None:
        """Update pose or map with a message of the mapper."""
        if isinstance(message, PoseMessage):
            self._fix = message.time, Pose(message.x, message.y, message.theta)
            if len(message.covariance) == 9:
                self.estimate = self.estimate._replace(covariance=np.array(message.covariance).reshape(3, 3))
        elif isinstance(message, MapMessage) and (grid := read_map(message)) is not None:
            self._maps += 1
            grid.version = self._maps
            self.grid = grid

    def update(self, observation: Observation, time: float | None = None) -> Estimate:
        """Update the estimate with an observation: odometry since the mapper's last pose."""
        time = observation.time if time is None else time
        if "encoders" in observation.sensors:
            self.odometry.update(*np.asarray(observation.encoders, float).tolist())
        self._poses.append((time, self.odometry.pose))
        if self.reader.device in observation.sensors:
            self.scan = self.reader.read(observation, time) or self.scan
        self.estimate = self.estimate._replace(pose=self._locate(self.odometry.pose))
        return self.estimate

    @property
    def scan_pose(self) -> Pose:
        """Pose of the robot at the time of the last scan."""
        return self.estimate.pose if self.scan is None else self._locate(self._recall(self.scan.time))

    def _locate(self, pose: Pose) -> Pose:
        """Transform a pose by odometry to the frame of the map."""
        at, fix = self._fix
        return compose(fix, relative(self._recall(at), pose))

    def _recall(self, time: float) -> Pose:
        """Return the pose by odometry at a time [s]."""
        return next((known for moment, known in self._poses if moment >= time - 1e-9), self.odometry.pose)

    def reset(self, pose: Pose) -> None:
        """Do nothing: the map belongs to the mapper and is kept."""


def read_map(message: MapMessage) -> OccupancyGrid | None:
    """Return the map of a message; None if its data is invalid."""
    frame = GridFrame(message.x, message.y, message.resolution, message.rows, message.columns)
    size = frame.rows * frame.columns
    try:
        cells = zlib.decompressobj().decompress(message.cells, size + 1)
    except zlib.error:
        return None
    if len(cells) != size or not size or not message.resolution > 0:
        return None
    states = np.frombuffer(cells, np.int8).reshape(frame.shape)
    odds = np.where(states < 0, 0.0, np.where(states > 0, SURE, -SURE)).astype(np.float32)
    return OccupancyGrid.of(frame, odds)


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
