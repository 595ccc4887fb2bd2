"""Soak test: run a server at full speed with many clients for a long simulated time, and check its memory for growth.

    python benchmarks/soak.py                                  # an hour of simulated time, 10 clients
    python benchmarks/soak.py --seconds 60 --clients 3 --stride 10

Prints a JSON line per sample of the server's memory, and a last one with the verdict; the exit status is 0 if the
memory is flat. Every client spawns a robot, drives it in lock-step, reads its sensors, watches it, and from time to
time removes it and spawns another one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import paddock
from paddock.testing import PaddockProcess

WARM_UP = 0.25  # share of the run in which caches fill and the allocator grows
MAX_GROWTH = 4.0e6  # bytes over the rest of the run; a leak of 100 bytes per step would be 18 MB in an hour

CLIENT = """
import sys
import paddock
url, number, ticks, stride = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
arena = paddock.connect(url, name=f"client-{number}", timeout=60)
name = f"robot-{number}"
def fetch():
    robot = arena.spawn(name, "e-puck")
    robot.enable("proximity", "ground")
    robot.on_sense(lambda seen: None)
    robot.watch(1.0)
    return robot
robot = fetch()
steps = 0
while arena.tick < ticks:
    near = robot.sense().proximity < 0.03
    robot.wheels.set(*((0.08, -0.06) if near[:4].any() else (-0.06, 0.08) if near.any() else (0.1, 0.09)))
    arena.step(min(stride, ticks - arena.tick))
    steps += 1
    if steps % 500 == 40 * number + 17:
        arena.remove(name)
        robot = fetch()
print(steps, flush=True)
"""


def measure_memory(pid: int) -> int:
    """Return the resident memory of a process [bytes]."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def soak(
    seconds: float = 3600.0, clients: int = 10, stride: int = 5, samples: int = 60, world: str = "empty"
) -> dict[str, Any]:
    """Run the soak test and return the verdict."""
    began = time.perf_counter()
    with PaddockProcess("serve", world, "--lock-step") as server:
        crew: list[subprocess.Popen[str]] = []
        try:
            url = server.url
            onlooker = paddock.connect(url, name="onlooker", timeout=600)
            ticks = round(seconds / onlooker.dt)
            for number in range(clients):
                arguments = [sys.executable, "-c", CLIENT, url, str(number), str(ticks), str(stride)]
                crew.append(subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True))
            others = len(onlooker.robots)
            while len(onlooker.robots) < others + clients:  # it holds the lock, so no robot drives yet
                assert all(one.poll() is None for one in crew), "a client could not begin"
                time.sleep(0.05)
                onlooker.step(0)
            memory = watch(onlooker, server.process.pid, ticks, samples, began)
            steps = [int(one.stdout.readline()) for one in crew if one.stdout]
            onlooker.close()
        finally:
            for one in crew:
                one.kill()
                one.communicate()
    verdict = judge(memory)
    verdict |= {"simulated_s": seconds, "clients": clients, "cycles": sum(steps)}
    verdict |= {"wall_s": round(time.perf_counter() - began, 1)}
    return verdict


def watch(onlooker: Any, pid: int, ticks: int, samples: int, began: float) -> list[tuple[float, int]]:
    """Sample the server's memory at equal intervals of simulated time."""
    memory = []
    for i in range(1, samples + 1):
        target = ticks * i // samples
        if target > onlooker.tick:
            onlooker.step(target - onlooker.tick)
        memory.append((onlooker.tick * onlooker.dt, measure_memory(pid)))
        sample = {"time_s": round(memory[-1][0], 2), "rss_mb": round(memory[-1][1] / 1e6, 3)}
        print(json.dumps(sample | {"wall_s": round(time.perf_counter() - began, 1)}), flush=True)
    return memory


def judge(memory: list[tuple[float, int]]) -> dict[str, Any]:
    """Fit a straight line to the memory after the warm-up and return its growth until the end."""
    times, rss = np.array(memory[int(WARM_UP * len(memory)) :], float).T
    slope = float(np.polyfit(times, rss, 1)[0]) if len(times) > 1 else 0.0
    growth = slope * float(times[-1] - times[0])
    return {
        "verdict": "flat" if growth < MAX_GROWTH else "growing",
        "slope_bytes_per_simulated_s": round(slope, 1),
        "growth_mb": round(growth / 1e6, 3),
        "first_mb": round(rss[0] / 1e6, 2),
        "last_mb": round(rss[-1] / 1e6, 2),
    }


def main() -> int:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=3600.0, help="simulated time")
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--stride", type=int, default=5, help="ticks per step of a client")
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--world", default="empty")
    chosen = parser.parse_args()
    verdict = soak(chosen.seconds, chosen.clients, chosen.stride, chosen.samples, chosen.world)
    print(json.dumps(verdict), flush=True)
    return 0 if verdict["verdict"] == "flat" else 1


if __name__ == "__main__":
    sys.exit(main())
