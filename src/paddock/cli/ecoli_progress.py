"""Progress of `paddock ecoli population`: populations in parts, and a progress bar or lines with the time left."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields

import numpy as np
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from paddock.cli.console import Console
from paddock.experiments.ecoli_walk.population import Population, run_population

PIECES = 25  # parts of a population
LEAST_WALKERS, MAX_WALKERS = 4, 1000  # walkers per part
MOMENT = 0.1  # simulated seconds
QUIET = 5.0  # wall time between two lines without a progress bar [s]
Show = Callable[[str, int], None]
"""Callback with the kind of walker and the number of newly finished walkers."""


def run_in_pieces(kind: str, world: str, *, walkers: int, seed: int, show: Show, **options: object) -> Population:
    """Return the same as `run_population`, to the last bit: each walker has its own world, world i has seed + i."""
    size = min(max(LEAST_WALKERS, math.ceil(walkers / PIECES)), MAX_WALKERS)
    parts = []
    show(kind, 0)
    for first in range(0, walkers, size):
        count = min(size, walkers - first)
        parts.append(run_population(kind, world, walkers=count, seed=seed + first, **options))  # type: ignore[arg-type]
        show(kind, count)
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


@contextmanager
def show_walkers(console: Console, walkers: int, populations: int) -> Iterator[Show]:
    """Show a progress bar on a terminal, else print a line every few seconds."""
    if not console.is_terminal:
        yield WalkerLines(walkers, populations, lambda text: typer.echo(text, err=True))
        return
    columns = (
        TextColumn("[bold]{task.fields[kind]}"), BarColumn(bar_width=30), MofNCompleteColumn(),
        TextColumn(f"walkers ({populations} populations of {walkers}) "),
        TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=walkers * populations, kind="")
        yield lambda kind, count: bar.update(task, advance=count, kind=kind)


class WalkerLines:
    """Prints a line with the time left when the first walkers have finished, and then every few seconds."""

    def __init__(
        self,
        walkers: int,
        populations: int,
        print_line: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total, self.print_line, self.clock = walkers * populations, print_line, clock
        self._of = f"{self.total} walkers ({populations} populations of {walkers})"
        self.done, self._began = 0, clock()
        self._printed_at: float | None = None  # time of the last line

    def __call__(self, kind: str, count: int) -> None:
        """Count finished walkers, and print a line if it is due."""
        self.done += count
        now = self.clock()
        if not self.done or (
            self._printed_at is not None and now - self._printed_at < QUIET and self.done < self.total
        ):
            return
        self._printed_at = now
        left = (now - self._began) * (self.total / self.done - 1.0)
        rest = f", about {left:.0f} s left" if self.done < self.total else ""
        self.print_line(f"{kind}: {self.done} of {self._of} in {now - self._began:.0f} s{rest}")
