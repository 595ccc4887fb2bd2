"""Interface of a scene to the live world; bridges implement it with handles to robots of an arena."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec


class SceneRobot(Protocol):
    """A robot of the live world. Sensors are switched on when they are first read."""

    name: str
    spec: RobotSpec

    @property
    def pose(self) -> Pose:
        """Pose in the world."""

    def set_pose(self, pose: Pose) -> None:
        """Move the robot to a pose; refused if there is no room."""

    @property
    def wheel_speeds(self) -> tuple[float, float]:
        """Speeds of the left and right wheel [m/s at the rim]."""

    @property
    def command(self) -> tuple[float, float]:
        """Commanded speeds of the left and right wheel [m/s]."""

    def set_wheels(self, left: float, right: float) -> None:
        """Command wheel speeds [m/s]; capped at the data sheet's maximum."""

    @property
    def travel(self) -> tuple[float, float]:
        """Distance travelled by each wheel since the start [m at the rim]."""

    @property
    def twist(self) -> tuple[float, float]:
        """Forward speed [m/s] and turn rate [rad/s] of the last tick."""

    @property
    def touches(self) -> bool:
        """Whether it touched anything in the last tick."""

    def read(self, device: str) -> NDArray[np.float64]:
        """Return the current values of a sensor in SI units."""

    def picture(self, device: str) -> NDArray[np.uint8]:
        """Return the current image of a camera, top row first, [row, column, rgb]."""

    def depth(self, device: str) -> NDArray[np.float64]:
        """Return the depth of every pixel [m]; infinity for floor and sky."""

    def read_leds(self) -> dict[str, float]:
        """Return the brightness of every LED, 0 … 1."""

    def set_led(self, name: str, brightness: float) -> None:
        """Set the brightness of an LED: 0 off … 1 full."""


class LiveWorld(Protocol):
    """The live world of a scene."""

    @property
    def world(self) -> WorldSpec:
        """Specification of the world."""

    @property
    def layout(self) -> int:
        """Number of times that robots were added or removed."""

    @property
    def mark(self) -> bytes:
        """A value that changes whenever sensor readings may change."""

    @property
    def tick(self) -> int:
        """Number of ticks since the start."""

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""

    @property
    def client(self) -> object:
        """The client whose request is being processed; None: none."""

    @property
    def spawned(self) -> Collection[str]:
        """Names of robots that clients added."""

    def list_robots(self) -> Sequence[SceneRobot]:
        """Return all robots; each robot is always the same object."""

    def spawn(self, kind: str, **place: Any) -> str:
        """Add a robot of a shipped type and return its name."""

    def remove(self, name: str) -> None:
        """Remove a robot."""
