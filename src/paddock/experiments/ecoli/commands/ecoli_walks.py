"""`paddock ecoli waypoints` and `paddock ecoli population`: way-points for robots, and populations of walkers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from paddock.core.errors import UnknownName
from paddock.core.files import write_text
from paddock.core.terminal.console import Console, new_table, print_json
from paddock.core.terminal.output_files import check_new, print_written
from paddock.core.terminal.progress import show_runs
from paddock.experiments.ecoli.commands.ecoli_networks import figure_paths
from paddock.experiments.ecoli.walk.population import (
    NETWORK,
    WALKERS,
    Comparison,
    Population,
    compare_populations,
    find_centre,
    isolate_walker,
    make_walker,
    run_population,
)
from paddock.experiments.ecoli.walk.waypoints import walk_way_points
from paddock.experiments.ecoli.waypoint_robots import format_waypoints

PIECES = 25  # parts of a population
LEAST_WALKERS, MAX_WALKERS = 4, 1000  # walkers per part
MOMENT = 0.1  # simulated seconds
UNBIASED = "none"
ROWS = 60  # points of a figure over time
COLUMNS = ("conc.", "ratio", "dist. [m]", "ratio ", "p", "up [s]", "down [s]", "up / down")


def write_waypoints(
    world: str, *, output: Path | None, robots: str | None, orders: int, network: str, seed: int, force: bool
) -> None:
    """Simulate the walks, and write or print their way-points."""
    if output is not None:
        check_new(output, force=force)
    isolate_walker(world)  # raises for a world without a chemical field
    names = None if robots is None else list(dict.fromkeys(name.strip() for name in robots.split(",")))
    points = walk_way_points(world, robots=names, orders=orders, seed=seed, network=network)
    text = format_waypoints(points)
    if output is None:
        sys.stdout.write(text)
        return
    write_text(output, text)
    walkers = len({point.robot for point in points})
    print_written(output, f" ({len(points)} way-points of {walkers} robots)")


def compare_walkers(
    world: str,
    *,
    walkers: int,
    seconds: float,
    kinds: str,
    network: str,
    nose: str,
    seed: int,
    folder: Path | None,
    json_lines: bool,
    force: bool,
) -> None:
    """Run populations, and print each next to the one that senses nothing."""
    chosen = [kind for kind in dict.fromkeys(kind.strip() for kind in kinds.split(",")) if kind != UNBIASED]
    for kind in chosen:
        if kind not in WALKERS:
            raise UnknownName("kind of walker", kind, WALKERS)
        make_walker(kind, network=network)  # raises if the network does not suit
    names = ["distance", *(f"density-{kind}" for kind in (UNBIASED, *chosen))]
    paths = {} if folder is None else figure_paths(folder, names, force=force)
    scene = isolate_walker(world, nose=nose)
    every = None if folder is None else max(1.0, seconds / ROWS)
    populations: dict[str, Population] = {}
    warm_up(world, every=every, nose=nose)
    total, done = walkers * (1 + len(chosen)), 0

    def count(finished: int) -> None:
        nonlocal done
        done += finished
        show(done, total)

    with show_runs(Console(stderr=True), "population", of=f"walkers (populations of {walkers})") as show:
        for kind in (UNBIASED, *chosen):
            populations[kind] = run_in_pieces(
                kind, world, network=network, walkers=walkers, seconds=seconds, seed=seed, every=every, nose=nose,
                on_piece=count,
            )  # fmt: skip
    found = {kind: compare_populations(populations[kind], populations[UNBIASED]) for kind in populations}
    print_lines(found, walkers, seconds) if json_lines else print_table(scene.name, found, walkers, seconds)
    if paths:
        write_figures(paths, populations, find_centre(scene.fields[0]), quiet=json_lines)


def print_table(world: str, comparisons: dict[str, Comparison], walkers: int, seconds: float) -> None:
    """Print the populations as a table."""
    title = (
        f"{world}: {walkers} walkers of each kind, second half of {seconds:g} s; ratios to walkers that sense nothing"
    )
    table = new_table(title, "walker", *COLUMNS, right=COLUMNS)
    for kind, it in comparisons.items():
        figures = it.concentration, it.gain, it.distance, it.approach, it.p, it.run_up, it.run_down, it.run_ratio
        forms = "{:.3f}", "{:.2f}", "{:.3f}", "{:.2f}", "{:.0e}", "{:.2f}", "{:.2f}", "{:.2f}"
        table.add_row(kind, *(form.format(figure) for form, figure in zip(forms, figures, strict=True)))
    Console().print(table)


def print_lines(comparisons: dict[str, Comparison], walkers: int, seconds: float) -> None:
    """Print the populations as JSON lines."""
    for kind, it in comparisons.items():
        figures = {
            "walker": kind, "walkers": walkers, "seconds": seconds, "concentration": it.concentration, "gain": it.gain,
            "distance": it.distance, "approach": it.approach, "p": it.p, "run_up": it.run_up,
            "run_down": it.run_down,
        }  # fmt: skip
        print_json(figures)


def write_figures(
    paths: dict[str, Path], populations: dict[str, Population], centre: tuple[float, float], *, quiet: bool
) -> None:
    """Write figures of the populations over time."""
    from paddock.experiments.ecoli.walk.walk_report import density_chart, distance_chart
    from paddock.report import save_figure

    charts = {"distance": distance_chart(populations, centre)}
    for kind, population in populations.items():
        about = f"{len(population.positions):,} walkers: {kind}"
        charts[f"density-{kind}"] = density_chart(population, centre, about=about)
    for name, chart in charts.items():
        save_figure(chart, paths[name])
        if not quiet:
            print_written(paths[name])


def run_in_pieces(
    kind: str,
    world: str,
    *,
    network: str = NETWORK,
    walkers: int,
    seed: int,
    on_piece: Callable[[int], None],
    **options: object,
) -> Population:
    """Return the same as `run_population`, to the last bit: each walker has its own world, world i has seed + i."""
    walker = make_walker(kind, network=network)
    size = min(max(LEAST_WALKERS, math.ceil(walkers / PIECES)), MAX_WALKERS)
    parts = []
    for first in range(0, walkers, size):
        count = min(size, walkers - first)
        parts.append(run_population(walker, world, walkers=count, seed=seed + first, **options))  # type: ignore[arg-type]
        on_piece(count)  # walkers
    return join_populations(parts)


def warm_up(world: str, *, every: float | None, nose: str) -> None:
    """Compile the kernels, so that estimates of the time left do not include compilation."""
    run_population("none", world, walkers=1, seconds=MOMENT, every=every, nose=nose)


def join_populations(parts: Sequence[Population]) -> Population:
    """Join populations with the same simulated time."""
    joined = {}
    for field in fields(Population):
        values = [getattr(part, field.name) for part in parts]
        if field.name == "times":
            joined[field.name] = values[0]
        elif isinstance(values[0], tuple):
            joined[field.name] = type(values[0])(*(np.concatenate(column) for column in zip(*values, strict=True)))
        else:
            joined[field.name] = np.concatenate(values)
    return Population(**joined)
