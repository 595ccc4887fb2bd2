"""`paddock bench`: rates of this machine, as a table or as JSON lines."""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

from rich.console import Console

from paddock.cli.benches import BENCHES, Bench
from paddock.cli.tables import new_table
from paddock.core.errors import UnknownName
from paddock.core.jit import stopwatch_on_compiler


def run_benches(names: list[str], *, rounds: int, json_lines: bool) -> None:
    """Measure the named benchmarks, or all."""
    for name in names:
        if name not in BENCHES:
            raise UnknownName("benchmark", name, BENCHES)
    progress = Console(stderr=True)
    compared: dict[str, float] = {}
    numbers = ("robots", "per second", "per CPU second", "× real time", "compile [s]")
    table = new_table("Robot-steps per second", "bench", *numbers, right=numbers)
    for name in names or BENCHES:
        with progress.status(f"measuring {name} …"):
            result = measure(name, rounds)
        if "cost_ratio" in result:
            compared[name] = result["cost_ratio"]
        if json_lines:
            sys.stdout.write(json.dumps(result) + "\n")
            sys.stdout.flush()
        table.add_row(
            name,
            f"{result['robots']:,}",
            f"{result['robot_steps_per_s']:,.0f}",
            f"{result['robot_steps_per_cpu_s']:,.0f}",
            f"{result['real_time_factor']:,.0f}",
            f"{result['compile_s']:.1f}",
        )
    if not json_lines:
        console = Console()
        console.print(table)
        for name, ratio in compared.items():
            console.print(f"a tick of {name} costs {ratio:.1f} × a tick of its smaller sibling")
        for name in names or BENCHES:
            console.print(f"[bold]{name}[/]: {BENCHES[name].__doc__}", style="dim")


def measure(name: str, rounds: int) -> dict[str, Any]:
    """The median rates of one benchmark; compilation and set-up are timed apart."""
    started = time.perf_counter()
    with stopwatch_on_compiler() as compile_s:
        bench = BENCHES[name]()
        bench.work(max(1, bench.steps // 20))  # compiles, and warms the caches
    set_up = time.perf_counter() - started - compile_s[0]
    wall, cpu, ratios = [], [], []
    for _ in range(rounds):
        seconds, cpu_seconds = timed(bench)
        wall.append(seconds)
        cpu.append(cpu_seconds)
        if bench.beside is not None:
            ratios.append((cpu_seconds / bench.steps) / (timed(bench.beside)[1] / bench.beside.steps))
    steps = bench.steps * bench.robots
    return {
        "bench": name,
        "robots": bench.robots,
        "robot_steps_per_s": round(steps / statistics.median(wall), 1),
        "robot_steps_per_cpu_s": round(steps / statistics.median(cpu), 1),
        "real_time_factor": round(bench.steps * bench.dt / statistics.median(wall), 2),
        "set_up_s": round(set_up, 3),
        "compile_s": round(compile_s[0], 3),
        **({"cost_ratio": round(statistics.median(ratios), 2)} if ratios else {}),
    }


def timed(bench: Bench) -> tuple[float, float]:
    """Wall and CPU seconds of one measurement."""
    wall, cpu = time.perf_counter(), time.process_time()
    bench.work(bench.steps)
    return time.perf_counter() - wall, time.process_time() - cpu
