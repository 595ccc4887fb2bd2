"""Networks in time: courses of all pools, steps of an input, doses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from paddock.core.errors import PaddockError, SimulationError, UnknownName, format_value
from paddock.core.numeric import all_finite
from paddock.reactions.faults import explain_fault as explain_fault
from paddock.reactions.kernels import (
    EULER,
    RK4,
    RK4_REACH,
    RKC,
    SCRATCH_ROWS,
    advance,
    advance_all,
    find_fastest_rate,
    start_pools,
)
from paddock.reactions.spec import ReactionNetwork
from paddock.reactions.tables import ConservedSum, Floats, conserved_sums, table_of

METHODS = {"euler": EULER, "rk4": RK4, "rkc": RKC}
NO_LIMIT = 1e300  # [s] of a sub-step
MOST_REFINEMENTS = 6  # halvings of the sub-step before a row is cut in halves
MOST_PIECES = 1000  # of a row
FIRST_STEPS = 1000  # sub-steps that are tried first, at most, unless the fastest rate asks for more
HALVING_GAIN = 15.0  # the error of a method of order 4 falls to a 16th: what is left is a 15th of the difference
MOST_ROWS, MOST_NUMBERS = 1_000_000, 20_000_000  # of a course: 160 MB
TINY = 1e-12  # concentrations that are as good as 0

Schedule = Sequence[tuple[float, float]]
"""From each time [s] on, a value."""
Inputs = Mapping[str, float | Schedule | Callable[[float], float]]
"""Held pools by name: a value, a schedule, or a function of time."""


@dataclass(frozen=True, eq=False)
class TimeCourse:
    """All pools of a network over time."""

    network: ReactionNetwork
    times: Floats  # [s], shape (rows)
    pools: Floats  # shape (rows, pools)

    def __getitem__(self, name: str) -> Floats:
        """One pool over time."""
        return np.asarray(self.pools[:, self.network.index(name)])

    @property
    def output(self) -> Floats:
        """The network's output over time."""
        return self[output_of(self.network)]

    def drifts(self) -> dict[str, float]:
        """How far each conserved sum strayed from its start at most, relative to the sum of its parts."""
        return {str(part): self._drift(part) for part in conserved_sums(self.network)}

    def _drift(self, part: ConservedSum) -> float:
        values = part.of(self.network, self.pools)
        size = sum(abs(weight) * self[name].max() for name, weight in part.weights.items())
        return float(np.abs(values - values[0]).max() / size) if size else 0.0


def simulate(
    network: ReactionNetwork,
    seconds: float,
    *,
    dt: float = 0.02,
    method: str = "rk4",
    inputs: Inputs | None = None,
    starts: Mapping[str, float] | None = None,
    step: float | None = None,
    tolerance: float = 1e-6,
) -> TimeCourse:
    """Let time pass in a network.

    Args:
        network: what to simulate.
        seconds: how long, rounded to whole rows.
        dt: seconds between two rows of the result. Inputs that are functions are looked at as often.
        method: "rk4", or "euler" as in the original artificial reaction networks.
        inputs: what held pools are, by name: a value, a schedule, or a function of time; others stay at their start.
        starts: other start values, by pool.
        step: longest sub-step [s]; None: as long as the fastest rate and, for rk4, `tolerance` allow.
        tolerance: relative error of a row that is allowed, where no step is given; an error if it cannot be reached.
    """
    for what, value in (("seconds", seconds), ("dt", dt), ("step", 1.0 if step is None else step)):
        if not (all_finite(value) and value > 0):
            raise PaddockError(f"{network.name}: {what}: expected seconds > 0, got {format_value(value)}")
    if not (all_finite(tolerance) and tolerance > 0):
        raise PaddockError(f"{network.name}: tolerance: expected a number > 0, got {format_value(tolerance)}")
    check_rows(network, seconds, dt)
    stepper = CourseStepper(network, checked_method(method), step, tolerance)
    feeds = _feeds(network, inputs or {})
    pools = start_values(network, {name: feed(0.0) for name, feed in feeds.items()}, starts)
    times: Floats = np.arange(round(seconds / dt) + 1, dtype=np.float64) * float(dt)
    moments = sorted({*times.tolist(), *_changes(inputs or {}, float(times[-1]))})
    rows = np.empty((len(moments), len(pools)))
    rows[0] = pools
    for row, (now, then) in enumerate(itertools.pairwise(moments), 1):
        for name, feed in feeds.items():
            pools[network.index(name)] = checked_input(network, name, feed(now))
        pools = stepper.advance(pools, now, then)
        rows[row] = pools
    kept = np.searchsorted(moments, times)
    return TimeCourse(network, times, rows[kept])


def check_rows(network: ReactionNetwork, seconds: float, dt: float) -> None:
    """Refuse a course without a row, or with more than fit into memory."""
    rows, pools = seconds / dt, len(network.pools)
    if rows < 0.5:
        raise PaddockError(
            f"{network.name}: seconds: expected at least dt = {dt:g}, a row of the result, got {seconds:g}"
        )
    most = min(MOST_ROWS, MOST_NUMBERS // pools)
    if rows > most:
        raise PaddockError(
            f"{network.name}: {seconds:g} s in rows of dt = {dt:g} s are {rows:.3g} rows of {pools} pools: expected at "
            f"most {most:,} rows: use dt={seconds / most:.2g} or more, or simulate piece by piece with starts=…"
        )


class CourseStepper:
    """Advances a network from row to row, and finds the sub-step that is short enough by halving it."""

    def __init__(self, network: ReactionNetwork, method: int, step: float | None, tolerance: float) -> None:
        self.network, self.method, self.tolerance = network, method, tolerance
        self.controlled = step is None and method == RK4
        self.longest = NO_LIMIT if step is None else float(step)
        self._pieces = 0  # of the present row
        self._table, self._scratch = table_of(network), np.zeros(SCRATCH_ROWS * len(network.pools))

    def advance(self, pools: Floats, now: float, then: float) -> Floats:
        """The pools at another time."""
        if not self.controlled:
            return self._take_step(pools, now, then, self.longest)
        self._pieces = 0
        return self._refine(pools, now, then, HALVING_GAIN)

    def _refine(self, pools: Floats, now: float, then: float, gain: float) -> Floats:
        """Halve the sub-step; if that does not help, halve the time: within it, a unit may have been switched off."""
        count = len(pools)
        rate = find_fastest_rate(self._table, pools, self._scratch[:count], self._scratch[count : 2 * count])
        begin = max(2.0 * self.longest, (then - now) / FIRST_STEPS)  # perhaps longer than before
        self.longest = min(begin, then - now, RK4_REACH / max(rate, TINY))
        coarse = self._take_step(pools, now, then, self.longest)
        for _ in range(MOST_REFINEMENTS):
            fine = self._take_step(pools, now, then, 0.5 * self.longest)
            error = np.abs(fine - coarse) / np.maximum(np.abs(fine), np.abs(pools) + TINY)
            if error.max() <= self.tolerance * gain:
                return fine
            self.longest, coarse = 0.5 * self.longest, fine
        self._pieces += 1
        middle = 0.5 * (now + then)
        if self._pieces > MOST_PIECES or not now < middle < then:
            self._refuse(error / gain, now, then)
        self.longest = NO_LIMIT
        # An error that falls so slowly is not that of order 4: it is all of the difference.
        return self._refine(self._refine(pools, now, middle, 1.0), middle, then, 1.0)

    def _refuse(self, error: Floats, now: float, then: float) -> NoReturn:
        worst = int(error.argmax())
        raise SimulationError(
            f"{self.network.name}: from {now:g} to {then:g} s: pool {self.network.names[worst]!r} has a relative error "
            f"of {error[worst]:.1e}, even with sub-steps of {self.longest:.1e} s: tolerance={self.tolerance:g} is not "
            "reached; allow a larger tolerance=…, or choose the sub-step, step=…"
        )

    def _take_step(self, pools: Floats, now: float, then: float, longest: float) -> Floats:
        new = pools.copy()
        fault = advance(self._table, new, self._scratch, then - now, self.method, longest)
        explain_fault(self.network, fault, new, then)
        return new


def advance_pools(
    network: ReactionNetwork, pools: Any, seconds: float, *, method: str = "rk4", step: float | None = None
) -> Floats:
    """Many copies of a network after some time. Pools have shape (…, pools), such as (world, robot, pool)."""
    now = np.array(pools, np.float64)
    count = len(network.pools)
    if now.ndim < 1 or now.shape[-1] != count:
        raise PaddockError(f"{network.name}: pools: expected shape (…, {count}), got {now.shape}")
    flat = np.ascontiguousarray(now.reshape(-1, count))
    faults = np.zeros(len(flat), np.int64)
    longest = NO_LIMIT if step is None else float(step)
    advance_all(
        table_of(network), flat, np.zeros(SCRATCH_ROWS * count), float(seconds), checked_method(method), longest, faults
    )
    if faults.any():
        first = int(np.flatnonzero(faults)[0])
        explain_fault(network, int(faults[first]), flat[first], seconds)
    return flat.reshape(now.shape)


def start_values(
    network: ReactionNetwork, inputs: Mapping[str, float] | None = None, starts: Mapping[str, float] | None = None
) -> Floats:
    """All pools at the start, with some values of held pools, and some of others; shape (pools)."""
    pools = np.array([pool.start for pool in network.pools])
    for name, value in (inputs or {}).items():
        pools[network.index(name)] = checked_input(network, name, value)
    start_pools(table_of(network), pools)
    for name, value in (starts or {}).items():
        pools[network.index(name)] = checked_input(network, name, value)
        if value == 0 and network.is_trap(name):
            raise SimulationError(f"{network.name}: {name} = 0 would stay 0 for ever: expected a number > 0")
    return pools


def checked_method(method: str) -> int:
    """The number of a method."""
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    return METHODS[method]


def checked_input(network: ReactionNetwork, name: str, value: Any) -> float:
    """A concentration."""
    if not (all_finite(value) and value >= 0):
        raise SimulationError(f"{network.name}: {name}: expected a concentration >= 0, got {format_value(value)}")
    return float(value)


def output_of(network: ReactionNetwork) -> str:
    """The name of the pool that is looked at."""
    if network.output is None:
        raise PaddockError(f'{network.name}: no output: set output = "…" to the name of a pool')
    return network.output


def input_of(network: ReactionNetwork) -> str:
    """The name of the pool that a sensor sets."""
    if network.input is None:
        raise PaddockError(f'{network.name}: no input: set input = "…" to the name of a held pool')
    return network.input


def _feeds(network: ReactionNetwork, inputs: Inputs) -> dict[str, Callable[[float], float]]:
    held = [pool.name for pool in network.pools if pool.held]
    for name in inputs:
        if name not in held:
            raise UnknownName(f"held pool of {network.name}", name, held)
    return {name: _feed(network, name, value) for name, value in inputs.items()}


def _feed(network: ReactionNetwork, name: str, value: Any) -> Callable[[float], float]:
    if callable(value):
        return value  # type: ignore[no-any-return]
    if all_finite(value):
        return lambda time: value
    if not isinstance(value, Sequence) or not all(np.shape(item) == (2,) and all_finite(*item) for item in value):
        raise PaddockError(
            f"{network.name}: input {name}: expected a number, a list of (time, value), or a function of time, "
            f"got {format_value(value)}"
        )
    times = [time for time, _ in value]
    if not times or times[0] > 0 or times != sorted(times):
        raise PaddockError(f"{network.name}: input {name}: expected rising times, the first 0")
    return lambda time: value[int(np.searchsorted(times, time, side="right")) - 1][1]


def _changes(inputs: Inputs, end: float) -> list[float]:
    """When schedules change, before the end."""
    lists = [value for value in inputs.values() if isinstance(value, Sequence)]
    return [float(time) for value in lists for time, _ in value if 0 < time < end and math.isfinite(time)]
