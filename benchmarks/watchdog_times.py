"""How long a robot continues to drive after its program was killed, crashed or hung, for every link.

    python benchmarks/watchdog_times.py [--times 5]

Robots are emulators in this process, or robots of a world with the APIs of other simulators, in real time. Programs are
separate processes. A robot counts as stopped when its simulated wheels have stopped, which is checked every
millisecond. The tick of the world adds up to 20 ms.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from bridges.common.drivers import (
    SIMULATORS,
    WIRES,
    DrivingPrograms,
    drive_in_simulators,
    drive_on_lawn,
    find_watchdogs,
)
from paddock.arena import Arena

SIGNALS = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGSEGV", "SIGSTOP")
Lawn = tuple[Arena, dict[str, str]]
LONGEST = 5.0  # [s] timeout, after which a robot counts as never stopping
WATCHED = "robot.enable(list(robot.devices)[0]); robot.watch(0.05); robot.wheels.set(0.05, 0.06)"


def wait_until(arena: Arena, name: str, *, stands: bool) -> float:
    """Return the seconds until a robot stops, or drives."""
    began = time.monotonic()
    while (name not in arena.robots or arena[name].wheels.speeds == (0.0, 0.0)) != stands:
        if time.monotonic() - began > LONGEST:
            return float("inf")
        time.sleep(0.001)
    return time.monotonic() - began


def measure(arena: Arena, name: str, url: str, programs: DrivingPrograms, how: str) -> float:
    """Return how long a robot continues to drive [s]."""
    hung = how == "hung, a thread reads"
    process = programs.start(url, *((WATCHED, "signal.pause()") if hung else ()))
    wait_until(arena, name, stands=False)
    if not hung:
        os.kill(process, signal.Signals[how])
    seconds = wait_until(arena, name, stands=True)
    os.kill(process, signal.SIGKILL)
    while find_watchdogs(process):  # the watchdog still uses the line for a moment
        time.sleep(0.01)
    return seconds


def print_times(names: Sequence[str], drive: Callable[[], AbstractContextManager[Lawn]], times: int) -> None:
    """Print a table with a column for each link."""
    print(f"{'[ms], longest of ' + str(times):24}" + "".join(f"{name:>16}" for name in names))
    with drive() as (arena, urls), DrivingPrograms() as programs:
        for how in (*SIGNALS, "hung, a thread reads"):
            longest = [max(measure(arena, name, urls[name], programs, how) for _ in range(times)) for name in names]
            print(f"{how:24}" + "".join(f"{1000 * seconds:16.0f}" for seconds in longest), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    print_times(WIRES, drive_on_lawn, times)
    print_times(SIMULATORS, drive_in_simulators, times)


if __name__ == "__main__":
    main()
