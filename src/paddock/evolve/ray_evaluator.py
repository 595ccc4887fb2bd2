"""Many machines: individuals are shared out over a Ray cluster; results are those of one machine."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError
from paddock.evolve.evaluators import LocalEvaluator
from paddock.evolve.packages import import_package
from paddock.evolve.tasks.base import Evaluation, EvolutionTask, Floats
from paddock.policies.networks import Network
from paddock.policies.program import Program

ADDRESS = "RAY_ADDRESS"  # the environment's word for the cluster to use
PATIENCE = 5.0  # seconds until a cluster must have answered
PORT = 6379  # of a cluster, unless its address has another one


class RayEvaluator:
    """An evaluator on every core of the cluster: `ray start` makes one; without it, Ray uses this machine's cores."""

    device = "cpu"

    def __init__(
        self, task: EvolutionTask, policy: Network | Program, *, seed: int = 0, workers: int | None = None
    ) -> None:
        self.ray = connect_ray()
        count = workers or max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        actor = self.ray.remote(LocalEvaluator)
        self.evaluators = [actor.remote(task, policy, seed=seed, threads=1) for _ in range(count)]

    def __call__(self, individuals: Floats) -> Evaluation:
        """Share out, and put together in order."""
        shares = np.array_split(individuals, min(len(self.evaluators), len(individuals)))
        pairs = zip(self.evaluators, shares, strict=False)
        parts = self.ray.get([evaluator.__call__.remote(share) for evaluator, share in pairs])
        return Evaluation(
            np.concatenate([part.fitness for part in parts]),
            np.concatenate([part.solved for part in parts]),
            np.concatenate([part.behaviour for part in parts]),
        )

    def compile(self) -> None:
        """Compile on every worker."""
        self.ray.get([evaluator.compile.remote() for evaluator in self.evaluators])


def connect_ray() -> Any:
    """The package, connected to a cluster; one that does not answer is an error after seconds."""
    address = os.environ.get(ADDRESS, "")
    check_address(address)
    os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")  # else a dead cluster is waited for many minutes
    ray = import_package("ray", "the evaluation on a cluster")
    if not ray.is_initialized():
        # Workers find a user's fitness where this process does.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        try:
            ray.init(log_to_driver=False, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
        except (ConnectionError, RuntimeError, TimeoutError) as error:
            raise _unreachable(address or "this machine", str(error).partition("\n")[0]) from None
    return ray


def check_address(address: str) -> None:
    """Refuse the address of a cluster at which nobody listens; Ray itself would wait for minutes."""
    place = address.removeprefix("ray://")
    if place in ("", "auto", "local"):
        return
    host, _, port = place.rpartition(":") if ":" in place else (place, "", str(PORT))
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except ValueError:
        raise PaddockError(f"{ADDRESS}: expected the address of a Ray cluster, host:port, got {address!r}") from None
    except OSError as error:
        raise _unreachable(address, error.strerror or str(error)) from None


def _unreachable(address: str, why: str) -> PaddockError:
    return PaddockError(
        f"Ray: no cluster answers at {address}: {why}: start one with `ray start --head`, or unset {ADDRESS} "
        "to use the cores of this machine"
    )
