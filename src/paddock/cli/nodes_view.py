"""`paddock nodes up` and `bench`: a live table of modules, the files of their results, their speed."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

import paddock
from paddock.control.navigation.exploration import FINISHED
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.provenance import collect, read_inputs, write_provenance
from paddock.core.terminal.console import Console, new_table, print_json
from paddock.core.terminal.ending import INTERRUPTED, end_on_sigterm
from paddock.core.terminal.output_files import print_written
from paddock.core.terminal_text import visible
from paddock.network.nodes import HealthMonitor, ModuleHealth, ModulesSpec, ModuleThreads, Supervisor
from paddock.network.nodes.health import EDGES, LatencyHistogram
from paddock.network.nodes.measure import ModuleTimes, measure_both
from paddock.network.nodes.remote_map import MapListener
from paddock.perception.mapping import MapTruth, MapView, save_map
from paddock.perception.mapping.logs import Trajectory, write_tum
from paddock.report import fresh_folder
from paddock.report.map_results import MAP, MapResult, find_truth, write_map

PERIOD = 0.25  # update period of the table [s]
WIDE = 110  # minimum terminal width for a status column next to the numbers
BAR = 50  # characters of the longest bar
QUICK = 20.0  # latency limit from a measurement to the motor [ms]
COLOURS = {"running": "green", "silent": "yellow", "gone": "red", "ended": "dim"}
COLUMNS = {
    "module": 11, "state": 7, "restarts": 8, "rounds": 6, "/s": 5, "lost": 4, "p50 ms": 6, "p99 ms": 6, "cpu s": 5
}  # fmt: skip


def run_modules(
    config: str, spec: ModulesSpec, *, only: str | None, together: bool, out: Path | None, json_lines: bool
) -> None:
    """Run modules and show their state; with `out`, write the map, pictures and the trajectory into a folder."""
    check_out(spec, out)
    with end_on_sigterm() as ended:
        if together:
            if only is not None or json_lines:
                raise PaddockError("--together runs all modules and prints lines of text: leave --only and --json out")
            interrupted = run_threads(config, spec, out)
        else:
            interrupted = run_processes(config, spec, only, out, json_lines)
    if interrupted:
        raise typer.Exit(ended[0] if ended else INTERRUPTED)


def run_processes(config: str, spec: ModulesSpec, only: str | None, out: Path | None, json_lines: bool) -> bool:
    """Run modules as processes with a live table; return whether Ctrl-C ended the run."""
    console, interrupted, failure = Console(), False, ""
    chosen = None if only is None else [name.strip() for name in only.split(",")]
    with (
        Supervisor(spec, config, only=chosen) as supervisor,
        keep_results(spec, supervisor.bus.url, config, out),
    ):
        if not json_lines:
            console.print(f"the bus is {supervisor.spec.bus}", highlight=False, soft_wrap=True)
        try:
            try:
                with Live(console=console, refresh_per_second=4, transient=json_lines) as live:
                    while supervisor.update(PERIOD) and not is_explored(supervisor.health_monitor):
                        live.update(make_table(supervisor.health_monitor, console.width))
                    live.update(make_table(supervisor.health_monitor, console.width))
            finally:
                if not (console.is_terminal or json_lines):
                    console.line()  # without a terminal, the table does not end its last line
            if is_explored(supervisor.health_monitor):
                supervisor.stop()
                console.print(FINISHED, style="green")
            else:
                failure = supervisor.describe_failure()
        except KeyboardInterrupt:
            supervisor.stop()  # stop the robot before the map is written
            console.print("stopped early", style="yellow")
            interrupted = True
    if json_lines:
        for row in supervisor.health_monitor.modules.values():
            print_json(describe(row))
    elif len(latencies := supervisor.health_monitor["MOTOR"].latencies) and not spec.lock_step:
        share, slow = latencies.share_within(QUICK), latencies.describe(0.99)
        console.print(
            f"measurement to motor, {len(latencies)} cycles: 99 % within {slow} ms, {share:.1%} within {QUICK:g} ms"
        )
    if failure:
        raise PaddockError(failure)
    return interrupted


def is_explored(monitor: HealthMonitor) -> bool:
    """Return whether the planner has finished exploring."""
    report = monitor["PLANNER"].report
    return report is not None and report.status.startswith(FINISHED)


def run_threads(config: str, spec: ModulesSpec, out: Path | None) -> bool:
    """Run modules as threads of this process; return whether Ctrl-C ended the run."""
    interrupted, threads = False, ModuleThreads(spec)
    with keep_results(spec, threads.spec.bus, config, out), threads:  # a short run may be over soon after its start
        planner = threads.modules.get("planner")
        clock = "as fast as possible" if spec.lock_step else "in real time"
        typer.echo(
            f"{', '.join(threads.modules)} run for {spec.seconds:g} simulated seconds, {clock}; Ctrl-C stops them"
        )
        try:
            threads.wait(lambda: planner is not None and planner.status().startswith(FINISHED))
        except KeyboardInterrupt:
            threads.stop()
            Console().print("stopped early", style="yellow")
            interrupted = True
    for name, module in threads.modules.items():
        typer.echo(f"{name:12} {module.health.rounds:6} rounds  {module.status()}")
    return interrupted


def describe(row: ModuleHealth) -> dict[str, Any]:
    """Return a module's row as JSON values."""
    report = row.report
    return {
        "module": row.name,
        "state": row.state,
        "restarts": row.restarts,
        "crash": row.crash,
        "rounds": report.rounds if report else 0,
        "lost": report.lost if report else 0,
        "dropped": report.dropped if report else 0,
        "cpu": report.cpu if report else 0.0,
        "latencies": row.latencies.counts if len(row.latencies) else [],
        "status": report.status if report else "",
    }


def make_table(monitor: HealthMonitor, width: int) -> Group:
    """Return a table of all modules for a terminal width; on narrow terminals, statuses are below the table."""
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    for title, letters in COLUMNS.items():
        side = "left" if title in ("module", "state") else "right"
        table.add_column(title, justify=side, min_width=letters, no_wrap=True)  # type: ignore[arg-type]
    wide, below = width >= WIDE, list[Text]()
    if wide:
        table.add_column("status")
    for row in monitor.modules.values():
        report = row.report
        if report is None and not row.present and not row.restarts:
            continue
        numbers = [""] * 6
        if report is not None:
            delays = [row.latencies.describe(share) for share in (0.5, 0.99)]
            numbers = [str(report.rounds), f"{row.rate:.1f}", str(report.lost), *delays, f"{report.cpu:.1f}"]
        state = Text(row.state, style=COLOURS[row.state])
        status = visible(report.status) if report else ""
        says = Text(
            f"crashed: {row.crash}" if row.crash and row.state != "running" else status,
            overflow="ellipsis",
            no_wrap=True,
        )
        table.add_row(row.name.lower(), state, str(row.restarts), *numbers, *([says] if wide else []))
        if says and not wide:
            below.append(Text(f"{row.name.lower()}: {says}"))
    refusal = Text(f"refused: {visible(monitor.refusal)}" if monitor.refusal else "", style="yellow")
    return Group(table, *below, refusal)


def check_out(spec: ModulesSpec, out: Path | None) -> None:
    """Raise an error if a folder is given, but no module builds a map."""
    if out is not None and "MAPPER" not in spec.names:
        raise PaddockError(f"--out {out}: these modules build no map: add a module named mapper")


@contextmanager
def keep_results(spec: ModulesSpec, url: str, config: str, out: Path | None) -> Iterator[None]:
    """Write the newest map and the trajectory into a folder while the block runs, and all results after it."""
    if out is None:
        yield
        return
    folder = fresh_folder(out, Path(config).stem)
    write_provenance(folder, "nodes", collect(seed=spec.seed), read_inputs([config]))  # even if the run fails later
    with MapListener(url, lambda heard: keep_map(heard, folder)) as listener:
        yield
    if listener.grid is None or not listener.poses:
        typer.echo(f"{folder} is empty: the mapper has sent no map", err=True)
        return
    keep_map(listener, folder)
    title, truth, start = find_world(spec)
    write_map(
        MapResult(
            grid=listener.grid,
            view=MapView.of(listener.grid),
            path=listener.poses,
            growth=listener.growth,
            title=title,
            ended=listener.doing,
            truth=truth,
            alignment=start,
        ),
        folder,
    )
    print_written(folder)


def keep_map(listener: MapListener, folder: Path) -> None:
    """Write the current map and trajectory."""
    assert listener.grid is not None
    save_map(listener.grid, folder / MAP)
    write_tum(Trajectory(listener.times, listener.poses), folder / "trajectory.tum")


def find_world(spec: ModulesSpec) -> tuple[str, MapTruth | None, Pose | None]:
    """Return title, ground truth and start pose of the world; only a title for a world on another server."""
    if spec.url is not None:
        return f"world of {spec.robot_name}", None, None
    with paddock.open(spec.place(spec.world), seed=spec.seed) as arena:
        start = arena[spec.robot_name].pose
        title = arena.world.title or arena.world.name
        return title, find_truth(arena.world, spec.robot_spec, start), start


def run_bench(config: str, spec: ModulesSpec, *, json_lines: bool) -> None:
    """Run modules in lock-step and with a free-running clock, and print their speed."""
    console = Console(stderr=True)
    with console.status(f"two runs of {spec.seconds:g} simulated seconds …"):
        stepped, free = measure_both(spec, config)
    if json_lines:
        for name, times in (("lock-step", stepped), ("free", free)):
            print_json({"run": name, **describe_times(times)})
        return
    columns = ("lock-step [ms]", "free [ms]")
    table = new_table("Processor time per simulated second", "module", *columns, right=columns)
    for name in stepped.cpu:
        table.add_row(name.lower(), f"{1000 * stepped.cpu[name]:.1f}", f"{1000 * free.cpu.get(name, math.nan):.1f}")
    Console().print(table)
    typer.echo(f"load {stepped.load:.1f} and {free.load:.1f} on {os.cpu_count()} cores")
    typer.echo(f"lock-step: {stepped.simulated:.0f} s in {stepped.wall:.1f} s, {stepped.speed:.1f} × real time;")
    typer.echo(f"by processor time, one module after the other: {stepped.critical_speed:.1f} × real time")
    quick, slow = free.latencies.share_within(QUICK), free.latencies.describe(0.99)
    typer.echo(f"measurement to motor, {len(free.latencies)} cycles: 99 % within {slow} ms, {quick:.1%} within 20 ms")
    typer.echo(draw_histogram(free.latencies))
    typer.echo(f"free run: {free.escapes}")


def describe_times(times: ModuleTimes) -> dict[str, object]:
    """Return the figures as JSON values."""
    return {
        "load": times.load,
        "simulated": times.simulated,
        "wall": times.wall,
        "speed": times.speed,
        "critical_speed": times.critical_speed,
        "cpu": times.cpu,
        "latencies": times.latencies.counts,
        "says": times.escapes,
    }


def draw_histogram(latencies: LatencyHistogram) -> str:
    """Return a histogram with a line for each class of latencies."""
    counts, ends = latencies.counts, [f"≤ {edge:g} ms" for edge in EDGES] + [f"> {EDGES[-1]:g} ms"]
    used = [k for k, count in enumerate(counts) if count]
    most = max(counts, default=0)
    return "\n".join(
        f"{ends[k]:>10} {counts[k]:6} {'█' * math.ceil(BAR * counts[k] / most) if counts[k] else ''}"
        for k in (range(used[0], used[-1] + 1) if used else ())
    )
