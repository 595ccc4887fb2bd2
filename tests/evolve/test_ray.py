"""Evaluation on a Ray cluster: as on one machine; a cluster that is gone is told at once."""

from __future__ import annotations

import socket

import numpy as np
import pytest

import paddock
from paddock.evolve.evolution import Evolution
from paddock.evolve.options import EvolutionConfig, Execution
from paddock.evolve.ray_evaluator import check_address
from paddock.evolve.study import evolve

pytestmark = pytest.mark.long

SMALL = EvolutionConfig(task="maze", population=6, generations=2, seconds=4.0, seed=5)


def test_ray_gives_what_local_workers_give() -> None:
    pytest.importorskip("ray")
    from paddock.evolve.ray_evaluator import RayEvaluator

    evolution = Evolution(SMALL)
    rows = evolution.strategy.ask()
    evaluator = RayEvaluator(evolution.task, evolution.policy, seed=SMALL.seed, workers=2)
    try:
        assert np.array_equal(evaluator(rows).fitness, evolution.evaluator(rows).fitness)
    finally:
        evaluator.ray.shutdown()


def test_a_cluster_that_is_gone_is_told_before_ray_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    with pytest.raises(paddock.PaddockError, match=rf"Ray: no cluster answers at 127\.0\.0\.1:{port}: .*unset RAY_AD"):
        evolve(SMALL, execution=Execution(workers="ray"))


def test_addresses_are_checked() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        for address in ("", "auto", "local", f"127.0.0.1:{port}", f"ray://localhost:{port}"):
            check_address(address)
    with pytest.raises(paddock.PaddockError, match="RAY_ADDRESS: expected the address of a Ray cluster, host:port"):
        check_address("127.0.0.1:here")
