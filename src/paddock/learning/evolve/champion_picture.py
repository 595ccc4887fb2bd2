"""Picture of the champion: its evaluated paths in the first of its worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.arena.batches.batch_result import BatchResult
from paddock.learning.evolve.evolution import Evolution
from paddock.learning.evolve.tasks.evolution_task import Evaluation
from paddock.learning.evolve.tasks.user_errors import reraise_with_location
from paddock.learning.evolve.tasks.user_fitness import reports_solved
from paddock.report.drawing.canvas import Canvas
from paddock.report.drawing.colours import FAINT
from paddock.report.drawing.draw_world import draw_world

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_WORLDS = 4  # worlds in the picture
TRACE_PERIOD = 0.1  # period of the points of a trail [s]
ALONE, BESIDE = 1000, 700  # width of a single world, and of each of two worlds side by side [pixels]
TITLE = 92  # height of the title above the worlds [pixels]


def draw_champion(evolution: Evolution, *, about: str = "") -> Image:
    """Draw up to four worlds with the champion's trail in each, several worlds in two columns."""
    batch_result, evaluation, dt = drive_champion(evolution)
    worlds, knows = evolution.task.worlds, reports_solved(evolution.task)
    shown = min(MAX_WORLDS, len(worlds))
    columns, width = (1, ALONE) if shown == 1 else (2, BESIDE)
    remarks = (
        [f"solved in {round(evaluation.solved.sum())} of {len(worlds)} worlds"] if knows and len(worlds) > 1 else []
    )
    remarks += [f"first {shown} worlds shown"] if len(worlds) > shown else []
    remarks += [f"the first of {evolution.task.trials} trials"] if evolution.task.trials > 1 else []
    panels = []
    for i in range(shown):
        result = ("solved, " if evaluation.solved[i] else "not solved, ") if knows else ""
        panels.append(
            draw_world(
                worlds[i],
                poses=batch_result.poses[i],
                trails={worlds[i].robots[0].name: extract_trail(batch_result, i)},
                rays=False,
                about=f"{result}fitness {evaluation.fitness[i]:.4g}, {batch_result.ticks[i] * dt:.4g} s",
                size=width,
            )
        )
    rows = [panels[first : first + columns] for first in range(0, shown, columns)]
    heights = [max(panel.height for panel in row) for row in rows]
    title = Canvas(columns * width, TITLE + sum(heights))
    title.text((62, 36), f"Champion: {evolution.task.name}", 30)
    line = " · ".join([*remarks, about])
    title.text((62, 70), line, title.fitting(line, 16, title.width - 92), color=FAINT)
    picture = title.to_image()
    for number, row in enumerate(rows):
        for column, panel in enumerate(row):
            picture.paste(panel, (column * width, TITLE + sum(heights[:number])))
    return picture


def extract_trail(batch_result: BatchResult, world: int) -> list[tuple[float, float]]:
    """Return the positions of the robot of a world [m], including the last one."""
    points = batch_result.trace[world, :, 0, :2]
    points = np.vstack([points[np.isfinite(points[:, 0])], batch_result.poses[world, 0, :2]])
    return [(float(x), float(y)) for x, y in points]


def drive_champion(evolution: Evolution) -> tuple[BatchResult, Evaluation, float]:
    """Repeat the champion's first trial in all its worlds; return the batch result, its evaluation and the tick [s]."""
    task, config = evolution.task, evolution.config
    means: dict[str, Any] = {"device": evolution.evaluator.device, "precision": config.precision, "threads": 1}
    batch = task.make_batch(len(task.runs), seed=config.seed, **means)

    def drive(every: float | None) -> BatchResult:
        batch.reset()
        return batch.run(task.seconds, evolution.champion, metrics=task.metrics, every=every)

    with reraise_with_location(config.task):
        evaluation = task.evaluate(drive(task.trace_every))
    return drive(max(TRACE_PERIOD, batch.dt)), evaluation, batch.dt
