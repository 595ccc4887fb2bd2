"""Figures of the E. coli network at rest and after steps of its input, for the claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paddock.experiments.ecoli.reaction_networks import (
    ReactionNetwork,
    StepResponse,
    find_step_response,
    load_reactions,
    simulate,
)
from paddock.experiments.ecoli.reaction_networks.kernels import HALF, HILL
from paddock.experiments.ecoli.reaction_networks.reaction_spec import Floats

AnyNetwork = str | Path | ReactionNetwork
STEPS = (0.1, 0.5, 1.1, 2.0, 10.0)  # factors of the input
CHER = (0.5, 2.0, 10.0, 50.0)  # factors of CheR, Alon et al. (1999)
NETWORK = "ecoli-chemotaxis"


def clockwise_bias(output: Floats) -> Floats:
    """Return the motor's clockwise bias for each value of CheY-P."""
    odds = (np.asarray(output, float) / HALF) ** HILL
    return np.asarray(odds / (1.0 + odds))


def find_rest_bias(network: AnyNetwork = NETWORK, *, level: float = 1.0) -> float:
    """Return the bias of a cell after a long time in a constant concentration."""
    course = simulate(load_reactions(network), 100.0, dt=1.0, inputs={"L": level})
    return float(clockwise_bias(course.output)[-1])


def find_bias_response(
    before: float = 1.0, after: float = 2.0, *, network: AnyNetwork = NETWORK, seconds: float = 60.0
) -> StepResponse:
    """Return the response of the bias to a step of the concentration."""
    return find_step_response(
        load_reactions(network), before, after, seconds=seconds, settle=100.0, reading=clockwise_bias
    )


@dataclass(frozen=True)
class Adaptation:
    """The response of a cell to one step."""

    factor: float
    response_time: float  # [s] until halfway to the peak
    peak_time: float  # [s]
    settling_time: float  # [s] from which the bias stays within 5 %
    error: float  # relative, at the end


def measure_adaptation(factors: Sequence[float] = STEPS, *, network: AnyNetwork = NETWORK) -> tuple[Adaptation, ...]:
    """Measure the adaptation after steps of the concentration by some factors."""
    found = []
    for factor in factors:
        response = find_bias_response(1.0, factor, network=network)
        found.append(
            Adaptation(factor, response.half_time, response.peak_time, response.settling_time(), response.error)
        )
    return tuple(found)


@dataclass(frozen=True)
class Robustness:
    """The adaptation with a changed amount of CheR."""

    factor: float
    rest_bias: float
    settling_time: float  # [s]
    error: float  # of the receptors' activity and of CheY-P, 200 s after the concentration doubled, relative


def measure_robustness(factors: Sequence[float] = CHER, *, network: AnyNetwork = NETWORK) -> tuple[Robustness, ...]:
    """Measure the adaptation with less or more CheR: it stays exact; only the bias at rest and the time change."""
    cell, seconds = load_reactions(network), 200.0
    found = []
    for factor in factors:
        changed = cell.with_starts(R=factor * cell.pool("R").start)
        response = find_step_response(changed, 1.0, 2.0, seconds=seconds, settle=seconds, dt=0.1)
        activity = response.course["RA"]
        before = int(np.searchsorted(response.course.times, seconds - 1e-6))
        error = max(response.error, abs(float(activity[-1] / activity[before]) - 1.0))
        bias = float(clockwise_bias(np.array([response.rest]))[0])
        found.append(Robustness(factor, bias, response.settling_time(), error))
    return tuple(found)


def measure_fold_change(network: AnyNetwork = NETWORK) -> float:
    """Return the largest difference of responses to steps by the same factor; 0 is exact fold-change detection."""
    responses = [find_bias_response(*pair, network=network, seconds=30.0).values for pair in ((0.1, 0.2), (0.4, 0.8))]
    return float(max(np.abs(values - responses[0]).max() for values in responses))


def find_lag(network: AnyNetwork = NETWORK) -> float:
    """Return the lag of the output behind a slow change of the input without methylation [s]: its mean delay."""
    step, settle, dt = 5.0, 20.0, 0.005
    held = hold_methylation(network, 1.0)
    course = simulate(held, settle + step, dt=dt, inputs={"L": [(0.0, 1.0), (settle, 1.001)]})
    values = course.output[round(settle / dt) :]
    return float(np.trapezoid((values - values[-1]) / (values[0] - values[-1]), dx=dt))


def hold_methylation(network: AnyNetwork, level: float) -> ReactionNetwork:
    """Return a network of E. coli whose methylation is held at the value of a cell that is adapted to an input."""
    cell = load_reactions(network)
    return cell.with_starts(M=cell.pool("M").start * level).with_held("M")


def find_conserved_drifts(network: AnyNetwork = NETWORK) -> Mapping[str, float]:
    """Return the relative drift of the conserved sums in 60 s with a step."""
    return simulate(load_reactions(network), 60.0, inputs={"L": [(0.0, 1.0), (1.0, 10.0)]}).drifts()


@dataclass(frozen=True, kw_only=True)
class NetworkResults:
    """All figures of the network."""

    rest_bias: float
    adaptations: Sequence[Adaptation]
    robustness: Sequence[Robustness]
    fold_change: float
    drifts: Mapping[str, float]


def measure_network(network: AnyNetwork = NETWORK) -> NetworkResults:
    """Measure all figures of a network."""
    return NetworkResults(
        rest_bias=find_rest_bias(network),
        adaptations=measure_adaptation(network=network),
        robustness=measure_robustness(network=network),
        fold_change=measure_fold_change(network),
        drifts=find_conserved_drifts(network),
    )
