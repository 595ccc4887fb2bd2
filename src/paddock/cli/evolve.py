"""`paddock evolve`: evolve a controller, show how it goes, keep the best."""

from __future__ import annotations

import json
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from paddock.cli.tables import new_table
from paddock.core.errors import PaddockError
from paddock.evolve.config import Config
from paddock.evolve.evolution import Evolution, FitnessWarning, Generation
from paddock.evolve.results import CHAMPION
from paddock.evolve.study import Study, Watch, evolve, go_on
from paddock.evolve.tasks.registry import TASKS

INTERRUPTED, TERMINATED = 130, 143  # as shells expect it after Ctrl-C, and after SIGTERM
QUIET = 5.0  # wall seconds between two lines where there is no progress bar


def run_evolution(
    task: str | None,
    given: Mapping[str, Any],
    *,
    out: Path | None,
    resume: bool,
    json_line: bool,
    **how: Any,
) -> None:
    """Evolve and report; `given` are the settings that the user wrote, `how` what else `evolve` may be told."""
    aside = Console(stderr=True)
    settings = {**({} if task is None else {"task": task}), **given}
    with ended_by_signal() as ended, told_in_a_line(aside), watching(aside) as watch:
        if not resume:
            if task is None:
                raise PaddockError(f"the task: expected {', '.join(TASKS)} or module:function, and then the options")
            study = evolve(Config.from_table(settings), out=out, watch=watch, **how)
        elif out is None:
            raise PaddockError("--resume: expected the folder of an evolution, --out DIR")
        else:
            generations = settings.pop("generations", None)
            study = go_on(out, generations=generations, expected=settings, watch=watch, **how)
    if resume and not study.generations and not study.interrupted:
        done, but = study.summary["generations"], " but the test" if how["test"] else ""
        are = "generation is" if done == 1 else "generations are"
        aside.print(f"{done} {are} done already: nothing to do{but}", style="yellow", highlight=False)
    if json_line:
        typer.echo(json.dumps(study.summary))
    else:
        _print(Console(), study, out)
    if study.interrupted:
        kept = any(path.name == CHAMPION for path in study.written)
        aside.print("stopped early; the best so far is kept" if kept else "stopped early", style="yellow")
        sys.exit(ended[0] if ended else INTERRUPTED)


@contextmanager
def ended_by_signal() -> Iterator[list[int]]:
    """SIGTERM, with which clusters end a job, counts as Ctrl-C; the list then holds the exit status."""
    ended: list[int] = []

    def end(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is found has to be written now
        ended.append(TERMINATED)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield ended
    except KeyboardInterrupt:  # before the first generation, or after the last
        sys.exit(ended[0] if ended else INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def told_in_a_line(aside: Console) -> Iterator[None]:
    """Warnings about a fitness are for people who know nothing of our files and lines."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if issubclass(category, FitnessWarning):
                aside.print(f"paddock: {message}", style="yellow", soft_wrap=True, markup=False, highlight=False)
            else:
                usual(message, category, *place)

        warnings.showwarning = show  # type: ignore[assignment]
        warnings.simplefilter("always", FitnessWarning)
        yield


@contextmanager
def watching(aside: Console) -> Iterator[Watch]:
    """Shows how it goes: a progress bar on a terminal, else a line now and then."""
    if not aside.is_terminal:
        lines = Lines(lambda text: typer.echo(text, err=True))
        try:
            yield lines
        finally:
            lines.end()
        return
    with Progress(
        TextColumn("[bold]{task.fields[name]}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("generations  {task.fields[best]}"),
        TimeElapsedColumn(),
        console=aside,
        transient=True,
    ) as bar:
        progress = bar.add_task("", total=None, name="", best="")

        def watch(evolution: Evolution, now: Generation) -> None:
            told = f"best [cyan]{now.champion:.4g}[/]  mean {now.mean:.4g}"
            if now.solved:
                told += "  [green]solved[/]" if now.solved >= 1 else f"  solved {now.solved:.0%}"
            config = evolution.config
            bar.update(progress, completed=now.number, total=config.generations, name=escape(config.task), best=told)

        yield watch


class Lines:
    """A line for the first generation, for the last one, and every few seconds between: logs need no more."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.say, self.clock = say, clock
        self._said: float | None = None  # when
        self._unsaid = ""

    def __call__(self, evolution: Evolution, now: Generation) -> None:
        """After each generation."""
        config = evolution.config
        self._unsaid = (
            f"{config.task}: generation {now.number} of {config.generations}: best {now.champion:.4g}, "
            f"mean {now.mean:.4g}, solved {now.solved:.0%}"
        )
        if self._said is None or self.clock() - self._said >= QUIET:
            self.end()

    def end(self) -> None:
        """Say what was not said yet."""
        if self._unsaid:
            self.say(self._unsaid)
            self._said, self._unsaid = self.clock(), ""


def _print(console: Console, study: Study, out: Path | None) -> None:
    summary = study.summary
    table = new_table(f"{summary['task']}: what evolved", "", "", right=())
    for name, value in summary.items():
        table.add_row(name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value))
    console.print(table)
    if out is not None:
        console.print(f"wrote {out}: {listed(study)}", soft_wrap=True)
        if out / CHAMPION in study.written:
            watch = (
                f"Watch it:  paddock run {out / 'world.toml'} --policy {out / CHAMPION} "
                f"--seed {summary['seed']} --seconds {summary['seconds']:g}"
            )
            console.print(watch, style="dim", soft_wrap=True)


def listed(study: Study) -> str:
    """The names of the files; of many worlds only the first and the last, since the rest is as one thinks."""
    names = [path.name for path in study.written]
    worlds = len(study.evolution.task.worlds)
    others, own = names[:-worlds], names[-worlds:]
    return ", ".join([*others, *(own if worlds < 3 else [f"{own[0]} … {own[-1]}"])])
