"""Figures of a population: density and mean distance of the walkers around the food, over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.experiments.ecoli.reaction_networks.reaction_tables import Floats
from paddock.experiments.ecoli.walk.population import Population
from paddock.report import Series, line_chart
from paddock.report.drawing.colours import BEST, WORST, line_color
from paddock.report.figures import TEXT, new_axes, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RINGS, EVEN = 24, 400


def density_chart(population: Population, centre: tuple[float, float], *, about: str = "") -> Axes:
    """Draw the density of walkers in rings around a point over time, relative to evenly spread walkers."""
    from matplotlib.colors import LinearSegmentedColormap

    ax = new_axes(height=4.6)
    edges, density = find_density(population, centre)
    colors = LinearSegmentedColormap.from_list("paddock", [WORST, BEST])
    times = np.append(population.times, 2 * population.times[-1] - population.times[-2])
    mesh: Any = ax.pcolormesh(times, edges, density.T, cmap=colors, vmin=0.0)
    figure: Any = ax.figure
    bar = figure.colorbar(mesh, ax=ax, pad=0.02)
    bar.set_label("density relative to even spread", fontsize=TEXT)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=TEXT)
    title = "Density of walkers around the food"
    style_axes(ax, title=title, about=about, x_name="time [s]", y_name="distance from the food [m]")
    ax.grid(visible=False)
    return ax


def find_density(population: Population, centre: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the edges of rings around a point [m] and the density in them, shape (rows, rings); 1 is even."""
    places = population.places
    away = np.hypot(places[..., 0] - centre[0], places[..., 1] - centre[1])
    edges = np.linspace(0.0, float(away.max()), RINGS + 1)
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    x, y = (np.linspace(low[k], high[k], EVEN) for k in (0, 1))
    even = np.histogram(np.hypot(x[:, None] - centre[0], y[None] - centre[1]), edges)[0] / EVEN**2
    shares = np.stack([np.histogram(row, edges)[0] for row in away.T]) / len(away)
    return edges, np.asarray(shares / np.where(even > 0, even, np.nan))


def distance_chart(populations: Mapping[str, Population], centre: tuple[float, float], *, about: str = "") -> Axes:
    """Draw the mean distance of populations from a point, over time."""
    lines = []
    for i, (name, population) in enumerate(populations.items()):
        away = np.hypot(population.places[..., 0] - centre[0], population.places[..., 1] - centre[1])
        lines.append(Series(name, line_color(i), population.times, away.mean(axis=0)))
    return line_chart("Mean distance from the food", lines, x_name="time [s]", y_name="distance [m]", about=about)
