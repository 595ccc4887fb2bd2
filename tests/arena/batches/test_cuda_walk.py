"""Tests of walkers with a reaction network on the GPU, in numba's simulator."""

from __future__ import annotations

import pytest

from arena.batches.test_cuda import simulated

pytestmark = [pytest.mark.heavy, pytest.mark.long]
WALK = """
    from paddock.experiments.ecoli.walk.population import isolate_walker
    from paddock.arena.metrics import MeanDistance, MeanReading
    from paddock.experiments.ecoli.run_and_tumble import RunAndTumble
    metrics = [MeanReading(device="nose"), MeanDistance(at=(1.0, 0.5))]
"""


def test_walkers_are_bit_identical_to_cpu() -> None:
    found = simulated(
        WALK + "    print(json.dumps(both([isolate_walker()], RunAndTumble(), seconds=0.6, metrics=metrics)))"
    )
    assert found["same"] == [True] * 6
    assert found["apart"] == found["results"] == 0.0


def test_single_precision_stays_close() -> None:
    script = (
        "print(json.dumps(both([isolate_walker()], RunAndTumble(), seconds=0.3, metrics=metrics, precision='float32')))"
    )
    assert simulated(WALK + f"    {script}")["apart"] < 1e-3
