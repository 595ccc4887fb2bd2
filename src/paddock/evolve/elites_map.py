"""The archive of MAP-Elites: as a file, and as a picture of what every kind of behaviour is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paddock.core.npz import write_npz
from paddock.evolve.strategies.elites import MapElites
from paddock.evolve.tasks.base import Task
from paddock.report.evolution_charts import elites_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = "paddock elites 1"


def save_elites(strategy: MapElites, path: Path) -> None:
    """Weights (elites, size), fitness (elites) and behaviour (elites, 2) as `.npz`, which needs no pickle."""
    known = strategy.known
    arrays = {
        "weights": strategy.elites[known],
        "fitness": strategy.worth[known],
        "behaviour": strategy.manners[known],
    }
    write_npz(path, {"format": FORMAT}, arrays)


def draw_elites(strategy: MapElites, task: Task, about: str = "") -> Axes:
    """The grid of kinds of behaviour with the fitness of each elite."""
    fitness = np.full(len(strategy.worth), np.nan)
    fitness[strategy.known] = strategy.worth[strategy.known]
    x_name, y_name = task.behaviours
    cells = fitness.reshape(-1, strategy.cells)
    return elites_map(cells, x_name=x_name, y_name=y_name, title=f"Elites: {task.name}", about=about)
