"""EPuck: the handle of a real e-puck, which is also its arena."""

from __future__ import annotations

import logging
import math
import time
from typing import Protocol

import numpy as np

from paddock.bridges.common.watchdog import RENEWAL
from paddock.bridges.epuck.driver.port import LONGEST, Port
from paddock.bridges.epuck.link.body import EPuckBody
from paddock.bridges.epuck.link.spec import adapt_spec
from paddock.bridges.epuck.wire import packets
from paddock.core.argument_checks import all_finite, check_heading, check_ticks
from paddock.core.errors import BadMessage, PaddockError
from paddock.core.geometry import ORIGIN, Pose, wrap
from paddock.network.client.single import SingleRobot

log = logging.getLogger("paddock.links")
LOUD = 0.1  # amplitude at 1 m that `tone` returns for a recorded sound


class TimeSource(Protocol):
    """A clock that runs independently of the program."""

    def now(self) -> float:
        """Return the time [s] since an arbitrary origin."""

    def sleep(self, seconds: float) -> None:
        """Wait for some seconds."""


class WallClock:
    """The monotonic clock of the computer."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class EPuck(SingleRobot):
    """A real e-puck. Time is real: `step(n)` waits until n ticks have passed since the last step."""

    body: EPuckBody
    body_class = EPuckBody

    def __init__(
        self,
        port: Port,
        *,
        name: str = "",
        dt: float = 0.05,
        clock: TimeSource | None = None,
        type: str | None = None,
    ) -> None:
        spec = adapt_spec(port, type)
        self.port, self._clock, self._dt = port, clock or WallClock(), dt
        self._start = self._clock.now()
        super().__init__(self.body_class(self, port, name or spec.name, spec))
        self.stop_at_exit()

    # ---- time

    @property
    def time(self) -> float:
        """Time [s] since the connection or the last reset."""
        return self._clock.now() - self._start

    def step(self, n: int = 1) -> None:
        """Wait until n ticks have passed since the last step. Delays are not caught up.

        While the robot drives, send requests regularly, because its watchdog would stop it otherwise.
        """
        self._due = max(self._due + check_ticks(n) * self._dt, self.time)
        ahead = self._due - self.time
        for left in range(max(1, math.ceil(ahead / RENEWAL)) if self.port.drives else 1, 0, -1):
            pause = (self._due - self.time) / left
            if pause > 0:
                self._clock.sleep(pause)
            self.port.renew()

    # ---- the robot itself

    def version(self) -> str:
        """Return the version text of the firmware."""
        return self.port.version()

    def calibrate(self) -> None:
        """Calibrate the zero of the proximity sensors. Remove all objects around the robot first."""
        self.port.calibrate()

    def play_sound(self, number: int) -> None:
        """Play one of the five recorded sounds, 1 … 5; 0 stops the sound."""
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number not in range(6):
            raise PaddockError(f"{self.name}.play_sound: expected a whole number from 0 to 5, got {number!r}")
        self.body.play_sound(int(number), LOUD)

    def raw_packet(self) -> packets.Sensors:
        """Return all raw numbers of an e-puck2, including the magnetic field, the button and the remote control."""
        return self.port.read_packet()

    def start_at(self, pose: Pose) -> None:
        self.set_odometry(*pose)

    def set_odometry(self, x: float, y: float, heading: float = 0.0) -> None:
        """Set the pose of the odometry: x, y [m], heading [rad]."""
        call = f"{self.name}.set_odometry({x!r}, {y!r}, {heading!r})"
        if not all_finite(x, y, heading):
            raise PaddockError(f"{call}: expected finite numbers")
        check_heading(call, heading)
        self.body.set_odometry(Pose(float(x), float(y), wrap(float(heading))))
        self.note_event("teleport", self.name, f"odometry of {self.name} set to ({x:g}, {y:g}, {heading:g})")

    def reset(self, seed: int | None = None) -> None:
        """Restart the firmware. The robot stops, its LEDs go off, and odometry and time restart at 0."""
        with self.port.hold(LONGEST):  # so that no other thread reads in between
            self.port.restart()
            self.body.mark_reset()
            self._start, self._due = self._clock.now(), 0.0
            self.body.restart_odometry(ORIGIN)
        self.note_event("reset", text=f"{self.name} was reset")

    def reconnect(self) -> None:
        """Close the connection and open it again. The robot is stopped. Calls do the same after an error."""
        with self.port.hold():
            self.port.disconnect()
            self.body.fetch(())
            self.reconnects += 1
            self.body.forget_samples()
            self.body.pending_error = None

    def _stop_and_disconnect(self) -> None:
        with self.port.hold_and_close():
            try:
                self.stop()  # its answer has the speeds that the robot was given
            except BadMessage:  # a byte was lost: the next exchange begins anew
                self.stop()
            self.port.verify_stopped()
