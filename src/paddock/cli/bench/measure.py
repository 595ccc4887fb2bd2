"""The benchmarks by name; measurement and printing of their rates."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

from paddock.cli.bench.local import BENCHES as IN_PROCESS
from paddock.cli.bench.local import Bench, record, why_no_gpu
from paddock.cli.bench.mapping import BENCHES as MAPPING
from paddock.cli.bench.page import page_200, page_1000, why_no_browser
from paddock.cli.bench.remote import remote, remote_many
from paddock.cli.bench.vector import vector
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.jit import stopwatch_on_compiler
from paddock.core.terminal.console import Console, new_table, print_json

IN_BROWSER = {"page-200": page_200, "page-1000": page_1000}
REMOTE = {"remote": remote, "remote-many": remote_many}
BENCHES = {**IN_PROCESS, "vector": vector, **MAPPING, "record": record, **REMOTE, **IN_BROWSER}


def run_benches(names: list[str], *, rounds: int, json_lines: bool) -> None:
    """Run the named benchmarks, or all that can run here, and print their results, also after Ctrl-C."""
    for name in names:
        if name not in BENCHES:
            raise UnknownName("benchmark", name, BENCHES)
    progress = Console(stderr=True)
    missing = {} if names else {**dict.fromkeys(IN_BROWSER, why_no_browser()), "batch-gpu": why_no_gpu()}
    results: list[dict[str, Any]] = []
    try:
        for name in names or BENCHES:
            try:
                if problem := missing.get(name):
                    raise PaddockError(problem)
                with progress.status(f"measuring {name} …"):
                    results.append(measure(name, rounds))
            except PaddockError as error:  # such as a missing package
                if names:
                    raise
                progress.print(f"left out: {name} ({error})", style="yellow", markup=False, soft_wrap=True)
            else:
                if json_lines:
                    print_json(results[-1])
    finally:
        if results and not json_lines:
            print_results(results)


def print_results(results: list[dict[str, Any]]) -> None:
    """Print a table of rates, further figures, and what was measured."""
    numbers = ("robots", "per second", "per CPU second", "× real time", "compile [s]")
    table = new_table("Robot-steps per second", "bench", *numbers, right=numbers)
    for result in results:
        if "frames_per_s" not in result:
            table.add_row(
                result["bench"],
                f"{result['robots']:,}",
                f"{result['robot_steps_per_s']:,.0f}",
                f"{result['robot_steps_per_cpu_s']:,.0f}",
                f"{result['real_time_factor']:,.0f}",
                f"{result['compile_s']:.1f}",
            )
    console = Console()
    if table.row_count:
        console.print(table)
    for result in results:
        for line in format_results(result["bench"], result):
            console.print(line)
    for result in results:
        console.print(f"[bold]{result['bench']}[/]: {BENCHES[result['bench']].__doc__}", style="dim")


def format_results(name: str, result: dict[str, Any]) -> Iterator[str]:
    """Yield sentences about further figures of a benchmark."""
    if "frames_per_s" in result:
        yield f"{name}: {result['frames_per_s']:.1f} frames per second"
    if "within_tick" in result:
        yield f"{name}: {100 * result['within_tick']:.2f} % of the observations arrived within one tick"
    if "ping_pong_per_s" in result:
        yield (
            f"{name}: a cycle takes as long as {result['ping_pongs_per_cycle']:.1f} round trips of 100 bytes "
            f"between two processes ({result['ping_pong_per_s']:,.0f} per second, measured alternately)"
        )
    if "times_sync_vector" in result:
        yield (
            f"{name}: {result['times_sync_vector']:.0f} × SyncVectorEnv and {result['times_async_vector']:.0f} × "
            "AsyncVectorEnv of the same environment, measured alternately"
        )
    if "cost_ratio" in result:
        ratio, baseline = result["cost_ratio"], result["baseline"]
        yield f"a tick of {name} costs {ratio:.2f} × a tick of {baseline}, measured alternately"


def measure(name: str, rounds: int) -> dict[str, Any]:
    """Return the median rates of one benchmark; compilation and set-up are timed separately."""
    started = time.perf_counter()
    with stopwatch_on_compiler() as compile_s:
        bench = BENCHES[name]()
        baseline = None if bench.baseline is None else BENCHES[bench.baseline]()
        for scene in (bench, baseline):
            if scene is not None:
                scene.work(max(1, scene.steps // 20))  # compiles, and warms the caches
    set_up = time.perf_counter() - started - compile_s[0]
    wall, cpu, ratios = [], [], []
    try:
        for _ in range(rounds):
            bench.between()
            seconds, cpu_seconds = time_bench(bench)
            wall.append(seconds)
            cpu.append(cpu_seconds)
            if baseline is not None:
                ratios.append((cpu_seconds / bench.steps) / (time_bench(baseline)[1] / baseline.steps))
    finally:
        bench.close()
    steps = bench.steps * bench.robots
    rates = {
        "robot_steps_per_s": round(steps / statistics.median(wall), 1),
        "robot_steps_per_cpu_s": round(steps / statistics.median(cpu), 1),
        "real_time_factor": round(bench.steps * bench.dt / statistics.median(wall), 2),
    }
    return {
        "bench": name,
        "robots": bench.robots,
        **({} if name in IN_BROWSER else rates),  # in the browser, a step is a frame
        "set_up_s": round(set_up, 3),
        "compile_s": round(compile_s[0], 3),
        **({"cost_ratio": round(statistics.median(ratios), 2), "baseline": bench.baseline} if ratios else {}),
        **bench.measure_more(),
    }


def time_bench(bench: Bench) -> tuple[float, float]:
    """Return the wall and CPU time of one measurement [s]."""
    wall, cpu = time.perf_counter(), time.process_time()
    bench.work(bench.steps)
    return time.perf_counter() - wall, time.process_time() - cpu
