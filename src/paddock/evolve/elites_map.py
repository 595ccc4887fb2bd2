"""The archive of MAP-Elites: as a file, and as a picture of what every kind of behaviour is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paddock.core.npz import write_npz
from paddock.draw.canvas import blend, tint
from paddock.evolve.strategies.elites import MapElites
from paddock.evolve.tasks.base import Task
from paddock.report.axes import Axes, Key

if TYPE_CHECKING:
    from PIL.Image import Image

FORMAT = "paddock elites 1"
WORST, BEST = "#f3e6c4", "#0b4f6c"
SHADES = 5  # in the key


def save_elites(strategy: MapElites, path: Path) -> None:
    """Weights (elites, size), fitness (elites) and behaviour (elites, 2) as `.npz`, which needs no pickle."""
    known = strategy.known
    arrays = {
        "weights": strategy.elites[known],
        "fitness": strategy.worth[known],
        "behaviour": strategy.manners[known],
    }
    write_npz(path, {"format": FORMAT}, arrays)


def elites_map(strategy: MapElites, task: Task, *, about: str = "", size: int = 1000) -> Image:
    """The grid of kinds of behaviour; the darker, the fitter the elite; empty where there is none."""
    known, cells = strategy.known, strategy.cells
    worth = strategy.worth[known]
    low, high = float(worth.min(initial=np.inf)), float(worth.max(initial=-np.inf))

    def shade(value: float) -> str:
        return blend(WORST, BEST, (value - low) / (high - low) if high > low else 1.0)

    levels = np.linspace(low, high, SHADES) if high > low else worth[:1]
    axes = Axes(
        f"Elites: {task.name}",
        f"{about} · {len(known)} of {len(strategy.worth)} kinds of behaviour found",
        x_name=task.behaviours[0],
        y_name=task.behaviours[1],
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        key=[Key("line", shade(value), f"fitness {value:.3g}") for value in levels.tolist()],
        size=size,
    )
    for cell, value in zip(known.tolist(), worth.tolist(), strict=True):
        row, column = divmod(cell, cells)
        left, bottom = axes.at(column / cells, row / cells)
        right, top = axes.at((column + 1) / cells, (row + 1) / cells)
        axes.canvas.block((left, top, right, bottom), tint(shade(value)))
    return axes.canvas.finished()
