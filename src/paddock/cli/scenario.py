"""`paddock run --scenario`: the runs of a scenario, their results and their folders."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from paddock.cli.pages import show_page
from paddock.cli.tables import new_table
from paddock.report import RunLog
from paddock.scenarios import load_scenario, new_log, prepare, run_all, write_outputs
from paddock.scenarios.prepare import Prepared
from paddock.scenarios.runner import Run


def run_scenario_file(
    name: str,
    *,
    seed: int | None,
    speed: float | None,
    out: Path | None,
    report: bool,
    headless: bool,
    port: int | None = None,
) -> bool:
    """Run a scenario with its own seeds, or with one given; whether every task of every run was done."""
    console = Console()
    spec = load_scenario(name)
    if seed is not None:
        spec = replace(spec, seeds=(seed,), repetitions=1)
    if report and "report" not in spec.outputs.files:
        spec = replace(spec, outputs=replace(spec.outputs, files=(*spec.outputs.files, "report")))
    plan, logs = prepare(spec), []

    def log_of(plan: Prepared) -> RunLog | None:
        logs.append(new_log(plan))
        return logs[-1]

    complete = True
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=headless or not console.is_terminal,
    ) as progress:
        status = progress.add_task("", total=None)

        def on_tick(run: Run) -> None:
            progress.update(status, description=f"{run.now:7.1f} s simulated")

        shown = nullcontext if headless else partial(show_page, console=console, speed=speed, port=port)
        for result in run_all(spec, log_of=log_of, on_tick=on_tick, shown=shown):
            complete = complete and result.complete
            table = new_table(
                f"{result.scenario}, seed {result.seed}: {result.seconds:g} s, {result.distance:.2f} m, "
                f"contact {result.contact_seconds:.1f} s; ended: {result.ended}",
                *("task", "from [s]", "to [s]", "done", "why it ended"),
                right=("from [s]", "to [s]"),
            )
            for task in result.tasks:
                table.add_row(
                    task.name, f"{task.began:.2f}", f"{task.ended:.2f}", "yes" if task.done else "no", task.why
                )
            console.print(table)
            if out is not None:
                written = write_outputs(plan, result, logs[-1], out)
                console.print(f"wrote {written[0].parent} ({len(written)} files)")
    return complete
