"""How far `paddock ecoli population` is: populations in pieces, and a bar or lines that tell how long they take."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from paddock.experiments.ecoli_walk.population import Population, run_population

PIECES = 25  # of a population
LEAST_WALKERS, MOST_WALKERS = 4, 1000  # of a piece
MOMENT = 0.1  # simulated seconds
QUIET = 5.0  # wall seconds between two lines where there is no progress bar
Show = Callable[[str, int], None]
"""Told the kind of walker and how many more have finished."""


def run_in_pieces(kind: str, world: str, *, walkers: int, seed: int, show: Show, **options: object) -> Population:
    """What `run_population` gives, to the last bit: walkers live in worlds of their own, world i with the seed + i."""
    size = min(max(LEAST_WALKERS, math.ceil(walkers / PIECES)), MOST_WALKERS)
    parts = []
    show(kind, 0)
    for first in range(0, walkers, size):
        count = min(size, walkers - first)
        parts.append(run_population(kind, world, walkers=count, seed=seed + first, **options))  # type: ignore[arg-type]
        show(kind, count)
    return join_populations(parts)


def warm_up(world: str, *, every: float | None, nose: str) -> None:
    """Compile what walkers need, so that estimates are of walking alone."""
    run_population("none", world, walkers=1, seconds=MOMENT, every=every, nose=nose)


def join_populations(parts: Sequence[Population]) -> Population:
    """Populations that lived the same time as one."""
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
def show_walkers(console: Console, total: int) -> Iterator[Show]:
    """A progress bar on a terminal, else a line now and then."""
    if not console.is_terminal:
        yield WalkerLines(total, lambda text: typer.echo(text, err=True))
        return
    columns = (
        TextColumn("[bold]{task.fields[kind]}"), BarColumn(bar_width=30), MofNCompleteColumn(), TextColumn("walkers "),
        TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total, kind="")
        yield lambda kind, count: bar.update(task, advance=count, kind=kind)


class WalkerLines:
    """A line when the first walkers have finished, which tells how long it will take, and every few seconds."""

    def __init__(self, total: int, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.say, self.clock = total, say, clock
        self.done, self._began = 0, clock()
        self._said: float | None = None  # when

    def __call__(self, kind: str, count: int) -> None:
        """After some walkers have finished."""
        self.done += count
        now = self.clock()
        if not self.done or (self._said is not None and now - self._said < QUIET and self.done < self.total):
            return
        self._said = now
        left = (now - self._began) * (self.total / self.done - 1.0)
        rest = f", about {left:.0f} s left" if self.done < self.total else ""
        self.say(f"{kind}: {self.done} of {self.total} walkers in {now - self._began:.0f} s{rest}")
