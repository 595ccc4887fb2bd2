"""`paddock nodes up`: run modules with a live table of their state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from paddock.cli.nodes_results import check_out, keep_results
from paddock.control.navigation.explorer import FINISHED
from paddock.core.errors import PaddockError
from paddock.core.terminal.console import Console
from paddock.core.terminal.ending import INTERRUPTED, end_on_sigterm
from paddock.core.terminal.tables import print_json
from paddock.core.terminal_text import visible
from paddock.network.nodes import HealthMonitor, ModuleHealth, ModulesSpec, ModuleThreads, Supervisor

PERIOD = 0.25  # update period of the table [s]
WIDE = 110  # minimum terminal width for a status column next to the numbers
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
