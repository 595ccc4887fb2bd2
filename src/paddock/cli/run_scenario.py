"""`paddock run --scenario`: run a scenario, print the results and write the folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from rich.progress import Progress, SpinnerColumn, TextColumn

import paddock
from paddock.arena.base_arena import BaseArena
from paddock.arena.episode_plan import OnStep
from paddock.cli.driving import print_traceback
from paddock.cli.pages import offer_to_run_again, show_page
from paddock.cli.run_robot import choose_robot, halt, parse_robot_name
from paddock.core.provenance import collect, read_inputs, write_provenance
from paddock.core.terminal.console import Console, cell, new_table
from paddock.core.terminal.output_files import print_written
from paddock.experiments.scenarios import ScenarioResult, load_scenario, prepare, run_all, run_scenario, write_outputs
from paddock.experiments.scenarios.prepare import PreparedScenario
from paddock.network.server.show import has_screen
from paddock.simulation.worlds.placement import source_files


def run_scenario_file(
    name: str,
    *,
    seed: int | None,
    speed: float | None,
    out: Path | None,
    report: bool,
    headless: bool,
    port: int | None = None,
    robot: str | None = None,
    traceback: bool = False,
) -> bool:
    """Run a scenario with its own seeds, or with a given one; return whether every task of every run was done."""
    console = Console()
    spec = load_scenario(name)
    if seed is not None:
        spec = replace(spec, seeds=(seed,), repetitions=1)
    if report and "report" not in spec.outputs.files:
        spec = replace(spec, outputs=replace(spec.outputs, files=(*spec.outputs.files, "report")))
    plan, runs = prepare(spec), list[ScenarioResult]()
    if speed is None and not headless and robot is None and not has_screen():
        speed = 0.0
        most = f"at most {spec.stop.seconds:g} simulated s for each of {len(spec.run_seeds())} runs"
        console.print(f"no screen found: running as fast as possible, {most} (--speed 1: real time)")
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=headless or not console.is_terminal,
    ) as progress:
        status = progress.add_task("", total=None)

        def on_step(arena: BaseArena) -> None:
            progress.update(status, description=f"{arena.time:7.1f} s simulated")

        def results() -> Iterator[ScenarioResult]:
            if robot is not None:
                with paddock.connect(robot) as arena:
                    yield _run_there(plan, arena, robot, console, on_step)
            elif headless:
                yield from run_all(plan, on_step=on_step)
            else:
                yield from _run_shown(plan, console, speed, port, on_step)

        for result in results():
            runs.append(_without_traces(result))
            _report(console, result)
            if out is not None:
                _write(plan, result, out)
            if result.error is not None:
                print_traceback(result.error, all_files=traceback, message=result.ended)
    if len(runs) > 1:
        _report_all(console, plan, runs)
    return all(run.complete for run in runs)


def _run_shown(
    plan: PreparedScenario, console: Console, speed: float | None, port: int | None, on_step: OnStep
) -> Iterator[ScenarioResult]:
    """Yield the results of all runs, each shown on a page; viewers can repeat the last one."""
    seeds = plan.spec.run_seeds()
    for number, seed in enumerate(seeds, 1):
        with (
            paddock.open(plan.world, seed=seed) as arena,
            show_page(arena, console=console, speed=speed, port=port) as page,
        ):
            again = True
            while again:
                result = run_scenario(plan, seed=arena.seed, arena=arena, on_step=on_step)
                yield result
                ended = number == len(seeds) or result.error is not None
                again = ended and not result.interrupted
                again = again and offer_to_run_again(page, console, result.ended, failed=result.error is not None)
        if ended or result.interrupted:
            return


def _run_there(plan: PreparedScenario, arena: BaseArena, url: str, console: Console, on_step: OnStep) -> ScenarioResult:
    """Run the scenario once with robots that have an address; always stop all of them at the end."""
    names = [member.name for member in plan.robots]
    alone = len(names) == 1 and names[0] not in arena.robots
    chosen = choose_robot(arena, url).name if alone or parse_robot_name(url) is not None else None
    try:
        return run_scenario(plan, seed=plan.spec.run_seeds()[0], arena=arena, robot=chosen, on_step=on_step)
    finally:
        for name in names if chosen is None else [chosen]:
            if name in arena.robots:
                halt(arena[name], console)


def _report(console: Console, result: ScenarioResult) -> None:
    several = len(result.episode.robots) > 1
    texts = f", {result.distance:.2f} m", f", contact {result.contact_time:.2f} s"
    results = "".join(text for text in texts if "nan" not in text)  # a real robot does not know its contacts
    table = new_table(
        f"{result.scenario}, seed {result.seed}: {result.episode.seconds:g} s{results}; ended: {result.ended}",
        *(("robot",) if several else ()),
        *("task", "from [s]", "to [s]", "done", "why it ended"),
        right=("from [s]", "to [s]"),
    )
    for task in result.tasks:
        times = f"{task.began:.2f}", f"{task.ended:.2f}"
        cells = (cell(task.name), *times, "yes" if task.done else "no", cell(task.why))
        table.add_row(*((cell(task.robot), *cells) if several else cells))
    console.print(table)


def _without_traces(result: ScenarioResult) -> ScenarioResult:
    """Return the result without its rows, which would use much memory after many runs."""
    robots = {name: replace(record, trace=record.trace[:0]) for name, record in result.episode.robots.items()}
    return replace(result, episode=replace(result.episode, robots=robots))


def _report_all(console: Console, plan: PreparedScenario, runs: Sequence[ScenarioResult]) -> None:
    """Print a table with a row for every run, and their means."""
    numbers = "time [s]", "distance [m]", "contact [s]"
    complete = sum(run.complete for run in runs)
    title = f"{runs[0].scenario}: all tasks were done in {complete} of {len(runs)} runs"
    table = new_table(title, "seed", "tasks done", *numbers, "ended", right=("seed", "tasks done", *numbers))
    for run in runs:
        done = f"{sum(task.done for task in run.tasks)} of {sum(len(member.tasks) for member in plan.robots)}"
        results = (f"{number:.2f}" for number in (run.seconds, run.distance, run.contact_time))
        table.add_row(str(run.seed), done, *results, cell(run.ended))
    means = (fmean(column) for column in zip(*((r.seconds, r.distance, r.contact_time) for r in runs), strict=True))
    table.add_row("mean", "", *(f"{mean:.2f}" for mean in means), "")
    console.print(table)


def _write(plan: PreparedScenario, result: ScenarioResult, out: Path) -> None:
    written = write_outputs(plan, result, out)
    folder = written[0].parent
    own = Path(plan.spec.folder) / plan.spec.file
    write_provenance(folder, "scenario", collect(seed=result.seed), read_inputs([own, *source_files(result.world)]))
    pages = [path for path in written if path.name == "report.html"]
    page = f"; the report is {pages[0]}" if pages else ""
    print_written(folder, page)
