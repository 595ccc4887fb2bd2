"""Draw the paths of robots on the map, with direction, start, end and estimated path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paddock.arena.episodes import Trace
from paddock.arena.episodes.trace import Floats
from paddock.core.geometry import Pose
from paddock.report.drawing.canvas import Canvas
from paddock.report.drawing.draw_world import draw_world
from paddock.simulation.worlds.placement import start_pose
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from PIL.Image import Image


def draw_paths(
    traces: Sequence[Trace], world: WorldSpec, *, title: str = "", about: str = "", size: int = 1000
) -> Image:
    """Draw the world with the path of every trace, `size` pixels wide, and the robots at their final poses."""
    z = size / 1000
    ends = {trace.robot: _last_pose(trace) for trace in traces}
    return draw_world(
        replace(world, title=Canvas.shorten(title, 26 * z, 900 * z) or world.title),
        poses=[ends.get(robot.name) or start_pose(world, robot) for robot in world.robots],
        trails={trace.robot: trace.path() for trace in traces},
        estimates={trace.robot: _known_poses(trace.estimated_pose) for trace in traces},
        directions=True,
        rays=False,
        about=about,
        size=size,
    )


def _last_pose(trace: Trace) -> Pose | None:
    known = _known_poses(trace.pose)
    return Pose(*known[-1].tolist()) if len(known) else None


def _known_poses(poses: Floats) -> Floats:
    found: Floats = poses[np.isfinite(poses).all(axis=1)]
    return found
