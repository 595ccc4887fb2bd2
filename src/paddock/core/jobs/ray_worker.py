"""RayWorker: a worker in a Ray cluster. `ray start` starts a cluster; without one, Ray uses this machine's cores."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.jobs.worker import CLOSED, JobAnswer, JobFailure, Worker
from paddock.core.packages import import_package

ADDRESS = "RAY_ADDRESS"  # environment variable with the address of the cluster
CONNECT_TIMEOUT = 5.0  # timeout for the answer of a cluster [s]
PORT = 6379  # default port of a cluster


class RayWorker:
    """An actor on a core of the cluster. If it dies, its current job fails, and a new actor replaces it."""

    def __init__(self, ray: Any, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._ray, self._make, self._closed = ray, make, False
        self._actor: Any = None

    def do(self, job: Any) -> JobAnswer:
        """Send a job and wait for the answer."""
        try:
            if self._closed:
                raise PaddockError(CLOSED)
            if self._actor is None:
                self._actor = self._ray.remote(num_cpus=1)(Worker).remote(self._make)
            answer: JobAnswer = self._ray.get(self._actor.do.remote(job))
            return answer
        except self._ray.exceptions.RayActorError as error:
            self._actor = None
            return JobAnswer(failure=JobFailure.of(PaddockError(f"the Ray worker died: {error}")))
        except Exception as error:  # the job cannot be pickled
            return JobAnswer(failure=JobFailure.of(error))

    def close(self) -> None:
        """Release its core, even during a job."""
        self._closed = True
        actor, self._actor = self._actor, None
        if actor is not None and self._ray.is_initialized():
            self._ray.kill(actor)


def count_cores(ray: Any) -> int:
    """Return the number of workers that a cluster can run."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def connect_ray() -> Any:
    """Import Ray and connect it to a cluster; raise an error after a few seconds if the cluster does not answer."""
    address = os.environ.get(ADDRESS, "")
    check_address(address)
    os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")  # else Ray waits many minutes for a dead cluster
    ray = import_package("ray", "work on a cluster", extra="cluster")
    if not ray.is_initialized():
        # Workers must find the user's own modules.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        try:
            ray.init(log_to_driver=False, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
        except (ConnectionError, RuntimeError, TimeoutError, ValueError) as error:  # ValueError: no ray[client]
            raise _unreachable(address or "this machine", str(error).partition("\n")[0]) from None
    return ray


def check_address(address: str) -> None:
    """Refuse the address of a cluster that does not accept connections; Ray itself would wait for minutes."""
    place = address.removeprefix("ray://")
    if place in ("", "auto", "local"):
        return
    host, _, port = place.rpartition(":") if ":" in place else (place, "", str(PORT))
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT).close()
    except ValueError:
        raise PaddockError(f"{ADDRESS}: expected the address of a Ray cluster, host:port, got {address!r}") from None
    except OSError as error:
        raise _unreachable(address, error.strerror or str(error)) from None


def _unreachable(address: str, why: str) -> PaddockError:
    return PaddockError(
        f"Ray: no cluster answers at {address}: {why}: start one with `ray start --head`, or unset {ADDRESS} "
        "to use the cores of this machine"
    )
