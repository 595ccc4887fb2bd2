"""RobotMirror: a thread that keeps what is known of a real robot up to date, and tells it what is wanted of it."""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena.devices import Camera
from paddock.core.errors import DeviceRefused, LinkError
from paddock.core.geometry import Pose
from paddock.core.observation import Readings, WheelSpeeds
from paddock.links.single import SingleRobot

log = logging.getLogger("paddock.links")
STALLED = 0.3  # [s] after which a clock that stands stops the robot
PICTURES = 2.0  # [s] for which pictures are taken after somebody has looked at one
RETRY = 0.5  # [s] between two attempts to reach a robot
UNTOLD = WheelSpeeds(math.nan, math.nan)  # differs from all that can be wished for


class Wish(NamedTuple):
    """What is wanted of a robot at present."""

    tick: int
    wheels: WheelSpeeds
    lamps: tuple[float, ...]
    tone: tuple[float, float]


class RobotMirror:
    """What a real robot last said. It stands when the clock that it is shown with does not go on."""

    def __init__(self, robot: SingleRobot, wish: Callable[[], Wish], forget: Callable[[], None]) -> None:
        """
        Args:
            robot: a way to it, connected; nobody else uses it from now on.
            wish: what is wanted of the robot, from any thread.
            forget: from then on it is wanted to stand, until somebody tells it to drive.
        """
        self.robot, self._wish, self._forget = robot, wish, forget
        self.cameras = {name: device for name, device in robot.devices.items() if isinstance(device, Camera)}
        for name, device in robot.devices.items():
            if name not in self.cameras:
                device.polled = False
                device.enable()
        self.values: dict[str, Readings] = {}  # by device; none while it cannot be reached
        self.raw: dict[str, Readings] = {}  # hardware numbers likewise
        self.pictures: dict[str, NDArray[np.uint8]] = {}
        self.pose, self.wheels = Pose(0.0, 0.0, 0.0), WheelSpeeds(0.0, 0.0)
        self.travel = (0.0, 0.0)  # of the wheels [m], where it has encoders
        self._wanted_until: dict[str, float] = {}  # when a camera is no longer looked through (monotonic)
        self._told = Wish(-1, self.wheels, robot.body.lamps, robot.body.tone)
        self._tick, self._ticked_at = -1, time.monotonic()
        self._lost = False
        self._stopped = threading.Event()
        self._look()
        self._thread = threading.Thread(target=self._work, name=f"paddock-mirror-{robot.name}", daemon=True)

    def start(self) -> None:
        """Begin to carry out wishes."""
        self._thread.start()

    def close(self) -> None:
        """Stop the robot, and let go of it."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self.robot.close()

    def picture(self, camera: str) -> NDArray[np.uint8]:
        """The newest picture of a camera: black until there is one. Looking at it has more of them taken."""
        self._wanted_until[camera] = time.monotonic() + PICTURES
        device = self.cameras[camera]
        black = np.zeros((device.height, device.width, 3), np.uint8)
        return self.pictures.get(camera, black)

    # ---- the thread

    def _work(self) -> None:
        due = time.monotonic()
        while not self._stopped.is_set():
            pause = self.robot.dt
            try:
                self._obey(self._wish())
                self._look()
                self._take_pictures()
                if self._lost:
                    log.warning("%s is back", self.robot.name)
                self._lost = False
            except Exception as error:
                self._meet_failure(error)
                pause = RETRY
            due = max(due + pause, time.monotonic())
            self._stopped.wait(due - time.monotonic())

    def _meet_failure(self, error: Exception) -> None:
        """Nothing is known about it any more; and it stands when it is found again, until it is told to drive."""
        if not self._lost:
            log.warning("%s: %s", self.robot.name, error, exc_info=not isinstance(error, LinkError))
        self._forget()
        self._lost, self.values, self.raw = True, {}, {}
        self.wheels = WheelSpeeds(0.0, 0.0)
        self._told = Wish(-1, UNTOLD, (), (0.0, 0.0))  # so that it is told to stand

    def _obey(self, wish: Wish) -> None:
        if wish.tick != self._tick:
            self._tick, self._ticked_at = wish.tick, time.monotonic()
        stands = time.monotonic() - self._ticked_at > STALLED
        wheels = WheelSpeeds(0.0, 0.0) if stands else wish.wheels
        refused = wheels != self._told.wheels and not self._try(self.robot.wheels.set, *wheels)
        if refused:
            self._forget()
        for number, brightness in enumerate(wish.lamps):
            if self._told.lamps[number : number + 1] != (brightness,):
                self._try(self.robot.body.set_lamp, number, brightness)
        if wish.tone != self._told.tone:
            self._try(self.robot.body.set_tone, *wish.tone)
        self._told = wish._replace(wheels=UNTOLD if refused and any(wheels) else wheels)

    def _try(self, call: Callable[..., None], *values: float) -> bool:
        """Have a robot do something that its language may have no word for; whether it does."""
        try:
            call(*values)
        except DeviceRefused as error:
            log.warning("%s", error)
            return False
        return True

    def _look(self) -> None:
        robot = self.robot
        seen = robot.sense()
        values = {name: np.atleast_1d(np.asarray(getattr(seen, name), np.float64)) for name in seen.sensors}
        motion = robot.body.motion()
        raw = {name: robot.body.known_raw(robot.devices[name]) for name in values}
        self.values, self.raw = values, {name: numbers for name, numbers in raw.items() if numbers is not None}
        self.pose, self.wheels = motion.pose, motion.wheels
        if "encoders" in values:
            left, right = values["encoders"]
            self.travel = float(left), float(right)
        if not any(motion.wheels):  # it may have been restarted, or stopped by its guard
            self._told = self._told._replace(wheels=motion.wheels)

    def _take_pictures(self) -> None:
        for name, until in list(self._wanted_until.items()):
            if time.monotonic() < until:
                with contextlib.suppress(DeviceRefused):
                    self.pictures[name] = self.robot.body.picture(self.cameras[name])
