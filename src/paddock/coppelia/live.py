"""What a scene needs of the live world behind it; bridges implement it with handles to robots of an arena."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose
from paddock.robots import RobotSpec
from paddock.worlds import WorldSpec


class SceneRobot(Protocol):
    """A robot of the live world. Sensors are switched on when they are first read."""

    name: str
    spec: RobotSpec

    @property
    def pose(self) -> Pose:
        """Where it is."""

    def set_pose(self, pose: Pose) -> None:
        """Put it elsewhere; refused where there is no room."""

    @property
    def wheel_speeds(self) -> tuple[float, float]:
        """How fast the wheels turn, left and right [m/s at the rim]."""

    @property
    def command(self) -> tuple[float, float]:
        """Commanded wheel speeds [m/s]."""

    def set_wheels(self, left: float, right: float) -> None:
        """Command wheel speeds [m/s]; capped at the data sheet's maximum."""

    @property
    def travel(self) -> tuple[float, float]:
        """How far each wheel has turned since the start [m at the rim]."""

    @property
    def twist(self) -> tuple[float, float]:
        """Forward speed [m/s] and turn rate [rad/s] of the last tick."""

    @property
    def touches(self) -> bool:
        """Whether it touched anything in the last tick."""

    def read(self, device: str) -> NDArray[np.float64]:
        """The present values of a sensor, in SI units."""

    def picture(self, device: str) -> NDArray[np.uint8]:
        """The present picture of a camera, upright, [row, column, rgb]."""

    def depth(self, device: str) -> NDArray[np.float64]:
        """Distance [m] ahead of every pixel; infinity for floor and sky."""

    def read_lamps(self) -> dict[str, float]:
        """The brightness of every lamp, 0 … 1."""

    def set_lamp(self, name: str, brightness: float) -> None:
        """0 off … 1 full."""


class LiveWorld(Protocol):
    """The live world of a scene."""

    @property
    def world(self) -> WorldSpec:
        """What stands there."""

    @property
    def layout(self) -> int:
        """How often robots came or went."""

    @property
    def mark(self) -> bytes:
        """Another one whenever anything has changed that can be sensed."""

    @property
    def tick(self) -> int:
        """Ticks since the start."""

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""

    @property
    def client(self) -> object:
        """Whose request is carried out; None: nobody's."""

    @property
    def brought(self) -> Collection[str]:
        """Names of robots that clients brought."""

    def list_robots(self) -> Sequence[SceneRobot]:
        """All robots, always as the same objects."""

    def spawn(self, kind: str, **place: Any) -> str:
        """Bring another robot of a shipped kind; its name."""

    def remove(self, name: str) -> None:
        """Take a robot away."""
