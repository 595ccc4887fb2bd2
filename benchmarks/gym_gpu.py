"""Rates of environments on a CUDA GPU: one step per call, random actions as torch tensors, all data stay on the GPU.

    python benchmarks/gym_gpu.py [--env GoTo] [--envs 16384,262144] [--precisions float64,float32] [--reference cpu.npz]
    python benchmarks/gym_gpu.py --record cpu.npz      # store the CPU's results for the same actions, on any machine

Prints one JSON object per line. With a reference, every precision is compared with the CPU first.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from typing import Any

import numpy as np

from paddock.learning.gym import ENVIRONMENTS, EnvSpec
from paddock.learning.gym import env_tables as t

COMPARED, COMPARED_STEPS = 256, 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="GoTo")
    parser.add_argument("--envs", default="16384,262144")
    parser.add_argument("--precisions", default="float64,float32")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--record", help="only write the CPU's results to this file")
    parser.add_argument("--reference", help="file with the CPU's results to compare with")
    told = parser.parse_args()
    spec = ENVIRONMENTS.get(told.env)()
    if told.record:
        record(spec, told.record)
        return
    for precision in told.precisions.split(","):
        if told.reference:
            print_line({"compared": precision, **compared(spec, precision, told.reference)})
        for count in map(int, told.envs.split(",")):
            print_line({"env": told.env, "precision": precision, **measured(spec, precision, count, told.steps)})


def drawn_actions() -> Any:
    """Return random actions for the comparison, mostly forward."""
    return np.random.default_rng(1).uniform(-0.3, 1.0, (COMPARED_STEPS, COMPARED, 1, 2)).astype(np.float32)


def record(spec: EnvSpec, path: str) -> None:
    """Write the CPU's observations, rewards and episode ends to a file."""
    from paddock.learning.gym.stepper import Stepper

    stepper = Stepper(spec, COMPARED, autoreset=t.SAME_STEP)
    stepper.begin(1)
    answers: list[list[Any]] = [[], [], []]
    for actions in drawn_actions():
        stepper.step(actions)
        found = stepper.answers
        for log, part in zip(answers, (found.observations, found.rewards, found.ended), strict=True):
            log.append(part.copy())
    np.savez_compressed(path, *map(np.stack, answers))


def compared(spec: EnvSpec, precision: str, path: str) -> dict[str, Any]:
    """Return the differences of observations and rewards from the CPU's, and of episode ends."""
    from paddock.learning.gym.cuda import CudaStepper

    started = time.perf_counter()
    stepper = CudaStepper(spec, COMPARED, seed=1, precision=precision)
    seconds = time.perf_counter() - started
    answers: list[list[Any]] = [[], [], []]
    for actions in drawn_actions():
        stepper.actions.copy_to_device(actions)
        stepper.step()
        found = stepper.answers
        for log, part in zip(answers, (found.observations, found.rewards, found.ended), strict=True):
            log.append(part.copy_to_host())
    here = np.load(path)
    seen, rewards, ended = (np.stack(log) - here[name] for log, name in zip(answers, here.files, strict=True))
    apart = np.abs(seen).max(axis=(0, 2, 3))
    return {
        "envs": COMPARED, "steps": COMPARED_STEPS, "made_in_s": round(seconds, 1),
        "same_bits": int((apart == 0).sum()), "median_difference": float(np.median(apart)),
        "largest_difference": float(apart.max()), "largest_of_rewards": float(np.abs(rewards).max()),
        "other_endings": int((ended != 0).any(axis=0).sum()),
    }  # fmt: skip


def measured(spec: EnvSpec, precision: str, count: int, steps: int) -> dict[str, Any]:
    """Return the steps per second of a program that sends and receives tensors."""
    import torch

    from paddock.learning.gym.cuda import CudaVectorEnv

    env = CudaVectorEnv(spec, count, seed=1, precision=precision)
    torch.manual_seed(1)
    actions = [torch.rand_like(env.actions) * 1.3 - 0.3 for _ in range(8)]
    rates = []
    for actions_of_step in itertools.islice(itertools.cycle(actions), 300):  # warm-up: the robots spread
        env.step(actions_of_step)
    for _ in range(3):
        torch.cuda.synchronize()
        started = time.perf_counter()
        for actions_of_step in itertools.islice(itertools.cycle(actions), steps):
            env.step(actions_of_step)
        torch.cuda.synchronize()
        rates.append(count * steps / (time.perf_counter() - started))
    return {"envs": count, "steps_per_s": round(sorted(rates)[1]), "us_per_call": round(count / sorted(rates)[1] * 1e6)}


def print_line(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
