"""Charts of an evolution: how it learned, and what every kind of behaviour is worth."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from paddock.evolve.evolution import Evolution, Generation
from paddock.evolve.strategies.map_elites import MapElites
from paddock.evolve.tasks.base import EvolutionTask
from paddock.report.evolution_charts import elites_map, learning_curve
from paddock.report.figures import save_figure


def save_learning_curve(evolution: Evolution, path: Path, *, about: str = "") -> None:
    """Fitness over generations: of the champion, of each generation's best, and the mean."""
    names = [field.name for field in fields(Generation)]
    columns = {name: np.array([getattr(generation, name) for generation in evolution.history]) for name in names}
    title = f"Learning curve: {evolution.task.name}"
    save_figure(learning_curve(columns, solved_in=evolution.solved_in, title=title, about=about), path)


def save_elites_map(strategy: MapElites, task: EvolutionTask, path: Path, *, about: str = "") -> None:
    """The fitness of the elite of every kind of behaviour, empty where there is none."""
    x_name, y_name = task.behaviours
    title = f"Elites: {task.name}"
    save_figure(elites_map(strategy.fitness_grid(), x_name=x_name, y_name=y_name, title=title, about=about), path)
