"""One picture of all scenes: a row for each scene, a column for each avoidance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from paddock.core.geometry import Point, Pose
from paddock.experiments.ecoli.walk.avoidance_table import AVOIDANCES, SCENES, SceneJob, build_scene, drive_scene
from paddock.report.drawing.colours import INK
from paddock.report.drawing.draw_world import draw_world
from paddock.simulation.worlds.world_spec import Floor, Stroke

if TYPE_CHECKING:
    from PIL.Image import Image

SIZE = 480  # pixels of a panel's width
ARM = 0.05  # of a cross that marks a goal; longer than a robot's radius, so that it is visible below a robot [m]


def draw_scenes(
    seed: int = 3, *, scenes: Sequence[str] = tuple(SCENES), avoidances: Sequence[str] = AVOIDANCES, size: int = SIZE
) -> Image:
    """Drive every scene with every avoidance, and draw the paths."""
    from PIL import Image

    rows = [[draw_scene(scene, avoidance, seed, size) for avoidance in avoidances] for scene in scenes]
    heights = [max(panel.height for panel in row) for row in rows]
    sheet = Image.new("RGB", (size * len(avoidances), sum(heights)), rows[0][0].getpixel((2, 2)))
    for j, row in enumerate(rows):
        for i, panel in enumerate(row):
            sheet.paste(panel, (i * size, sum(heights[:j])))
    return sheet


def draw_scene(scene: str, avoidance: str, seed: int, size: int) -> Image:
    """Draw one panel: the paths of all robots, their final poses, and crosses at their goals."""
    run = drive_scene(SceneJob(scene=scene, avoidance=avoidance, seed=seed, keep_traces=True))
    how = f"arrived after {run.seconds:.0f} s" if run.arrived else f"not arrived after {run.seconds:.0f} s"
    drawn = build_scene(scene, seed)
    colors = {robot.name: robot.color or INK for robot in drawn.world.robots}
    marks = tuple(_mark(goal, colors[robot]) for robot, goal in drawn.goals.items())
    return draw_world(
        replace(drawn.world, title=f"{scene}: {avoidance}, {how}", floor=Floor(strokes=marks)),
        poses=[Pose(*trace.pose[-1].tolist()) for trace in run.traces],
        trails={trace.robot: trace.path() for trace in run.traces},
        directions=True,
        rays=False,
        size=size,
    )


def _mark(goal: Point, color: str) -> Stroke:
    """Return a cross on the floor."""
    x, y = goal
    arms = [(x + dx * ARM, y + dy * ARM) for dx, dy in ((-1, -1), (1, 1), (0, 0), (-1, 1), (1, -1))]
    return Stroke(points=tuple(arms), width=0.008, color=color)
