"""Many machines: individuals are shared out over a Ray cluster; results are those of one machine."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from paddock.evolve.judge import LocalJudge
from paddock.evolve.packages import package
from paddock.evolve.tasks.base import Floats, Judgement, Task
from paddock.policies.networks import Network
from paddock.policies.program import Program


class RayJudge:
    """One judge on every core of the cluster: `ray start` makes one; without it, Ray uses this machine's cores."""

    device = "cpu"

    def __init__(self, task: Task, policy: Network | Program, *, seed: int = 0, workers: int | None = None) -> None:
        self.ray: Any = package("ray", "--workers ray")
        if not self.ray.is_initialized():
            self.ray.init(
                log_to_driver=False, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": _path()}}
            )
        count = workers or max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        actor = self.ray.remote(LocalJudge)
        self.judges = [actor.remote(task, policy, seed=seed, threads=1) for _ in range(count)]

    def __call__(self, individuals: Floats) -> Judgement:
        """Share out, and put together in order."""
        shares = np.array_split(individuals, min(len(self.judges), len(individuals)))
        calls = [judge.__call__.remote(share) for judge, share in zip(self.judges, shares, strict=False)]
        parts = self.ray.get(calls)
        return Judgement(
            np.concatenate([part.fitness for part in parts]),
            np.concatenate([part.solved for part in parts]),
            np.concatenate([part.behaviour for part in parts]),
        )

    def get_ready(self) -> None:
        """Compile on every worker."""
        self.ray.get([judge.get_ready.remote() for judge in self.judges])


def _path() -> str:
    """Where this process finds its modules, so that workers find a user's fitness too."""
    return os.pathsep.join(entry for entry in sys.path if entry)
