"""The report's section about the walk: the results of all populations, and the role of methylation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.experiments.ecoli.reaction_networks.reaction_spec import Floats
from paddock.experiments.ecoli.walk.population import NETWORK, Population, find_centre
from paddock.experiments.ecoli.walk.walks import NOSES, WORLDS, WalkStatistics
from paddock.experiments.reproductions.rows import mean_and_spread
from paddock.report import Series, line_chart
from paddock.report.chart_style import TEXT, new_axes, style_axes
from paddock.report.document import Figure, Heading, Paragraph, Part
from paddock.report.drawing.colours import BEST, WORST, line_color
from paddock.report.tables import Table
from paddock.simulation.worlds import load_world

if TYPE_CHECKING:
    from matplotlib.axes import Axes


RINGS, EVEN = 24, 400
NOSE = (
    "The nose of the shipped robot is 3.5 cm in front of its wheels. It has a higher reading if the robot points up "
    "the gradient. This alone makes runs up slightly longer, also for walkers that cannot adapt. A cell, whose runs "
    "are many times its length, does not have this effect. Therefore all experiments were repeated with the nose "
    "between the wheels. The walk then still climbs the gradient, but less. Without methylation it does not climb, and "
    "with an inverted sensor it descends."
)
TEAMS = (
    "Receptors of the cell switch in teams of about six (Tu, Shimizu and Berg 2008; Shimizu et al. 2010). The network "
    "ecoli-chemotaxis-n6 models this and is the default of the walk. The network with teams of three, "
    "ecoli-chemotaxis, is half as sensitive. With the nose between the wheels it climbs as well, but less than the "
    "claims require."
)
RUNS = (
    "In the claims, the mean run up is the time of running up divided by the number of tumbles while running up, "
    "counted tick by tick. The mean run down is computed in the same way. The table shows two other methods. By the "
    "readings of the nose at the end and at the beginning of a run, a long run across the peak of the food counts as "
    "down. By the first 0.1 s of a run, shorter runs are left out. Both methods also omit runs that a wall interrupts. "
    "These are the long outward runs, so even walkers without a sensor seem to run longer inwards."
)
METHYLATION = (
    "Methylation is the cell's memory. If it is held, the tumble rate depends on the position only. This changes how "
    "fast walkers spread, but does not bias them (Schnitzer 1993): at the same concentration they tumble as often "
    "while running down as while running up. Nevertheless they do not spread evenly in the dishes above. Where the "
    "concentration is below the one they are adapted to, they tumble permanently, and a tumble takes time. The network "
    "has a lag, so that they tumble according to an earlier position. Here both effects are eliminated. The input is "
    "0.95 + 0.05 of the reading, so that no network is saturated. Only running time counts. The nose is ahead of the "
    "wheels by the lag times the speed. The remaining bias is that of memory: it is present with methylation and "
    "absent without it. The last two rows have other nose positions: behind that point the lag repels walkers, ahead "
    "of it the nose attracts them."
)


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
    places = population.positions
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
        away = np.hypot(population.positions[..., 0] - centre[0], population.positions[..., 1] - centre[1])
        lines.append(Series(name, line_color(i), population.times, away.mean(axis=0)))
    return line_chart("Mean distance from the food", lines, x_name="time [s]", y_name="distance [m]", about=about)


def describe_walks(walks: WalkStatistics) -> Iterator[Part]:
    """Iterate over tables and figures of all walkers."""
    yield Heading("The walk")
    for text in (NOSE, TEAMS, RUNS):
        yield Paragraph(text)
    yield tabulate_walks(walks)
    for world in WORLDS:
        for nose, where in NOSES.items():
            centre = find_centre(load_world(world).fields[0])
            chosen = {
                dish.walker: found[0]
                for dish, found in walks.populations.items()
                if (dish.world, dish.nose, dish.network) == (world, nose, NETWORK)
            }
            about, name = f"{world}, nose {where}", f"{world}-{nose}"
            chart = density_chart(chosen["normal"], centre, about=about)
            yield Figure(f"density-{name}", f"{about}: density of walkers", chart)
            chart = distance_chart(chosen, centre, about=about)
            yield Figure(f"distance-{name}", f"{about}: mean distance from the food", chart)
    yield Heading("The walk without methylation")
    yield Paragraph(METHYLATION)
    yield walks.methylation.table


def tabulate_walks(walks: WalkStatistics) -> Table:
    """Tabulate every kind of population relative to the unbiased one, over all seeds."""
    heads = (
        "world", "walker", "nose", "network", "concentration over unbiased", "distance over unbiased", "run up [s]",
        "run down [s]", "up over down, by ends", "by the first 0.1 s", "tick by tick", "largest p",
    )  # fmt: skip
    rows = []
    for dish in walks.populations:
        found = walks.compare(dish)
        columns = (
            [it.gain for it in found],
            [it.approach for it in found],
            [it.run_up for it in found],
            [it.run_down for it in found],
            [it.run_ratio for it in found],
            [it.begun_run_ratio for it in found],
        )
        results = (mean_and_spread(column, 2) for column in columns)
        runs = mean_and_spread([it.run_ratio for it in walks.runs[dish]], 2) if dish in walks.runs else ""
        rows.append((*dish, *results, runs, f"{max(it.p for it in found):.1e}"))
    return Table(heads, tuple(rows), f"{len(found)} × 100 walkers, each alone in a dish, minutes 5 to 10")
