"""Charts of an evolution: the learning curve, and the map of elites."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from paddock.learning.evolve.evolution import Evolution, Generation
from paddock.learning.evolve.strategies.map_elites import MapElites
from paddock.learning.evolve.tasks.evolution_task import EvolutionTask
from paddock.report.chart_style import save_figure
from paddock.report.evolution_charts import elites_map, learning_curve


def save_learning_curve(evolution: Evolution, path: Path, *, about: str = "") -> None:
    """Save a chart of the fitness over generations: the champion, each generation's best, and the mean."""
    names = [field.name for field in fields(Generation)]
    columns = {name: np.array([getattr(generation, name) for generation in evolution.history]) for name in names}
    title = f"Learning curve: {evolution.task.name}"
    save_figure(learning_curve(columns, solved_in=evolution.solved_in, title=title, about=about), path)


def save_elites_map(strategy: MapElites, task: EvolutionTask, path: Path, *, about: str = "") -> None:
    """Save a map of the fitness of the elite in each behaviour cell; cells without an elite are empty."""
    x_name, y_name = task.behaviours
    title = f"Elites: {task.name}"
    save_figure(elites_map(strategy.fitness_grid(), x_name=x_name, y_name=y_name, title=title, about=about), path)
