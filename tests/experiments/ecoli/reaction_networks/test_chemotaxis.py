"""Tests of the response of the E. coli chemotaxis network."""

from __future__ import annotations

import numpy as np
import pytest

from paddock.experiments.ecoli.reaction_networks import find_dose_response, find_step_response, load_reactions, simulate
from paddock.experiments.ecoli.walk.network import (
    clockwise_bias,
    find_conserved_drifts,
    find_lag,
    find_rest_bias,
    measure_adaptation,
    measure_fold_change,
    measure_robustness,
)

pytestmark = pytest.mark.heavy
NETWORKS = pytest.mark.parametrize("network", ["ecoli-chemotaxis", "ecoli-chemotaxis-n6"])


@NETWORKS
@pytest.mark.parametrize("level", [0.05, 20.0])
def test_rest_bias_matches_the_cell_at_any_level(network: str, level: float) -> None:
    assert find_rest_bias(network, level=level) == pytest.approx(0.138, abs=0.005)


@NETWORKS
def test_response_takes_under_0_2_s_and_adapts_exactly(network: str) -> None:
    for step in measure_adaptation((0.1, 10.0), network=network):
        assert step.response_time < 0.2, step
        assert step.error < 0.01, step
        assert step.settling_time < 45.0, step


def test_cher_changes_bias_and_time_but_not_exact_adaptation() -> None:
    found = measure_robustness((0.5, 2.0, 10.0))
    assert all(step.error < 0.01 for step in found)
    assert np.diff([step.rest_bias for step in found]).min() > 0
    assert np.diff([step.settling_time for step in found]).max() < 0


def test_equal_ratios_give_equal_responses() -> None:
    assert measure_fold_change() < 1e-9


def test_pulse_response_has_two_lobes() -> None:
    pulse = {"L": [(0.0, 1.0), (10.0, 1.2), (11.0, 1.0)]}
    bias = clockwise_bias(simulate(load_reactions("ecoli-chemotaxis"), 40.0, inputs=pulse).output)
    rest = bias[400]
    assert bias[500:560].min() < 0.5 * rest
    assert bias[560:].max() > 1.2 * rest


def test_network_without_methylation_does_not_adapt() -> None:
    network = load_reactions("ecoli-chemotaxis")
    for changed in (network.with_held("M"), network.with_rates_scaled({"methylation": 0.0, "demethylation": 0.0})):
        response = find_step_response(changed.with_starts(M=0.75649), 1.0, 1.2, settle=5.0, reading=clockwise_bias)
        assert response.error > 0.5


def test_response_lag_is_the_sum_of_fast_time_constants() -> None:
    lags = [find_lag(network) for network in ("ecoli-chemotaxis", "ecoli-chemotaxis-n6")]
    assert lags == pytest.approx([1 / 10.7 + 1 / 29.9 + 1 / 739] * 2, abs=0.003)  # times of the three fast modes


def test_conserved_sums_do_not_drift() -> None:
    assert max(find_conserved_drifts().values()) < 1e-9


def test_doses_change_the_peak_but_not_the_adapted_level() -> None:
    network = load_reactions("ecoli-chemotaxis")
    doses = find_dose_response(network, [0.5, 1.1, 2.0], settle=1.0, reading=clockwise_bias)
    assert doses.peaks[0] > 0.9
    assert doses.peaks[1] < 0.5 * doses.rest
    assert doses.peaks[2] < doses.peaks[1]
    assert doses.adapted == pytest.approx(doses.rest, rel=0.01)
    early = find_step_response(network, 1.0, 1.1, seconds=1.0, settle=1.0, reading=clockwise_bias)
    assert early.settling_time() == float("inf")
