"""Rates of a CUDA GPU: one e-puck with 8 noisy infrared sensors and a neural network in each of many worlds.

    python benchmarks/gpu.py [--worlds 1,1000,1000000] [--precisions float64,float32] [--ticks 1000] …

Prints one JSON object per line. Every precision is compared with the CPU first; nothing is timed if they disagree.
Each figure is the median of several launches after a warm-up, measured with GPU events. `run_robot_steps_per_s` is the
rate of whole calls of `batch.run` with two metrics, from the second call on; `first_run_s` is the time of the first.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from typing import Any

import numpy as np

import paddock
from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.batches.cuda.device import Cuda
from paddock.arena.metrics import ContactTime, Distance
from paddock.cli.bench.local import TICK, batch_policy, gpu_job
from paddock.control.policies.networks import Network

TOLERANCE = {"float64": 1e-9, "float32": 2e-3}  # median difference of all worlds [m], [rad]; see docs/performance.md
CHECKED_TICKS = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", default="1,1000,1000000")
    parser.add_argument("--precisions", default="float64,float32")
    parser.add_argument(
        "--individuals", default="own,one", help="own: a network for each robot; one: a network for all"
    )
    parser.add_argument("--ticks", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default="256", help="threads per block")
    parser.add_argument("--unchecked", action="store_true", help="skip the comparison with the CPU")
    parser.add_argument("--registers", type=int, default=0, help="maximum registers per thread; 0: no limit")
    parser.add_argument("--fastmath", action="store_true")
    parser.add_argument("--world", default="clutter")
    told = parser.parse_args()
    options: dict[str, Any] = {"max_registers": told.registers} if told.registers else {}
    options |= {"fastmath": True} if told.fastmath else {}
    for precision in told.precisions.split(","):
        gpu = Cuda(precision, **options)
        if not told.unchecked:
            agreement = compared(gpu, told.world)
            print_line({"compared": precision, **agreement, **options})
            if agreement["median_difference"] > TOLERANCE[precision]:
                sys.exit(f"{precision}: the GPU disagrees with the CPU")
        for individuals, worlds, threads in itertools.product(
            told.individuals.split(","), map(int, told.worlds.split(",")), map(int, told.threads.split(","))
        ):
            if individuals == "one" and worlds == 1:
                continue
            gpu.threads = threads
            print_line(
                {**measured(gpu, told, worlds, individuals), "precision": precision, "threads": threads, **options}
            )


def compared(gpu: Cuda, world: str, worlds: int = 256) -> dict[str, Any]:
    """Return the differences between the poses of GPU and CPU after some ticks."""
    here = paddock.batch(world, worlds, seed=1, dt=TICK)
    there = paddock.batch(world, worlds, seed=1, dt=TICK, device="cuda", precision=gpu.precision)
    there.gpu = gpu
    here.run(CHECKED_TICKS * TICK, batch_policy(worlds))
    started = time.perf_counter()
    there.run(CHECKED_TICKS * TICK, batch_policy(worlds))
    apart = np.abs(here.poses - there.poses)
    apart[..., 2] = np.minimum(apart[..., 2], 2 * np.pi - apart[..., 2])
    apart = apart.max(axis=(1, 2))
    return {
        "ticks": CHECKED_TICKS,
        "worlds": worlds,
        "compile_s": round(time.perf_counter() - started, 1),
        "median_difference": float(np.median(apart)),
        "largest_difference": float(apart.max()),
        "beyond_1e-9": int((apart > 1e-9).sum()),
        "beyond_1mm": int((apart > 1e-3).sum()),
    }


def measured(gpu: Cuda, told: Any, worlds: int, individuals: str) -> dict[str, Any]:
    """Return the rate for one number of worlds."""
    cuda = gpu.module
    batch = paddock.batch(told.world, worlds, seed=1, dt=TICK)
    policy = batch_policy(worlds if individuals == "own" else 1)
    job = gpu_job(gpu, batch, policy)
    job.launch(500)  # warm-up: the robots spread
    cuda.synchronize()
    seconds = []
    for _ in range(told.rounds):
        before, after = cuda.event(), cuda.event()
        before.record()
        job.launch(told.ticks)
        after.record()
        after.synchronize()
        seconds.append(before.elapsed_time(after) / 1e3)
    took = statistics.median(seconds)
    del job
    runs, batch_result = call_to_answer(gpu, told, worlds, policy)
    return {
        "bench": "batch-gpu",
        "device": device_name(cuda),
        "robots": worlds,
        "individuals": individuals,
        "ticks": told.ticks,
        "robot_steps_per_s": round(worlds * told.ticks / took),
        "run_robot_steps_per_s": round(worlds * told.ticks / statistics.median(runs[1:])),
        "runs_s": [round(run, 3) for run in runs[1:]],
        "first_run_s": round(runs[0], 2),
        "spread": round(max(seconds) / min(seconds) - 1, 3),
        "mean_speed": round(float(batch_result["mean_speed"].mean()), 4),
        "in_contact": round(float(batch_result["contact_time"].mean()) / (told.ticks * TICK), 3),
        "world": told.world,
        "dt": TICK,
    }


def call_to_answer(gpu: Cuda, told: Any, worlds: int, policy: Network) -> tuple[list[float], BatchResult]:
    """Return the durations of whole runs [s], in order, and the last batch result."""
    batch = paddock.batch(told.world, worlds, seed=1, dt=TICK, device="cuda", precision=gpu.precision)
    batch.gpu = gpu
    seconds = []
    for _ in range(1 + told.rounds):
        started = time.perf_counter()
        batch_result = batch.run(told.ticks * TICK, policy, metrics=[Distance(), ContactTime()])
        seconds.append(time.perf_counter() - started)
    return seconds, batch_result


def device_name(cuda: Any) -> str:
    if not hasattr(cuda, "get_current_device"):
        return "simulator"
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def print_line(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
