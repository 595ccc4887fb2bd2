"""The walk of E. coli on a CUDA GPU and on the CPU: compare walkers and populations, and measure the rates of both.

    python benchmarks/walk_gpu.py [--walkers 10000] [--seconds 600] [--precisions float64,float32] [--figure walk.png]

Prints one JSON object per line. First the poses of some walkers are compared after a second, before they diverge; then
whole populations, by their concentrations and run lengths. The CPU is measured first. Compilation is not timed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import paddock
from paddock.experiments.ecoli.run_and_tumble import RunAndTumble
from paddock.experiments.ecoli.walk.population import (
    Population,
    find_centre,
    find_mann_whitney_p,
    isolate_walker,
    run_population,
)
from paddock.experiments.ecoli.walk.walk_report import density_chart
from paddock.report import save_figure

WORLD = "petri-dish-gauss"
COMPARED, COMPARED_SECONDS = 256, 1.0
TOLERANCE = {"float64": 1e-9, "float32": 2e-3}  # median difference of all walkers [m], [rad]
LEAST_P = 1e-3  # minimum p-value for two populations to count as equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--walkers", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--cpu-walkers", type=int, default=1000, help="number of walkers on the CPU")
    parser.add_argument("--precisions", default="float64,float32")
    parser.add_argument("--figure", type=Path, help="file for a picture of the GPU's density over time")
    told = parser.parse_args()
    here = measured("cpu", "float64", told.cpu_walkers, told.seconds)
    for precision in told.precisions.split(","):
        agreement = compared(precision)
        print_line({"compared": precision, **agreement})
        there = measured("cuda", precision, told.walkers, told.seconds, beside=here)
        if agreement["median_difference"] > TOLERANCE[precision] or not alike(here, there):
            sys.exit(f"{precision}: the GPU disagrees with the CPU")
    if told.figure is not None:
        centre = find_centre(isolate_walker(WORLD).fields[0])
        about = f"{told.walkers:,} walkers, each in a {WORLD} of its own"
        save_figure(density_chart(there, centre, about=about), told.figure)


def compared(precision: str) -> dict[str, Any]:
    """Return the differences between walkers on GPU and CPU after a short time."""
    poses = []
    started = time.perf_counter()
    for device, kind in (("cpu", "float64"), ("cuda", precision)):
        scene = isolate_walker(WORLD)
        batch = paddock.batch(scene, COMPARED, seed=1, starts="anywhere", device=device, precision=kind)
        poses.append(batch.run(COMPARED_SECONDS, RunAndTumble()).poses)
    apart = np.abs(poses[0] - poses[1])
    apart[..., 2] = np.minimum(apart[..., 2], 2 * np.pi - apart[..., 2])
    apart = apart.max(axis=(1, 2))
    return {
        "seconds": COMPARED_SECONDS,
        "walkers": COMPARED,
        "compile_s": round(time.perf_counter() - started, 1),
        "median_difference": float(np.median(apart)),
        "largest_difference": float(apart.max()),
        "beyond_1mm": int((apart > 1e-3).sum()),
    }


def measured(device: str, precision: str, walkers: int, seconds: float, beside: Population | None = None) -> Population:
    """Run a population and print its statistics and rate."""
    where = {"device": device, "precision": precision}
    run_population("normal", WORLD, walkers=2, seconds=2.0, every=1.0, **where)  # compiles
    started = time.perf_counter()
    found = run_population("normal", WORLD, walkers=walkers, seconds=seconds, every=seconds / 60, **where)
    took = time.perf_counter() - started
    line = {
        "bench": "walk-gpu",
        **where,
        "walkers": walkers,
        "seconds": seconds,
        "took_s": round(took, 2),
        "robot_steps_per_s": round(walkers * seconds / 0.02 / took),
        "concentration": round(float(found.concentration.mean()), 4),
        "distance": round(float(found.distance.mean()), 4),
        "run_up": round(found.run_up, 3),
        "run_down": round(found.run_down, 3),
    }
    if beside is not None:
        line["p_as_on_the_cpu"] = round(find_mann_whitney_p(found.concentration, beside.concentration), 4)
    print_line(line)
    return found


def alike(here: Population, there: Population) -> bool:
    """Return whether two populations met statistically equal concentrations."""
    return find_mann_whitney_p(here.concentration, there.concentration) > LEAST_P


def print_line(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
