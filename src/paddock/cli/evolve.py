"""`paddock study evolve`: evolve a controller, show the progress, save the best."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import paddock
from paddock.arena.metrics import Goal
from paddock.cli.run_world import keep_recording
from paddock.core.errors import PaddockError
from paddock.core.terminal.console import Console, cell, new_table, print_json
from paddock.core.terminal.ending import INTERRUPTED, end_on_sigterm
from paddock.core.terminal.output_files import print_written
from paddock.core.terminal_text import shell_word
from paddock.learning.evolve.evolution import Evolution, Generation
from paddock.learning.evolve.evolution_study import Study, Watch, evolve, resume
from paddock.learning.evolve.folder import CHAMPION, EvolutionExists
from paddock.learning.evolve.options import EvolutionConfig, Execution
from paddock.learning.evolve.tasks.evolution_task import EvolutionTask
from paddock.learning.evolve.tasks.evolution_task_registry import TASKS
from paddock.learning.evolve.tasks.user_fitness import reports_solved
from paddock.simulation.worlds.world_spec import GOALS

# Labels of summary figures whose names are not clear enough.
MEANINGS = {
    "best_fitness": "fitness of the champion (most worlds solved, then fittest)",
    "seconds": "longest run [s]",
    "solved_share": "share of worlds solved",
    "wall_s": "wall time [s]",
    "compile_s": "compilation time [s]",
    "cpu_s": "CPU time [s]",
}
QUIET = 5.0  # wall time between two lines without a progress bar [s]


def run_evolution(
    given: Mapping[str, Any],
    execution: Execution,
    *,
    out: Path | None,
    record: Path | None = None,
    resuming: bool,
    json_line: bool,
) -> None:
    """Run an evolution and print the result; `given` contains the config options that the user gave."""
    aside = Console(stderr=True)
    options = dict(given)
    with end_on_sigterm() as ended, show_progress(aside) as progress:

        def watch(evolution: Evolution, now: Generation) -> None:
            if out is None and now.number == 1:
                text = "no files will be written: --out DIR saves the champion, and makes --resume possible"
                aside.print(f"paddock: {text}", style="yellow", highlight=False)
            progress(evolution, now)

        if not resuming:
            if "task" not in options:
                raise PaddockError(f"the task: expected {', '.join(TASKS)} or module:function, and then the options")
            try:
                study = evolve(EvolutionConfig.from_table(options), out=out, execution=execution, watch=watch)
            except EvolutionExists as error:
                command = f"paddock study evolve --resume --out {shell_word(out)}"
                raise PaddockError(f"{error}: {command}") from None
        elif out is None:
            raise PaddockError("--resume: expected the folder of an evolution, --out DIR")
        else:
            generations = options.pop("generations", None)
            study = resume(out, generations=generations, expected=options, execution=execution, watch=watch)
    if resuming and not study.generations and not study.interrupted:
        done = study.summary["generations"]
        but = " but the test" if execution.test else "; a larger number of --generations continues it"
        are = "generation is" if done == 1 else "generations are"
        aside.print(f"{done} {are} already done: nothing to do{but}", style="yellow", highlight=False, soft_wrap=True)
    if record is not None and study.evolution.history:
        record_champion(study.evolution, record)
    if json_line:
        print_json(study.summary)
    else:
        _print_summary(Console(), study, out)
    if study.interrupted:
        saved = any(path.name == CHAMPION for path in study.files)
        aside.print("stopped early; the best so far is saved" if saved else "stopped early", style="yellow")
        sys.exit(ended[0] if ended else INTERRUPTED)


def record_champion(evolution: Evolution, path: Path) -> None:
    """Record a run of the champion in the first world."""
    task, champion = evolution.task, evolution.champion
    with paddock.open(task.worlds[0], seed=evolution.config.seed) as arena, keep_recording(arena, path, err=True):
        robot = next(iter(arena.robots.values()))
        robot.enable(*champion.devices)
        arena.run(task.seconds, {robot.name: champion.copy()}, metrics=task.metrics)


@contextmanager
def show_progress(aside: Console) -> Iterator[Watch]:
    """Show a progress bar on a terminal, else print a line every few seconds."""
    if not aside.is_terminal:
        lines = ProgressLines(lambda text: typer.echo(text, err=True))
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
            best = f"champion [cyan]{now.champion:.4g}[/]  mean {now.mean:.4g}"
            if now.solved:
                best += "  [green]solved[/]" if now.solved >= 1 else f"  solved {now.solved:.0%}"
            config = evolution.config
            bar.update(progress, completed=now.number, total=config.generations, name=escape(config.task), best=best)

        yield watch


class ProgressLines:
    """Prints a line for the first generation, for the last one, and every few seconds in between."""

    def __init__(self, print_line: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.print_line, self.clock = print_line, clock
        self._printed: float | None = None  # time of the last line
        self._pending = ""

    def __call__(self, evolution: Evolution, now: Generation) -> None:
        """Print the line of a generation if it is due; called after each generation."""
        config = evolution.config
        self._pending = (
            f"{config.task}: generation {now.number} of {config.generations}: champion {now.champion:.4g}, "
            f"mean {now.mean:.4g}"
        )
        if reports_solved(evolution.task):
            self._pending += f", solved {now.solved:.0%}"
        if self._printed is None or self.clock() - self._printed >= QUIET:
            self.end()

    def end(self) -> None:
        """Print the pending line, if any."""
        if self._pending:
            self.print_line(self._pending)
            self._printed, self._pending = self.clock(), ""


def _print_summary(console: Console, study: Study, out: Path | None) -> None:
    summary = study.summary
    table = new_table(f"{summary['task']}: result", "figure", "value")
    for name, value in summary.items():
        if (
            value is not None
        ):  # such as the generation that solved the task, if none did or if the task does not report it
            meaning = MEANINGS.get(name, name.replace("_", " "))
            if name == "best_fitness" and not reports_solved(study.evolution.task):
                meaning = "fitness of the champion"
            table.add_row(cell(meaning), cell(format_figure(value)))
    console.print(table)
    if out is not None:
        print_written(out, f": {_list_files(study)}")
        if out / CHAMPION in study.files:
            watch = (
                f"Watch it:  paddock run {shell_word(out / 'world.toml')} --policy {shell_word(out / CHAMPION)} "
                f"--seed {summary['seed']} --seconds {summary['seconds']:g}"
            )
            if has_goal(study.evolution.task):
                watch += " --referee maze-race"  # ends the run at the goal and prints the time
            console.print(watch, style="dim", soft_wrap=True, markup=False)


def has_goal(task: EvolutionTask) -> bool:
    """Whether a task measures the time to a goal that its first world contains."""
    goals = any(start.name in GOALS for start in task.worlds[0].starts)
    return goals and any(isinstance(metric, Goal) for metric in task.metrics)


def format_figure(value: Any) -> str:
    """Format a value of the summary for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _list_files(study: Study) -> str:
    """Return the names of the files; of three or more worlds only the first and the last."""
    names = [path.name for path in study.files]
    worlds = len(study.evolution.task.worlds)
    others, own = names[:-worlds], names[-worlds:]
    return ", ".join([*others, *(own if worlds < 3 else [f"{own[0]} … {own[-1]}"])])
