"""Evaluation by several workers, here and on a Ray cluster: as by a single one."""

from __future__ import annotations

import numpy as np
import pytest

from paddock.evolve.evaluators import SharedEvaluator
from paddock.evolve.evolution import Evolution
from paddock.evolve.options import EvolutionConfig, Execution
from paddock.evolve.study import evolve

pytestmark = pytest.mark.long

SMALL = EvolutionConfig(task="maze", population=6, generations=2, seconds=4.0, seed=5)


@pytest.fixture(autouse=True)
def own_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cores of this machine, even if there is a cluster here."""
    monkeypatch.setenv("RAY_ADDRESS", "local")


def test_several_workers_give_what_a_single_one_gives() -> None:
    evolution = Evolution(SMALL)
    rows = evolution.strategy.ask()
    evaluator = SharedEvaluator(evolution.task, evolution.policy, seed=SMALL.seed, workers=2)
    with evaluator.runner:
        assert np.array_equal(evaluator(rows).fitness, evolution.evaluator(rows).fitness)


def test_an_evolution_on_ray_is_the_one_of_this_machine() -> None:
    here, there = (evolve(SMALL, execution=Execution(workers=workers)).evolution for workers in ("local", "ray"))
    assert there.history == here.history
    assert np.array_equal(there.champion.weights, here.champion.weights)
