"""Benchmark of vector environments: `GoTo` with eight infrared sensors and random actions, as Gymnasium steps it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from paddock.bench.local import Bench
from paddock.core.errors import PaddockError

ENVS = 1024
SINGLE_ENVS = 32  # of Gymnasium's own vectors, which take longer
ROUNDS = 3


def vector() -> Bench:
    """1,024 environments `paddock/GoTo-v0` (8 IR), random actions through Gymnasium's interface, on all cores."""
    import paddock.gym  # tells of the extra if it is missing, and registers

    import gymnasium  # isort: skip

    envs = gymnasium.make_vec("paddock/GoTo-v0", num_envs=ENVS)
    work = stepping(envs)
    dt = paddock.gym.GoToEnv().dt

    def figures() -> dict[str, float]:
        """How many times as many steps in the same time as Gymnasium's own vectors of our single environment."""
        try:
            return {f"times_{mode}_vector": round(ratio(work, ENVS, mode), 1) for mode in ("sync", "async")}
        finally:
            envs.close()

    return Bench(ENVS, dt, work, 500, figures=figures)


def why_no_gym() -> str:
    """What is missing for this benchmark; empty if nothing is."""
    try:
        import paddock.gym  # noqa: F401
    except PaddockError as error:
        return str(error)
    return ""


def stepping(envs: Any) -> Callable[[int], None]:
    """Work for a benchmark: begin, then step as often as asked."""
    envs.reset(seed=1)
    envs.action_space.seed(1)

    def work(steps: int) -> None:
        for _ in range(steps):
            envs.step(envs.action_space.sample())

    return work


def own_vector(mode: str) -> Any:
    """Single environments in one of Gymnasium's own vectors."""
    import gymnasium

    return gymnasium.make_vec("paddock/GoTo-v0", num_envs=SINGLE_ENVS, vectorization_mode=mode)


def ratio(work: Callable[[int], None], count: int, mode: str) -> float:
    """Steps per second of our environments by those of one of Gymnasium's own vectors, measured in turns."""
    envs = own_vector(mode)
    try:
        other = stepping(envs)
        ratios = [rate(work, count, 200) / rate(other, SINGLE_ENVS, 200) for _ in range(ROUNDS)]
    finally:
        envs.close()
    return statistics.median(ratios)


def rate(work: Callable[[int], None], count: int, steps: int) -> float:
    """Steps of an environment per second."""
    started = time.perf_counter()
    work(steps)
    return count * steps / (time.perf_counter() - started)
