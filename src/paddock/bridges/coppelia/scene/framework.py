"""Signals of e-pucks in a scene: sensors and speeds of the Vorarlberg framework and of the stock model."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.coppelia.scene.models import EPUCK, FROM_LEFT
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.bridges.coppelia.scene.signals import Signal
from paddock.bridges.coppelia.scene.vision import take_image
from paddock.core.errors import PaddockError

REACH = 0.05  # distance reported if nothing is detected [m]
FASTEST = 2.094  # default speed limit of the wheels of a V-REP e-puck [rad/s]
FIRST_PORT = 20000  # port of the first robot; the framework uses one port for each robot
PREFIXED = re.compile(r"(?P<prefix>.+)_(?P<what>allSens|camera|velocities)")
NUMBERED = re.compile(r"epuck(\d+)", re.IGNORECASE)
FLOOR = re.compile(r"mylightSens_([012])")
STOCK = re.compile(r"EPUCK_(?P<what>\w+?)(?P<suffix>#\d+)?")


def read_ring(robot: ArenaRobot, device: str) -> NDArray[np.float64]:
    """Return eight values in the order of V-REP's e-puck: clockwise from the left side."""
    values = robot.read(device)
    if len(values) != len(FROM_LEFT):
        raise PaddockError(f"robot {robot.name!r} is not an e-puck: its {device} has {len(values)} values")
    return values[list(FROM_LEFT)]


def read_all(robot: ArenaRobot) -> NDArray[np.float64]:
    """Return proximity 8 [m], light 8, ground 3 (0 … 1), accelerometer 3 [m/s²], wheel encoders 2 [rad]."""
    return np.concatenate(
        (
            read_proximity(robot),
            read_ring(robot, "light"),
            robot.read("ground"),
            robot.read("accelerometer"),
            read_encoders(robot),
        )
    )


def read_proximity(robot: ArenaRobot) -> NDArray[np.float64]:
    """Return the distances of the eight proximity sensors [m]; 0.05 if nothing is detected."""
    return np.minimum(read_ring(robot, "proximity"), REACH)


def read_encoders(robot: ArenaRobot) -> NDArray[np.float64]:
    """Return the rotation of the left and right wheel since the start [rad]."""
    return np.array(robot.travel) / (robot.spec.drive.wheel_diameter / 2)


def read_camera(scene: CoppeliaScene, robot: ArenaRobot) -> NDArray[np.float64]:
    """Return red, green, blue (0 … 1) of all pixels, rows from bottom to top."""
    cameras = [part for part in scene.find_base(robot).children if part.part == "camera"]
    if not cameras:
        raise PaddockError(f"robot {robot.name!r} has no camera")
    return take_image(scene, cameras[0]).reshape(-1) / 255.0


READERS: dict[str, Callable[[ArenaRobot], NDArray[np.float64]]] = {
    "allSens": read_all,
    "proxSens": read_proximity,
    "lightSens": lambda robot: read_ring(robot, "light"),
    "groundSens": lambda robot: robot.read("ground"),
}  # values of string signals


def set_velocities(scene: CoppeliaScene, robot: ArenaRobot, left: float, right: float) -> None:
    """Set the velocities of both wheels [rad/s], capped at the limit of the robot's script."""
    if not np.isfinite((left, right)).all():
        raise PaddockError(f"robot {robot.name!r}: expected two finite velocities in rad/s, got {left!r}, {right!r}")
    most = scene.settings.get(("fastest", robot.name), FASTEST)
    radius = robot.spec.drive.wheel_diameter / 2
    robot.set_wheels(*(max(-most, min(most, speed)) * radius for speed in (left, right)))


class EPuckSignals:
    """The signals of a scene's e-pucks.

    `<name>_allSens` and `<name>_camera` provide sensor values; `<name>_velocities` is a command. The name is the name
    of the robot, its legacy name, or `epuck` and a port: 20000 for the first e-puck, 20001 for the second. The stock
    model's float signals `EPUCK_velLeft` and `EPUCK_velRight` and its string signal `EPUCK_LED` (number of an LED from
    1 on, and 0, 1, or 2 to toggle) are commands. `EPUCK_proxSens`, `EPUCK_lightSens`, `EPUCK_groundSens`,
    `EPUCK_allSens` and the float signals `EPUCK_mylightSens_0` … `2` (ground sensors) provide sensor values. Signals
    of copies have a suffix.
    """

    def __init__(self, scene: CoppeliaScene) -> None:
        self.scene = scene

    def read(self, name: str) -> Signal | None:
        """Return the value of a string signal as float32 numbers, or of a float signal."""
        robot, what = self._find(name)
        if robot is None:
            return None
        if what in READERS:
            return READERS[what](robot).astype("<f4").tobytes()
        if what == "camera":
            return read_camera(self.scene, robot).astype("<f4").tobytes()
        number = FLOOR.fullmatch(what)
        return None if number is None else float(robot.read("ground")[int(number[1])])

    def execute(self, name: str, value: Signal) -> None:
        """Drive or switch an LED according to a signal."""
        robot, what = self._find(name)
        if robot is None:
            return
        if what == "LED" and isinstance(value, bytes):
            switch_led(robot, value)
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

    def _find(self, name: str) -> tuple[ArenaRobot | None, str]:
        """Return the robot and the kind of a signal."""
        if (found := STOCK.fullmatch(name)) is not None:
            return self._find_robot(EPUCK.name + (found["suffix"] or "")), found["what"]
        if (found := PREFIXED.fullmatch(name)) is not None:
            return self._find_robot(found["prefix"]), found["what"]
        return None, ""

    def _find_robot(self, name: str) -> ArenaRobot | None:
        for base in self.scene.list_bases(EPUCK):
            if base.robot is not None and name in (base.robot.name, base.name):
                return base.robot
        numbered = NUMBERED.fullmatch(name)
        if numbered is None:
            return None
        bases = self.scene.list_bases(EPUCK)
        index = int(numbered[1]) - FIRST_PORT
        return bases[index].robot if 0 <= index < len(bases) else bases[0].robot if bases else None


def switch_led(robot: ArenaRobot, value: bytes) -> None:
    """Switch an LED. `value` contains two 4-byte integers: its number from 1 on, and 0 off, 1 on or 2 toggle."""
    number, state = np.frombuffer(value, "<i4").tolist() if len(value) == 8 else (0, 0)
    if not (1 <= number <= len(robot.spec.leds) and state in (0, 1, 2)):
        raise PaddockError(f"EPUCK_LED: expected an LED from 1 to {len(robot.spec.leds)} and 0, 1 or 2")
    led = robot.spec.leds[number - 1]
    lit = robot.read_leds()[led] > 0
    robot.set_led(led, float(not lit if state == 2 else state))
