"""Charts of an evolution from plain arrays: the learning curve, and the map of elites."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.errors import PaddockError
from paddock.report.chart_style import TEXT, new_axes, style_axes
from paddock.report.charts import Level, Series, line_chart
from paddock.report.drawing.colours import BEST, FAINT, LINES, WORST

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("number", "mean", "best", "champion")
BLUE, GREEN, AMBER = LINES[0], LINES[2], LINES[4]


def learning_curve(
    history: Mapping[str, ArrayLike],
    *,
    solved_in: int | None = None,
    title: str = "Learning curve",
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw fitness over generations: of the champion so far, of each generation's best, and the mean.

    The champion is the fittest individual among those that solved the most worlds, so its fitness may decrease.

    Args:
        history: columns by name, as in `history.csv`: number, mean, best and champion.
        solved_in: the first generation whose champion solves the task; drawn as a vertical line.
        title: title of the chart.
        about: subtitle.
        ax: axes to draw into; None: a new figure.
    """
    for name in COLUMNS:
        if name not in history:
            raise PaddockError(f"learning curve: no column {name!r}: expected {', '.join(COLUMNS)}")
    number, mean, best, champion = (np.asarray(history[name], float) for name in COLUMNS)
    if not np.array_equal(champion, np.maximum.accumulate(best)):
        about = " · ".join(filter(None, (about, "champion: most worlds solved, then fittest")))
    lines = [Series("mean", AMBER, number, mean), Series("champion so far", GREEN, number, champion, 2.0)]
    if not np.array_equal(best, champion):  # with elites and the same noise, both lines are equal
        lines.insert(1, Series("best of the generation", BLUE, number, best, 1.0))
    marks = [] if solved_in is None else [Level(f"solved in generation {solved_in}", FAINT, float(solved_in), True)]
    ax = line_chart(title, lines, x_name="generation", y_name="fitness", about=about, marks=marks, ax=ax)
    ax.locator_params(axis="x", integer=True)
    return ax


def elites_map(
    fitness: ArrayLike,
    *,
    x_name: str,
    y_name: str,
    x_range: tuple[float, float] = (0.0, 1.0),
    y_range: tuple[float, float] = (0.0, 1.0),
    title: str = "Elites",
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the fitness of the elite in every cell, with a colour bar. Cells without an elite stay empty.

    Args:
        fitness: shape (row, column): rows along y from the lowest, columns along x; NaN for cells without an elite.
        x_name: name of the measure along x.
        y_name: name of the measure along y.
        x_range: limits of the first measure.
        y_range: limits of the second measure.
        title: title of the chart.
        about: subtitle.
        ax: axes to draw into; None: a new figure.
    """
    from matplotlib.colors import LinearSegmentedColormap

    cells = np.asarray(fitness, float)
    if cells.ndim != 2:
        raise PaddockError(f"elites map: expected fitness of shape (row, column), got {cells.shape}")
    ax = ax if ax is not None else new_axes(height=6.4)
    colors = LinearSegmentedColormap.from_list("paddock", [WORST, BEST])
    known = cells[np.isfinite(cells)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    edges = [np.linspace(*ends, count + 1) for ends, count in zip((x_range, y_range), cells.shape[::-1], strict=True)]
    shades: Any = {"cmap": colors, "vmin": low, "vmax": high if high > low else low + 1e-9 * max(1.0, abs(low))}
    mesh = ax.pcolormesh(*edges, np.ma.masked_invalid(cells), edgecolors="face", linewidth=0.2, **shades)
    figure: Any = ax.figure
    bar = figure.colorbar(mesh, ax=ax, pad=0.02)
    bar.set_label("fitness", fontsize=TEXT)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=TEXT)
    if high <= low:
        bar.set_ticks([low], labels=[f"{low:.4g}"])
    found = f"{len(known)} of {cells.size} cells filled"
    style_axes(ax, title=title, about=" · ".join(filter(None, (about, found))), x_name=x_name, y_name=y_name)
    ax.set_aspect("auto")
    return ax
