"""What the network of E. coli does at rest and after steps of its input: the numbers behind the claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paddock.reactions import ReactionNetwork, StepResponse, find_step_response, load_reactions, simulate
from paddock.reactions.motor import HALF, HILL
from paddock.reactions.tables import Floats

STEPS = (0.1, 0.5, 1.1, 2.0, 10.0)  # factors of the input
CHER = (0.5, 2.0, 10.0, 50.0)  # factors of CheR, Alon et al. (1999)
PUBLISHED_BIAS = 0.14  # clockwise, from runs of 0.86 s and tumbles of 0.14 s (Berg and Brown 1972)


def clockwise_bias(output: Floats) -> Floats:
    """The motor's clockwise bias of every value of CheY-P."""
    odds = (np.asarray(output, float) / HALF) ** HILL
    return np.asarray(odds / (1.0 + odds))


def find_rest_bias(network: ReactionNetwork | None = None, *, level: float = 1.0, seconds: float = 100.0) -> float:
    """The bias of a cell that has long been in a constant concentration."""
    network = network or load_reactions("ecoli-chemotaxis")
    course = simulate(network, seconds, dt=1.0, inputs={"L": level})
    return float(clockwise_bias(course.output)[-1])


def find_bias_response(
    before: float = 1.0, after: float = 2.0, *, network: ReactionNetwork | None = None, seconds: float = 60.0
) -> StepResponse:
    """The bias before and after a step of the concentration."""
    network = network or load_reactions("ecoli-chemotaxis")
    return find_step_response(network, before, after, seconds=seconds, settle=100.0, reading=clockwise_bias)


@dataclass(frozen=True)
class Adaptation:
    """How a cell answers one step."""

    factor: float
    response_time: float  # [s] until halfway to the peak
    peak_time: float  # [s]
    settling_time: float  # [s] until within 5 % for good
    error: float  # relative, at the end


def measure_adaptation(factors: Sequence[float] = STEPS) -> tuple[Adaptation, ...]:
    """Steps of the concentration by some factors."""
    found = []
    for factor in factors:
        response = find_bias_response(1.0, factor)
        found.append(
            Adaptation(factor, response.half_time, response.peak_time, response.settling_time(), response.error)
        )
    return tuple(found)


@dataclass(frozen=True)
class Robustness:
    """What changes with the amount of CheR, and what does not."""

    factor: float
    rest_bias: float
    settling_time: float  # [s]
    error: float  # of the receptors' activity and of CheY-P, 200 s after the concentration doubled, relative


def measure_robustness(factors: Sequence[float] = CHER, *, seconds: float = 200.0) -> tuple[Robustness, ...]:
    """Adaptation with less or more CheR: exact all the same; the bias at rest and the time it takes change."""
    network = load_reactions("ecoli-chemotaxis")
    found = []
    for factor in factors:
        changed = network.with_starts(R=factor * network.pool("R").start)
        response = find_step_response(changed, 1.0, 2.0, seconds=seconds, settle=seconds, dt=0.1)
        activity = response.course["RA"]
        before = int(np.searchsorted(response.course.times, seconds - 1e-6))
        error = max(response.error, abs(float(activity[-1] / activity[before]) - 1.0))
        bias = float(clockwise_bias(np.array([response.rest]))[0])
        found.append(Robustness(factor, bias, response.settling_time(), error))
    return tuple(found)


def measure_fold_change(pairs: Sequence[tuple[float, float]] = ((0.1, 0.2), (0.4, 0.8))) -> float:
    """How far the responses to steps by the same factor differ at most: 0 is exact fold-change detection."""
    responses = [find_bias_response(*pair, seconds=30.0).values for pair in pairs]
    return float(max(np.abs(values - responses[0]).max() for values in responses))


def find_conserved_drifts(factor: float = 10.0) -> Mapping[str, float]:
    """How far the conserved sums stray, relative, in 60 s after a step."""
    network = load_reactions("ecoli-chemotaxis")
    return simulate(network, 60.0, inputs={"L": [(0.0, 1.0), (1.0, factor)]}).drifts()


@dataclass(frozen=True, kw_only=True)
class NetworkFigures:
    """All figures of the network."""

    rest_bias: float
    adaptations: Sequence[Adaptation]
    robustness: Sequence[Robustness]
    fold_change: float
    drifts: Mapping[str, float]


def measure_network() -> NetworkFigures:
    """Everything above."""
    return NetworkFigures(
        rest_bias=find_rest_bias(),
        adaptations=measure_adaptation(),
        robustness=measure_robustness(),
        fold_change=measure_fold_change(),
        drifts=find_conserved_drifts(),
    )
