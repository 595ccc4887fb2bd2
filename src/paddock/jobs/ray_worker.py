"""RayWorker: a worker somewhere in a Ray cluster: `ray start` makes one; without it, Ray uses this machine's cores."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.packages import import_package
from paddock.jobs.worker import CLOSED, JobAnswer, JobFailure, Worker

ADDRESS = "RAY_ADDRESS"  # the environment's word for the cluster to use
PATIENCE = 5.0  # seconds until a cluster must have answered
PORT = 6379  # of a cluster, unless its address has another one


class RayWorker:
    """An actor on a core of the cluster; one that dies costs its job, and another one takes its place."""

    def __init__(self, ray: Any, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._ray, self._make, self._closed = ray, make, False
        self._actor: Any = None

    def do(self, job: Any) -> JobAnswer:
        """Send a job, and wait for the answer."""
        try:
            if self._closed:
                raise PaddockError(CLOSED)
            if self._actor is None:
                self._actor = self._ray.remote(num_cpus=1)(Worker).remote(self._make)
            answer: JobAnswer = self._ray.get(self._actor.do.remote(job))
            return answer
        except self._ray.exceptions.RayActorError as error:
            self._actor = None
            return JobAnswer(failure=JobFailure.of(PaddockError(f"the worker of Ray died: {error}")))
        except Exception as error:  # what was sent cannot travel
            return JobAnswer(failure=JobFailure.of(error))

    def close(self) -> None:
        """Give its core back, whatever it does."""
        self._closed = True
        actor, self._actor = self._actor, None
        if actor is not None and self._ray.is_initialized():
            self._ray.kill(actor)


def count_cores(ray: Any) -> int:
    """How many workers a cluster has room for."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def connect_ray() -> Any:
    """The package, connected to a cluster; one that does not answer is an error after seconds."""
    address = os.environ.get(ADDRESS, "")
    check_address(address)
    os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")  # else a dead cluster is waited for many minutes
    ray = import_package("ray", "work on a cluster", extra="cluster")
    if not ray.is_initialized():
        # Workers find a user's own files where this process does.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        try:
            ray.init(log_to_driver=False, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
        except (ConnectionError, RuntimeError, TimeoutError, ValueError) as error:  # ValueError: no ray[client]
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
