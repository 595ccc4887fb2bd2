"""RobotMirror: a thread that reads the state of a real robot and sends it new commands."""

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
from paddock.core.geometry import ORIGIN
from paddock.core.observation import Readings, WheelSpeeds
from paddock.network.client.single import SingleRobot

log = logging.getLogger("paddock.links")
STALLED = 0.3  # [s] without a tick after which the robot is stopped
PICTURES = 2.0  # [s] for which pictures are taken after one was requested
RETRY = 0.5  # [s] between two attempts to reach a robot
NO_COMMAND = WheelSpeeds(math.nan, math.nan)  # differs from every command


class RobotCommand(NamedTuple):
    """Current commands for a robot."""

    tick: int
    wheels: WheelSpeeds
    leds: tuple[float, ...]
    tone: tuple[float, float]


class RobotMirror:
    """Last known state of a real robot. The robot is stopped while the clock of its arena is stopped."""

    def __init__(self, robot: SingleRobot, get_command: Callable[[], RobotCommand], forget: Callable[[], None]) -> None:
        """
        Args:
            robot: a connected robot; it must not be used by others any more.
            get_command: returns the current commands; called from any thread.
            forget: replaces the commanded wheel speeds by 0, until a new command is given.
        """
        self.robot, self._get_command, self._forget = robot, get_command, forget
        self.cameras = {name: device for name, device in robot.devices.items() if isinstance(device, Camera)}
        for name, device in robot.devices.items():
            if name not in self.cameras:
                device.polled = False
                device.enable()
        self.values: dict[str, Readings] = {}  # by device; empty while the robot cannot be reached
        self.raw: dict[str, Readings] = {}  # raw readings likewise
        self.pictures: dict[str, NDArray[np.uint8]] = {}
        self.pose, self.wheels = ORIGIN, WheelSpeeds(0.0, 0.0)
        self.travel = (0.0, 0.0)  # distance of the wheels [m], if the robot has encoders
        self._wanted_until: dict[str, float] = {}  # until when pictures of a camera are taken (monotonic)
        self._sent = RobotCommand(-1, self.wheels, robot.body.leds, robot.body.tone)
        self._tick, self._ticked_at = -1, time.monotonic()
        self._lost = False
        self._stopped = threading.Event()
        self._read_sensors()
        self._thread = threading.Thread(target=self._work, name=f"paddock-mirror-{robot.name}", daemon=True)

    def start(self) -> None:
        """Start the thread that sends commands and reads sensors."""
        self._thread.start()

    def close(self) -> None:
        """Stop the robot and disconnect from it."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self.robot.close()

    def picture(self, camera: str) -> NDArray[np.uint8]:
        """Return the newest picture of a camera, black until there is one. Each call requests further pictures."""
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
                self._send_changes(self._get_command())
                self._read_sensors()
                self._take_pictures()
                if self._lost:
                    log.warning("%s is back", self.robot.name)
                self._lost = False
            except Exception as error:
                self._handle_failure(error)
                pause = RETRY
            due = max(due + pause, time.monotonic())
            self._stopped.wait(due - time.monotonic())

    def _handle_failure(self, error: Exception) -> None:
        """Discard the state and the wheel command, so that the robot is stopped when it is reached again."""
        if not self._lost:
            log.warning("%s: %s", self.robot.name, error, exc_info=not isinstance(error, LinkError))
        self._forget()
        self._lost, self.values, self.raw = True, {}, {}
        self.wheels = WheelSpeeds(0.0, 0.0)
        self._sent = RobotCommand(-1, NO_COMMAND, (), (0.0, 0.0))  # so that a stop is sent

    def _send_changes(self, command: RobotCommand) -> None:
        if command.tick != self._tick:
            self._tick, self._ticked_at = command.tick, time.monotonic()
        stands = time.monotonic() - self._ticked_at > STALLED
        wheels = WheelSpeeds(0.0, 0.0) if stands else command.wheels
        refused = wheels != self._sent.wheels and not self._try(self.robot.wheels.set, *wheels)
        if refused:
            self._forget()
        for number, brightness in enumerate(command.leds):
            if self._sent.leds[number : number + 1] != (brightness,):
                self._try(self.robot.body.set_led, number, brightness)
        if command.tone != self._sent.tone:
            self._try(self.robot.body.set_tone, *command.tone)
        self._sent = command._replace(wheels=NO_COMMAND if refused and any(wheels) else wheels)

    def _try(self, call: Callable[..., None], *values: float) -> bool:
        """Send a command that the robot may not support. Return whether it was carried out."""
        try:
            call(*values)
        except DeviceRefused as error:
            log.warning("%s", error)
            return False
        return True

    def _read_sensors(self) -> None:
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
        if not any(motion.wheels):  # it may have been restarted, or stopped by its watchdog
            self._sent = self._sent._replace(wheels=motion.wheels)

    def _take_pictures(self) -> None:
        for name, until in list(self._wanted_until.items()):
            if time.monotonic() < until:
                with contextlib.suppress(DeviceRefused):
                    self.pictures[name] = self.robot.body.picture(self.cameras[name])
