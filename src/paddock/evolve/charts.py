"""Charts of an evolution: how it learned, and what every kind of behaviour is worth."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from paddock.core.files import save_image
from paddock.draw.canvas import blend, tint
from paddock.evolve.evolution import Evolution
from paddock.evolve.strategies.map_elites import MapElites
from paddock.evolve.tasks.base import EvolutionTask
from paddock.report.axes import Axes, Key
from paddock.report.charts import Series, line_chart


def save_learning_curve(evolution: Evolution, path: Path, *, about: str = "") -> None:
    """Fitness over generations: of the champion, of each generation's best, and the mean."""
    number = np.array([now.number for now in evolution.history], float)
    lines = [
        Series("mean", "#e6a117", number, np.array([now.mean for now in evolution.history])),
        Series("champion so far", "#2f9e6e", number, np.array([now.champion for now in evolution.history]), 2.6),
    ]
    title = f"Learning curve: {evolution.task.name}"
    save_image(line_chart(title, lines, x_name="generation", y_name="fitness", about=about, size=1000), path)


def save_elites_map(strategy: MapElites, task: EvolutionTask, path: Path, *, about: str = "") -> None:
    """The fitness of the elite of every kind of behaviour, empty where there is none."""
    grid, cells = strategy.fitness_grid(), strategy.cells
    low, high = float(np.nanmin(grid)), float(np.nanmax(grid))

    def shade(value: float) -> str:
        return blend("#f3e6c4", "#0b4f6c", (value - low) / (high - low) if high > low else 1.0)

    x_name, y_name = task.behaviours
    key = [Key("line", shade(value), f"fitness {value:.3g}") for value in np.linspace(low, high, 5).tolist()]
    axes = Axes(
        f"Elites: {task.name}",
        about,
        x_name=x_name,
        y_name=y_name,
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        key=key,
        size=1000,
    )
    for row, column in np.argwhere(np.isfinite(grid)).tolist():
        left, bottom = axes.at(column / cells, row / cells)
        right, top = axes.at((column + 1) / cells, (row + 1) / cells)
        axes.canvas.block((left, top, right, bottom), tint(shade(float(grid[row, column]))))
    save_image(axes.canvas.finished(), path)
