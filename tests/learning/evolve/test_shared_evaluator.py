"""Tests of evaluation by several workers (on a Ray cluster: tests/core/jobs/test_ray.py)."""

from __future__ import annotations

import numpy as np
import pytest

from paddock.learning.evolve.evaluators import SharedEvaluator
from paddock.learning.evolve.evolution import Evolution
from paddock.learning.evolve.options import EvolutionConfig


@pytest.mark.long
def test_several_workers_give_the_same_fitness_as_one() -> None:
    evolution = Evolution(EvolutionConfig(task="maze", population=6, generations=2, seconds=4.0, seed=5))
    rows = evolution.strategy.ask()
    evaluator = SharedEvaluator(evolution.task, evolution.policy, seed=5, workers=2)
    with evaluator.runner:
        assert np.array_equal(evaluator(rows).fitness, evolution.evaluator(rows).fitness)
