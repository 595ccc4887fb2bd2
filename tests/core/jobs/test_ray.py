"""Jobs on a Ray cluster; an unreachable cluster is reported immediately."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import paddock
from core.jobs import work
from paddock.core.jobs import JobRunner, run_jobs
from paddock.core.jobs.ray_worker import check_address
from paddock.learning.evolve.evolution_study import evolve
from paddock.learning.evolve.options import EvolutionConfig, Execution


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers in separate processes."""
    ray = pytest.importorskip("ray")
    paths = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    quiet = {"include_dashboard": False, "log_to_driver": False}
    ray.init("local", num_cpus=2, runtime_env={"env_vars": paths}, **quiet)
    yield ray
    ray.shutdown()


@pytest.mark.long
def test_ray_runs_jobs_and_a_dead_worker_loses_only_its_job(cluster: Any) -> None:
    assert run_jobs(abs, [-3, 4, -5, 6], workers="ray") == [3, 4, 5, 6]
    with JobRunner(partial(_give, work.die), "ray") as runner:
        assert len(runner.workers) == 2
        answers = dict(runner.stream(["a", "killed", "b", "exit"]))
    assert [answers[0].value, answers[2].value] == ["a", "b"]
    assert answers[1].failure is not None
    assert "the Ray worker died" in answers[1].failure.problem
    assert answers[3].failure is not None
    assert "SystemExit: 3" in answers[3].failure.problem
    with pytest.raises(paddock.PaddockError, match="no job called 'x'"):
        run_jobs(work.refuse, ["x"], workers="ray")


@pytest.mark.long
def test_evolution_on_ray_is_bit_identical_to_a_local_one(cluster: Any) -> None:
    config = EvolutionConfig(task="maze", population=6, generations=2, seconds=4.0, seed=5)
    here, there = (evolve(config, execution=Execution(workers=workers)).evolution for workers in ("local", "ray"))
    assert there.history == here.history
    assert np.array_equal(there.champion.weights, here.champion.weights)


def _give(function: Any) -> Any:
    return function


def test_unreachable_cluster_is_reported_before_ray_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    with pytest.raises(paddock.PaddockError, match=rf"Ray: no cluster answers at 127\.0\.0\.1:{port}: .*unset RAY_AD"):
        run_jobs(abs, [1], workers="ray")


def test_ray_addresses_are_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()  # the cluster of the tests above
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        for address in ("", "auto", "local", f"127.0.0.1:{port}", f"ray://localhost:{port}"):
            check_address(address)
        monkeypatch.setenv("RAY_ADDRESS", f"ray://localhost:{port}")
        with pytest.raises(paddock.PaddockError, match=rf"Ray: no cluster answers at ray://localhost:{port}: "):
            run_jobs(abs, [1], workers="ray")  # it has no package for such addresses
    with pytest.raises(paddock.PaddockError, match="RAY_ADDRESS: expected the address of a Ray cluster, host:port"):
        check_address("127.0.0.1:here")
