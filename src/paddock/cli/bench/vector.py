"""Benchmark of vector environments: `GoTo` with eight infrared sensors and random actions, stepped by Gymnasium."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from paddock.cli.bench.local import Bench

ENVS = 1024
SINGLE_ENVS = 32  # of Gymnasium's own vectors, which are slower
ROUNDS = 3


def vector() -> Bench:
    """1,024 environments `paddock/GoTo-v0` (8 IR), random actions through Gymnasium's interface, on all cores."""
    import paddock.learning.gym  # raises if the extra is missing, and registers the environments

    import gymnasium  # isort: skip

    envs = gymnasium.make_vec("paddock/GoTo-v0", num_envs=ENVS)
    work = stepping(envs)
    dt = paddock.learning.gym.GoToEnv().dt

    def measure_more() -> dict[str, float]:
        """Return the speed-up over Gymnasium's own vectors of the single environment."""
        try:
            return {f"times_{mode}_vector": round(ratio(work, ENVS, mode), 1) for mode in ("sync", "async")}
        finally:
            envs.close()

    return Bench(ENVS, dt, work, 500, measure_more=measure_more)


def stepping(envs: Any) -> Callable[[int], None]:
    """Reset the environments, and return a function that steps them."""
    envs.reset(seed=1)
    envs.action_space.seed(1)

    def work(steps: int) -> None:
        for _ in range(steps):
            envs.step(envs.action_space.sample())

    return work


def own_vector(mode: str) -> Any:
    """Create single environments in one of Gymnasium's own vectors."""
    import gymnasium

    return gymnasium.make_vec("paddock/GoTo-v0", num_envs=SINGLE_ENVS, vectorization_mode=mode)


def ratio(work: Callable[[int], None], count: int, mode: str) -> float:
    """Return the ratio of steps per second to one of Gymnasium's own vectors, measured alternately."""
    envs = own_vector(mode)
    try:
        other = stepping(envs)
        ratios = [rate(work, count, 200) / rate(other, SINGLE_ENVS, 200) for _ in range(ROUNDS)]
    finally:
        envs.close()
    return statistics.median(ratios)


def rate(work: Callable[[int], None], count: int, steps: int) -> float:
    """Return environment steps per second."""
    started = time.perf_counter()
    work(steps)
    return count * steps / (time.perf_counter() - started)
