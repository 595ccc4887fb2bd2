"""`paddock nodes bench`: speed and latency of modules."""

from __future__ import annotations

import math
import os

import typer

from paddock.core.terminal.console import Console
from paddock.core.terminal.tables import new_table, print_json
from paddock.network.nodes import ModulesSpec
from paddock.network.nodes.health import EDGES, LatencyHistogram
from paddock.network.nodes.measure import ModuleTimes, measure_both

BAR = 50  # characters of the longest bar
QUICK = 20.0  # latency limit from a measurement to the motor [ms]


def run_bench(config: str, spec: ModulesSpec, *, json_lines: bool) -> None:
    """Run modules in lock-step and with a free-running clock, and print their speed."""
    console = Console(stderr=True)
    with console.status(f"two runs of {spec.seconds:g} simulated seconds …"):
        stepped, free = measure_both(spec, config)
    if json_lines:
        for name, times in (("lock-step", stepped), ("free", free)):
            print_json({"run": name, **describe(times)})
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


def describe(times: ModuleTimes) -> dict[str, object]:
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
