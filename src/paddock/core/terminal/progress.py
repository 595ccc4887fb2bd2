"""Progress of runs: a bar on terminals, lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from paddock.core.terminal.console import Console

QUIET = 10.0  # time between two lines [s]
WINDOW = 600.0  # the time left is estimated from the runs of this time [s]; single runs may take minutes
ShowRuns = Callable[[int, int], None]
"""Callback with the finished and the total number of runs."""


@contextmanager
def show_runs(console: Console, name: str, *, of: str = "runs") -> Iterator[ShowRuns]:
    """Show a progress bar while the block runs, or, without a terminal, a line every ten seconds."""
    if not console.is_terminal:
        yield print_runs(name, of, lambda text: console.print(text, highlight=False, markup=False, soft_wrap=True))
        return
    with Progress(
        TextColumn(f"[bold]{escape(name)}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn(of),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        speed_estimate_period=WINDOW,
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def print_runs(
    name: str, of: str, print_line: Callable[[str], object], clock: Callable[[], float] = time.monotonic
) -> ShowRuns:
    """Return a callback that prints a line with the time left, but not more often than every ten seconds."""
    started = last = clock()
    known: list[tuple[float, int]] = []  # time and finished runs of the first call; they may be those of an earlier run

    def show(done: int, total: int) -> None:
        nonlocal last
        now = clock()
        if not known:
            known.append((now, done))
        if now - last < QUIET:
            return
        last, (then, before) = now, known[0]
        left = f", about {(now - then) * (total - done) / (done - before):.0f} s left" if before < done < total else ""
        print_line(f"{name}: {done} of {total} {of} in {now - started:.0f} s{left}")

    return show
