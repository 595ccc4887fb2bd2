"""Measure the rates of a client and a server in another process, and the CPU time of both sides."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path


def report(name: str, count: int, cycle: Callable[[], object], server: int, *, simulated: float = 0.0) -> None:
    """Time a cycle and print the rate; `simulated` is the simulated time of a cycle [s]."""
    for _ in range(10):
        cycle()
    began, mine, theirs = time.perf_counter(), time.process_time(), measure_cpu(server)
    for _ in range(count):
        cycle()
    took = time.perf_counter() - began
    costs = [seconds / count * 1e6 for seconds in (time.process_time() - mine, measure_cpu(server) - theirs)]
    pace = f", {count * simulated / took:,.0f} × real time" if simulated else ""
    text = f"{name}: {count / took:,.0f} a second{pace}; CPU: client {costs[0]:.0f} µs, server {costs[1]:.0f} µs\n"
    sys.stdout.write(text)


def measure_cpu(process: int) -> float:
    """Return the CPU time of another process [s]; NaN if the system does not report it (only Linux does)."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return float("nan")
    fields = re.sub(r"\(.*\)", "", stat.read_text()).split()
    return (int(fields[12]) + int(fields[13])) / 100
