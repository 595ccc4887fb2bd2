"""The line that lives while robots drive: the time, how fast it passes, and how they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from paddock.core.outside import visible

PERIOD = 0.1  # wall seconds between two updates

Show = Callable[[float, Callable[[], str]], None]  # (seconds of the robots' time, what tells how they are)


@contextmanager
def status_line(console: Console, seconds: float, *, hidden: bool = False) -> Iterator[Show]:
    """A status line while the block runs; call what it gives as often as you like."""
    with Progress(
        TextColumn("[bold]{task.fields[clock]}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[status]}", markup=False),
        console=console,
        transient=True,
        disable=hidden or not console.is_terminal,
    ) as progress:
        task = progress.add_task("", total=seconds, clock="", status="")
        started, last = time.perf_counter(), 0.0

        def show(passed: float, status: Callable[[], str]) -> None:
            nonlocal last
            now = time.perf_counter()
            if progress.disable or now - last <= PERIOD:
                return
            last, factor = now, passed / (now - started)
            clock = f"{passed:6.1f} s  {factor:5.0f}×" if factor >= 10 else f"{passed:6.1f} s  {factor:5.1f}×"
            progress.update(task, completed=passed, clock=clock, status=visible(status()))

        yield show
