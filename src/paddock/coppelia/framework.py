"""What e-pucks in a scene tell and obey: the sensors and speeds of the Vorarlberg framework and of the stock model."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from paddock.coppelia.live import SceneRobot
from paddock.coppelia.models import EPUCK, FROM_LEFT
from paddock.coppelia.scene import CoppeliaScene
from paddock.coppelia.signals import Signal
from paddock.coppelia.vision import take_image
from paddock.core.errors import PaddockError

REACH = 0.05  # nothing in sight reads as this distance [m]
FASTEST = 2.094  # of the wheels of a V-REP e-puck, unless a program sets another limit [rad/s]
FIRST_PORT = 20000  # the framework has a port for each robot, from this one on
PREFIXED = re.compile(r"(?P<prefix>.+)_(?P<what>allSens|camera|velocities)")
NUMBERED = re.compile(r"epuck(\d+)", re.IGNORECASE)
STOCK = re.compile(r"EPUCK_(?P<what>\w+?)(?P<suffix>#\d+)?")


def read_ring(robot: SceneRobot, device: str) -> NDArray[np.float64]:
    """Eight values in the order of V-REP's e-puck: clockwise from the left side."""
    values = robot.read(device)
    if len(values) != len(FROM_LEFT):
        raise PaddockError(f"robot {robot.name!r} is no e-puck: its {device} has {len(values)} values")
    return values[list(FROM_LEFT)]


def read_all(robot: SceneRobot) -> NDArray[np.float64]:
    """Proximity 8 [m], light 8, ground 3 (0 … 1), accelerometer 3 [m/s²], wheel encoders 2 [rad]."""
    return np.concatenate(
        (
            read_proximity(robot),
            read_ring(robot, "light"),
            robot.read("ground"),
            robot.read("accelerometer"),
            read_encoders(robot),
        )
    )


def read_proximity(robot: SceneRobot) -> NDArray[np.float64]:
    """Distances of the eight proximity sensors [m]; 0.05 for nothing."""
    return np.minimum(read_ring(robot, "proximity"), REACH)


def read_encoders(robot: SceneRobot) -> NDArray[np.float64]:
    """How far the wheels have turned, left and right [rad]."""
    return np.array(robot.travel) / (robot.spec.drive.wheel_diameter / 2)


def read_camera(scene: CoppeliaScene, robot: SceneRobot) -> NDArray[np.float64]:
    """Red, green, blue (0 … 1) of all pixels, rows from bottom to top."""
    cameras = [part for part in scene.base_of(robot).children if part.part == "camera"]
    if not cameras:
        raise PaddockError(f"robot {robot.name!r} has no camera")
    return take_image(scene, cameras[0]).reshape(-1) / 255.0


def set_velocities(scene: CoppeliaScene, robot: SceneRobot, left: float, right: float) -> None:
    """Turn both wheels [rad/s], at most as fast as the robot's script allows."""
    if not np.isfinite((left, right)).all():
        raise PaddockError(f"robot {robot.name!r}: expected two finite velocities in rad/s, got {left!r}, {right!r}")
    most = scene.settings.get(("fastest", robot.name), FASTEST)
    radius = robot.spec.drive.wheel_diameter / 2
    robot.set_wheels(*(max(-most, min(most, speed)) * radius for speed in (left, right)))


class EPuckSignals:
    """The signals of a scene's e-pucks.

    `<name>_allSens` and `<name>_camera` are given, `<name>_velocities` is obeyed; the name is that of the robot, its
    legacy name, or `epuck` and a port: the first e-puck has 20000, the second 20001. The stock model's float signals
    `EPUCK_velLeft` and `EPUCK_velRight` are obeyed, and its `EPUCK_proxSens`, `EPUCK_lightSens`, `EPUCK_groundSens`
    and `EPUCK_allSens` given; those of copies have a suffix.
    """

    def __init__(self, scene: CoppeliaScene) -> None:
        self.scene = scene

    def give(self, name: str) -> bytes | None:
        """The value of a string signal, as float32 numbers."""
        robot, what = self._find(name)
        if robot is None:
            return None
        if what == "allSens":
            return _pack(read_all(robot))
        if what == "camera":
            return _pack(read_camera(self.scene, robot))
        if what == "proxSens":
            return _pack(read_proximity(robot))
        if what == "lightSens":
            return _pack(read_ring(robot, "light"))
        return _pack(robot.read("ground")) if what == "groundSens" else None

    def obey(self, name: str, value: Signal) -> None:
        """Drive as a signal says."""
        robot, what = self._find(name)
        if robot is None:
            return
        radius = robot.spec.drive.wheel_diameter / 2
        left, right = (speed / radius for speed in robot.command)
        if what == "velocities" and isinstance(value, bytes):
            if len(value) != 8:
                raise PaddockError(f"signal {name!r}: expected two float32 numbers in 8 bytes, got {len(value)} bytes")
            left, right = np.frombuffer(value, "<f4").tolist()
        elif what == "velLeft" and not isinstance(value, bytes):
            left = value
        elif what == "velRight" and not isinstance(value, bytes):
            right = value
        else:
            return
        set_velocities(self.scene, robot, left, right)

    def _find(self, name: str) -> tuple[SceneRobot | None, str]:
        """Whose signal it is, and which."""
        if (found := STOCK.fullmatch(name)) is not None:
            return self._find_robot(EPUCK.name + (found["suffix"] or "")), found["what"]
        if (found := PREFIXED.fullmatch(name)) is not None:
            return self._find_robot(found["prefix"]), found["what"]
        return None, ""

    def _find_robot(self, name: str) -> SceneRobot | None:
        for base in self.scene.list_bases(EPUCK):
            if base.robot is not None and name in (base.robot.name, base.name):
                return base.robot
        numbered = NUMBERED.fullmatch(name)
        if numbered is None:
            return None
        bases = self.scene.list_bases(EPUCK)
        index = int(numbered[1]) - FIRST_PORT
        return bases[index].robot if 0 <= index < len(bases) else bases[0].robot if bases else None


def _pack(values: NDArray[np.float64]) -> bytes:
    return values.astype("<f4").tobytes()
