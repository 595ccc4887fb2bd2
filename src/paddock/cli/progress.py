"""Progress bar of runs, on terminals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from paddock.cli.console import Console


@contextmanager
def show_runs(console: Console, name: str, *, of: str = "runs") -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar while the block runs; call the yielded function with the finished and the total number."""
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
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
