"""A finder of other robots: Player's fiducial interface."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.player.devices import RobotDevice, flat_pose, measure_body
from paddock.bridges.player.wire import PlayerInterface
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.argument_checks import all_finite
from paddock.core.errors import Refused
from paddock.core.geometry import relative
from paddock.simulation.engine.model import ITEM_RADIUS, ITEM_TOP, ITEM_X0, ITEM_Y1

LONGEST = 8.0  # maximum range [m], as in Stage
NO_POSE = (0.0,) * 6
Floats = NDArray[np.float64]


class FiducialDevice(RobotDevice):
    """Finds other robots that are not hidden by a wall, with the number and the relative pose of each."""

    interface = PlayerInterface.FIDUCIAL

    def __init__(self, robot: ArenaRobot, numbers: dict[str, int]) -> None:
        """
        Args:
            robot: the robot that carries the finder.
            numbers: numbers of robots by name; default: the position in the world's list of robots, counted from 1.
        """
        super().__init__(robot)
        self.numbers = numbers
        self.view = (0.0, LONGEST, math.tau)  # minimum and maximum range [m], angle [rad]
        self.requests |= {
            1: self._pack_geometry,
            2: lambda data: layout.FIELD_OF_VIEW.pack(*self.view),
            3: self._set_view,
            7: self._pack_number,
            8: self._set_number,
        }

    def publish(self) -> Iterator[tuple[int, bytes]]:
        shortest, longest, angle = self.view
        here, items = self.robot.pose, self.robot.arena.model.items
        items = items[items[:, ITEM_TOP] > self.robot.spec.body.height / 2]
        found = []
        for other in self.robot.world.list_robots():
            step = relative(here, other.pose)
            seen = shortest <= math.hypot(step.x, step.y) <= longest and abs(math.atan2(step.y, step.x)) <= angle / 2
            if other is not self.robot and seen and not is_hidden(items, here[:2], other.pose[:2]):
                found.append((self._get_number(other), *flat_pose(*step), *NO_POSE))
        yield 1, layout.FIDUCIALS.pack(found)

    def _get_number(self, robot: ArenaRobot) -> int:
        return self.numbers.get(robot.name, robot.arena.numbers[robot.name] + 1)

    def _pack_geometry(self, data: bytes) -> bytes:
        pose, size = measure_body(self.robot)
        return layout.FIDUCIAL_GEOMETRY.pack(pose, size, size[:2])

    def _set_view(self, data: bytes) -> bytes:
        view = layout.FIELD_OF_VIEW.unpack(data)
        if not all_finite(*view) or not 0 <= view[0] <= view[1] or view[2] < 0:
            raise Refused(f"expected 0 <= shortest <= longest range and an angle >= 0, got {view}")
        self.view = view[0], view[1], view[2]
        return layout.FIELD_OF_VIEW.pack(*self.view)

    def _pack_number(self, data: bytes) -> bytes:
        return layout.NUMBER.pack(self._get_number(self.robot))

    def _set_number(self, data: bytes) -> bytes:
        (number,) = layout.NUMBER.unpack(data)
        if number >= 1 << 31:
            raise Refused("expected a number from 0 to 2147483647")
        self.numbers[self.robot.name] = number
        return layout.NUMBER.pack(number)


def is_hidden(items: Floats, start: tuple[float, ...], end: tuple[float, ...]) -> bool:
    """Return whether an obstacle lies on the straight line between two points.

    Args:
        items: walls and obstacles in the format of `Model.items`.
        start, end: x, y [m].
    """
    from_, way = np.array(start), np.subtract(end, start)
    first, second = items[:, ITEM_X0 : ITEM_X0 + 2], items[:, ITEM_X0 + 2 : ITEM_Y1 + 1]
    radius, off = items[:, ITEM_RADIUS], first - from_
    along = second - first
    crossing = way[0] * along[:, 1] - way[1] * along[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        on_way = (off[:, 0] * along[:, 1] - off[:, 1] * along[:, 0]) / crossing
        on_side = (off[:, 0] * way[1] - off[:, 1] * way[0]) / crossing
    sides = (radius == 0) & (on_way >= 0) & (on_way <= 1) & (on_side >= 0) & (on_side <= 1)
    nearest = np.clip((off @ way) / max(float(way @ way), 1e-300), 0.0, 1.0)
    gaps = off - nearest[:, None] * way
    return bool(np.any(sides | (np.hypot(gaps[:, 0], gaps[:, 1]) < radius)))
