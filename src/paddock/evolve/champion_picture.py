"""A picture of the champion at work: its drives in the first of its worlds, as they were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.draw.canvas import FAINT, Canvas
from paddock.draw.world import draw_world
from paddock.evolve.evolution import Evolution
from paddock.evolve.tasks.base import Judgement
from paddock.evolve.tasks.own import OwnJudge
from paddock.evolve.tasks.places import told_with_place
from paddock.rollouts.batch import Batch
from paddock.rollouts.rollout import Rollout
from paddock.worlds.build import build

if TYPE_CHECKING:
    from PIL.Image import Image

MOST = 4  # worlds in the picture
LOOK = 0.1  # simulated seconds between two points of a trail
ALONE, BESIDE = 1000, 700  # width of one world, and of one of two side by side [pixels]
TITLE = 92  # pixels above the worlds


def champion_picture(evolution: Evolution, *, about: str = "") -> Image:
    """Up to four worlds with the champion's trail in each; two of them side by side if there are several."""
    drive, judged, dt = champion_drive(evolution)
    worlds, knows = evolution.task.worlds, not isinstance(evolution.task.judge, OwnJudge)
    shown = min(MOST, len(worlds))
    columns, width = (1, ALONE) if shown == 1 else (2, BESIDE)
    told = [f"solved in {round(judged.solved.sum())} of {len(worlds)} worlds"] if knows and len(worlds) > 1 else []
    told += [f"these are the first {shown}"] if len(worlds) > shown else []
    told += [f"the first of {evolution.task.trials} trials"] if evolution.task.trials > 1 else []
    panels = []
    for i in range(shown):
        verdict = ("solved, " if judged.solved[i] else "not solved, ") if knows else ""
        panels.append(
            draw_world(
                worlds[i],
                poses=drive.poses[i],
                trails={worlds[i].robots[0].name: trail(drive, i)},
                rays=False,
                about=f"{verdict}fitness {judged.fitness[i]:.4g}, {drive.ticks[i] * dt:.4g} s",
                size=width,
            )
        )
    rows = [panels[first : first + columns] for first in range(0, shown, columns)]
    heights = [max(panel.height for panel in row) for row in rows]
    title = Canvas(columns * width, TITLE + sum(heights))
    title.text((62, 36), f"Champion: {evolution.task.name}", 30)
    line = " · ".join([*told, about])
    title.text((62, 70), line, title.fitting(line, 16, title.width - 92), color=FAINT)
    picture = title.finished()
    for number, row in enumerate(rows):
        for column, panel in enumerate(row):
            picture.paste(panel, (column * width, TITLE + sum(heights[:number])))
    return picture


def trail(drive: Rollout, world: int) -> list[tuple[float, float]]:
    """Where the robot of a world has been [m], to its last place."""
    points = drive.trace[world, :, 0, :2]
    points = np.vstack([points[np.isfinite(points[:, 0])], drive.poses[world, 0, :2]])
    return [(float(x), float(y)) for x, y in points]


def champion_drive(evolution: Evolution) -> tuple[Rollout, Judgement, float]:
    """The champion's first trial in all its worlds, how it was judged, and the length of a tick [s]."""
    task, config = evolution.task, evolution.config
    scenes = [build(world) for world in task.worlds]
    seeds = [config.seed + i for i in range(len(scenes))]
    means: dict[str, Any] = {"device": evolution.judge.device, "precision": config.precision, "starts": task.starts}
    batch = Batch(scenes, len(scenes), seed=seeds, threads=1, **means)

    def drive(every: float | None) -> Rollout:
        batch.reset()
        return batch.run(task.seconds, evolution.champion, metrics=task.metrics, every=every)

    with told_with_place(config.task):
        judged = task.judge(drive(task.trace_every))
    return drive(max(LOOK, batch.dt)), judged, batch.dt
