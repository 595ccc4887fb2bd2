"""place_robots: teleport several robots at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paddock.core.errors import SimulationError
from paddock.core.geometry import Pose, wrap
from paddock.simulation.engine import state as column

if TYPE_CHECKING:
    from paddock.arena.arena import Arena


def place_robots(arena: Arena, poses: Mapping[str, Pose]) -> None:
    """Teleport robots and stop them. If the target pose of one of them is not free, none is moved."""
    with arena.turn:
        room = arena.room(without=poses)
        for name, pose in poses.items():
            spec = arena.built.robots[arena.numbers[name]]
            if problem := room.problem(spec, pose):
                raise SimulationError(f"robot {name!r} cannot be moved to ({pose.x:g}, {pose.y:g}): it {problem}")
            room.add(spec, pose, f"robot {name!r}")
        for name, pose in poses.items():
            past = arena.state.motion[0, :, arena.numbers[name]]
            for columns in (slice(column.X, column.HEADING + 1), slice(column.ESTIMATE_X, column.ESTIMATE_HEADING + 1)):
                past[:, columns] = pose.x, pose.y, wrap(pose.heading)
            past[:, column.FORWARD : column.ACCELERATION + 1] = 0.0
            past[:, [column.LEFT_SPEED, column.RIGHT_SPEED, column.CONTACTS]] = 0.0
        arena.index()
        arena.on_change()
        for name, pose in poses.items():
            arena.note_event("teleport", name, f"moved by hand to ({pose.x:.3f}, {pose.y:.3f})")
