"""`paddock evolve`: evolve a controller, show how it goes, keep the best."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from paddock.cli.tables import new_table
from paddock.core.errors import PaddockError
from paddock.evolve.config import Config
from paddock.evolve.evolution import Evolution, Generation
from paddock.evolve.results import CHAMPION
from paddock.evolve.study import Study, evolve, go_on

INTERRUPTED = 130  # as shells expect it after Ctrl-C


def run_evolution(
    task: str,
    given: Mapping[str, Any],
    *,
    out: Path | None,
    resume: bool,
    test: int,
    threads: int | None,
    device: str,
    workers: str,
    json_line: bool,
) -> None:
    """Evolve and report; `given` are the settings that the user wrote."""
    aside = Console(stderr=True)
    if resume and out is None:
        raise PaddockError("--resume: expected the folder of an evolution, --out DIR")
    settings = {"task": task, **given}
    config = Config.from_table(settings)
    with Progress(
        TextColumn(f"[bold]{escape(task)}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("generations  {task.fields[best]}"),
        TimeElapsedColumn(),
        console=aside,
        transient=True,
        disable=not aside.is_terminal,
    ) as bar:
        progress = bar.add_task("", total=None, best="")

        def watch(evolution: Evolution, now: Generation) -> None:
            told = f"best [cyan]{now.champion:.4g}[/]  mean {now.mean:.4g}"
            if now.solved:
                told += "  [green]solved[/]" if now.solved >= 1 else f"  solved {now.solved:.0%}"
            bar.update(progress, completed=now.number, total=evolution.config.generations, best=told)

        how: dict[str, Any] = {"test": test, "threads": threads, "device": device, "workers": workers, "watch": watch}
        if resume and out is not None:
            generations = settings.pop("generations", None)
            study = go_on(out, generations=generations, expected=settings, **how)
        else:
            study = evolve(config, out=out, **how)
    if json_line:
        typer.echo(json.dumps(study.summary))
    else:
        _print(Console(), study, out)
    if study.interrupted:
        kept = any(path.name == CHAMPION for path in study.written)
        aside.print("stopped early; the best so far is kept" if kept else "stopped early", style="yellow")
        sys.exit(INTERRUPTED)


def _print(console: Console, study: Study, out: Path | None) -> None:
    summary = study.summary
    table = new_table(f"{summary['task']}: what evolved", "", "", right=())
    for name, value in summary.items():
        table.add_row(name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value))
    console.print(table)
    if out is not None:
        console.print(f"wrote {out}: {', '.join(path.name for path in study.written)}", soft_wrap=True)
        if out / CHAMPION in study.written:
            watch = f"Watch it:  paddock run {out / 'world.toml'} --policy {out / CHAMPION}"
            console.print(watch, style="dim", soft_wrap=True)
