"""SingleRobot: a robot outside this process that is also its own arena."""

from __future__ import annotations

import atexit
import logging
import math
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, ClassVar

from paddock.arena.base_arena import BaseArena, SimulatedArena
from paddock.arena.body import Body
from paddock.arena.devices import Device
from paddock.arena.episode_loop import EpisodeLoop
from paddock.arena.robot import Robot
from paddock.core.errors import LinkError, SimulationError, UnknownName
from paddock.core.geometry import Pose
from paddock.core.observation import Observation, Readings, WheelSpeeds

log = logging.getLogger("paddock.links")
SIMULATIONS_ONLY = {name for name in vars(SimulatedArena) if not name.startswith("_")} - set(dir(BaseArena))


class WatchedBody(Body):
    """A body that a background thread may read."""

    latest: Any = None  # last sample of that thread
    pending_error: Exception | None = None  # last error in that thread
    _speeds: WheelSpeeds  # last wheel command

    @property
    @abstractmethod
    def connected(self) -> bool:
        """Whether the connection was open after the last exchange."""

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        return self._speeds

    @property
    def command(self) -> WheelSpeeds:
        return self._speeds

    def raise_pending_error(self) -> None:
        """Raise the error of the background thread, if any."""
        error, self.pending_error = self.pending_error, None
        if error is not None:
            raise error

    def in_background(self) -> AbstractContextManager[object]:
        """Return a context for requests of a background thread, which would continue if the program hangs."""
        return nullcontext()

    def known_raw(self, device: Device) -> Readings | None:
        """Return the raw readings of the last sample; None if it has none."""
        return None

    @abstractmethod
    def look(self, robot: Robot) -> Observation:
        """Read the sensors without pictures, and store the sample for later reads."""


class SingleRobot(Robot, BaseArena):
    """A robot that is also its own arena: `robot.wheels.set(…)`, `arena.step()` and `arena["e-puck"]` all work."""

    body: WatchedBody
    robots: Mapping[str, Robot]
    nature: ClassVar[str] = "a real robot"  # for error messages about functions of simulations only
    speeds: ClassVar[tuple[float | None, ...]] = (None, 1)  # that `run` accepts
    _dt: float
    _due = 0.0  # time when the current step is over [s]

    def __init__(self, body: WatchedBody) -> None:
        self._watchers: dict[str, PeriodicThread] = {}
        self._lock = threading.Lock()  # protects the watchers and `_ended`
        self._ended = False  # whether it is closed, or is being closed
        self.reconnects = 0  # number of reconnects; connection errors from before the last one are ignored
        Robot.__init__(self, self, body)
        self.robots = {self.name: self}

    def __getitem__(self, name: str) -> Robot:
        if name != self.name:
            raise UnknownName("robot", name, self.robots)
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} ({self.spec.name})>"

    @property
    def connected(self) -> bool:
        return not self._ended and self.body.connected

    # ---- time

    @property
    def dt(self) -> float:
        return self._dt

    @property
    @abstractmethod
    def time(self) -> float:
        """Time [s] since the connection or the last reset."""

    @property
    def tick(self) -> int:
        return math.floor(self.time / self._dt + 1e-6)

    def _drive(self, loop: EpisodeLoop) -> str:
        if loop.plan.speed not in self.speeds:
            raise SimulationError(
                f"run: {self.name} is {self.nature}: its time cannot run at speed {loop.plan.speed!r}; leave it out"
            )
        self._due = self.time
        return loop.drive()

    def start_at(self, pose: Pose) -> None:
        """Set the pose of the robot's odometry, if it has one."""

    def stop_at_exit(self) -> None:
        """Stop the robot when the program exits. Call this when the robot is completely constructed."""
        atexit.register(self.close)

    def close(self) -> None:
        """Stop the robot and disconnect from it."""
        with self._lock:
            first, self._ended = not self._ended, True
        if not first:
            return
        self._watch()
        atexit.unregister(self.close)
        try:
            self._stop_and_disconnect()
        except LinkError as error:
            log.warning("%s could not be stopped, it may still drive: %s", self.name, error)

    @abstractmethod
    def _stop_and_disconnect(self) -> None:
        """Stop the robot and end the connection, even if stopping fails."""

    # ---- watching

    @property
    def watching(self) -> bool:
        """Whether a thread reads the sensors in the background."""
        return "" in self._watchers

    def update_watch(self, robot: Robot) -> None:
        self._watch()

    def _watch(self) -> None:
        """Replace the background threads by one for each current watch."""
        with self._lock:
            for watcher in self._watchers.values():
                watcher.stopped.set()
            self._watchers = {} if self._ended else self._wanted_watchers()
            self.body.latest, self.body.pending_error = None, None
            for watcher in self._watchers.values():
                watcher.start()

    def _wanted_watchers(self) -> dict[str, PeriodicThread]:
        watches = self.watches
        wanted: dict[str, tuple[float, Callable[[], object]]] = {}
        if watches.period is not None:
            wanted[""] = watches.period, lambda: watches.notify(self._look())
        for camera, period in watches.camera_periods.items():
            wanted[camera] = period, partial(self._show, camera)
        return {name: PeriodicThread(self, period or self.dt, task) for name, (period, task) in wanted.items()}

    def report_error(self, error: Exception) -> None:
        """Store a background error for the next read. Log it unless an earlier one has not been raised yet."""
        if self.body.pending_error is None:
            log.warning("%s: in the background: %s: %s", self.name, type(error).__name__, error)
        self.body.pending_error = error

    def _look(self) -> Observation:
        with self.body.in_background():
            return self.body.look(self)

    def _show(self, camera: str) -> None:
        with self.body.in_background():
            picture = self.body.picture(self.devices[camera])  # type: ignore[arg-type]
        self.watches.show(camera, picture, self.tick)

    def __getattr__(self, name: str) -> Any:
        if name == "world" or name in SIMULATIONS_ONLY:
            raise SimulationError(f"{name}: {self.name} is {self.nature}; only simulations have that")
        return super().__getattr__(name)


class PeriodicThread(threading.Thread):
    """Calls a task once per period until it is stopped."""

    def __init__(self, robot: SingleRobot, period: float, task: Callable[[], object]) -> None:
        super().__init__(name=f"paddock-watch-{robot.name}", daemon=True)
        self.robot, self.period, self.task = robot, period, task
        self.stopped = threading.Event()

    def run(self) -> None:
        due = time.monotonic()
        while not self.stopped.is_set():
            reconnects = self.robot.reconnects
            try:
                self.task()
            except Exception as error:
                settled = isinstance(error, LinkError) and reconnects != self.robot.reconnects
                if not (self.stopped.is_set() or settled):
                    self.robot.report_error(error)
            due = max(due + self.period, time.monotonic())
            self.stopped.wait(due - time.monotonic())
