"""Step responses and dose responses of reaction networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, format_value
from paddock.experiments.ecoli.reaction_networks.reaction_spec import Floats, ReactionNetwork, find_input, find_output
from paddock.experiments.ecoli.reaction_networks.simulate import TimeCourse, check_durations, simulate

Reading = Callable[[Floats], Floats]
"""Converts the output pool to the measured value, such as a motor's bias."""


@dataclass(frozen=True, eq=False)
class StepResponse:
    """The response to a step of the input from `before` to `after` at time 0."""

    before: float
    after: float
    times: Floats  # [s] since the step; times before it are negative
    values: Floats  # measured values
    course: TimeCourse

    @property
    def rest(self) -> float:
        """The value before the step."""
        return float(self.values[self.times <= 0][-1])

    @property
    def peak(self) -> float:
        """The value farthest from rest."""
        return float(self._after[self._farthest])

    @property
    def peak_time(self) -> float:
        """Time at which the value is farthest from rest [s]."""
        return float(self._times[self._farthest])

    @property
    def half_time(self) -> float:
        """Time at which the value is first halfway to its peak [s]."""
        away = np.abs(self._after - self.rest)
        return float(self._times[np.argmax(away >= 0.5 * away[self._farthest])])

    @property
    def error(self) -> float:
        """Difference of the last value from rest, relative to rest; 0 is exact adaptation."""
        away = abs(float(self.values[-1]) - self.rest)
        return away / abs(self.rest) if self.rest else float("inf") if away else 0.0

    def settling_time(self, share: float = 0.05) -> float:
        """Return the time from which the value stays within a fraction of rest [s]; infinite if it does not."""
        outside = np.flatnonzero(np.abs(self._after - self.rest) > share * abs(self.rest))
        if not len(outside):
            return 0.0
        return float(self._times[outside[-1] + 1]) if outside[-1] + 1 < len(self._times) else float("inf")

    @property
    def _after(self) -> Floats:
        return np.asarray(self.values[self.times > 0])

    @property
    def _times(self) -> Floats:
        return np.asarray(self.times[self.times > 0])

    @property
    def _farthest(self) -> int:
        return int(np.argmax(np.abs(self._after - self.rest)))


def find_step_response(
    network: ReactionNetwork,
    before: float,
    after: float,
    *,
    seconds: float = 60.0,
    settle: float = 60.0,
    dt: float = 0.01,
    method: str = "rk4",
    reading: Reading | None = None,
    shown_before: float = 1.0,
) -> StepResponse:
    """Let a network settle, then step its input.

    Args:
        network: the network; it must have an input and an output.
        before: the input before the step.
        after: the input after the step.
        seconds: simulated time after the step.
        settle: simulated time before the step [s].
        dt: seconds between two values.
        method: integration method.
        reading: function from the output to the measured value; None: the output itself.
        shown_before: seconds before the step that the result contains.
    """
    check_durations(network, seconds=seconds, dt=dt)
    for what, value in (("settle", settle), ("shown_before", shown_before)):
        if not (all_finite(value) and value >= 0):
            raise PaddockError(f"{network.name}: {what}: expected seconds >= 0, got {format_value(value)}")
    find_output(network)
    whole = round(settle / dt) * dt
    schedule = [(0.0, before), (whole, after)]
    course = simulate(network, whole + seconds, dt=dt, method=method, inputs={find_input(network): schedule})
    values = np.asarray(course.output if reading is None else reading(course.output))
    if values.shape != course.times.shape:
        expected = f"a value for each of {len(course.times)} times"
        raise PaddockError(f"{network.name}: reading: expected {expected}, got the shape {values.shape}")
    times = course.times - whole
    kept = times >= -shown_before - 1e-9
    return StepResponse(before, after, times[kept], values[kept], course)


@dataclass(frozen=True, eq=False)
class DoseResponse:
    """Responses to steps from one background to many doses."""

    background: float
    doses: Floats
    rest: float  # before the steps
    peaks: Floats  # farthest from rest, for each dose
    adapted: Floats  # at the end


def find_dose_response(
    network: ReactionNetwork,
    doses: Sequence[float],
    *,
    background: float = 1.0,
    seconds: float = 60.0,
    settle: float = 60.0,
    dt: float = 0.02,
    reading: Reading | None = None,
) -> DoseResponse:
    """Step the input of a settled network from a background to each dose."""
    check_durations(network)
    if not isinstance(doses, Sequence | np.ndarray) or not len(doses):
        raise PaddockError(f"{network.name}: doses: expected a list of at least one dose, got {format_value(doses)}")
    found = [
        find_step_response(network, background, dose, seconds=seconds, settle=settle, dt=dt, reading=reading)
        for dose in doses
    ]
    return DoseResponse(
        background,
        np.array(doses, np.float64),
        found[0].rest,
        np.array([response.peak for response in found]),
        np.array([response.values[-1] for response in found]),
    )
