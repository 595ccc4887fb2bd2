"""Simulation of reaction networks: time courses of all pools under given inputs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, SimulationError, UnknownName, format_value
from paddock.core.observation import as_floats
from paddock.experiments.ecoli.reaction_networks.kernels import (
    FINE,
    NOT_FINITE,
    RK4,
    RK4_REACH,
    SCRATCH_ROWS,
    TOO_FAST,
    advance,
    advance_all,
    find_fastest_rate,
    start_pools,
)
from paddock.experiments.ecoli.reaction_networks.reaction_spec import (
    ConservedSum,
    Floats,
    Flux,
    ReactionNetwork,
    ReactionUnit,
    checked_method,
    conserved_sums,
    find_output,
    pack_row,
)

NO_LIMIT = 1e300  # [s] of a sub-step
MAX_REFINEMENTS = 6  # halvings of the sub-step before a row is split in half
MAX_PIECES = 1000  # of a row
FIRST_STEPS = 1000  # maximum number of sub-steps of the first attempt, unless the fastest rate requires more
HALVING_GAIN = 15.0  # halving the step of an order-4 method leaves 1/16 of the error: 1/15 of the difference
MAX_ROWS, MAX_NUMBERS = 1_000_000, 20_000_000  # of a time course: 160 MB
TINY = 1e-12  # concentrations below this count as 0
Schedule = Sequence[tuple[float, float]]
"""Pairs (time [s], value): each value applies from its time on."""
Inputs = Mapping[str, float | Schedule | Callable[[float], float]]
"""Held pools by name: a value, a schedule, or a function of time."""


def explain_fault(network: ReactionNetwork, fault: int, pools: Floats, time: float) -> None:
    """Raise an error for a kernel's fault; `pools` are the last valid concentrations."""
    if fault == FINE:
        return
    where = f"{network.name}: before {time:g} s"
    if fault == TOO_FAST:
        raise SimulationError(
            f"{where}: the fastest rate requires more than a million sub-steps: use smaller rates, or shorter times"
        )
    problem = find_zero_inhibitor(network, pools) or find_overflow(network, pools)
    if problem:
        raise SimulationError(f"{where}: {problem}")
    if fault == NOT_FINITE:
        values = ", ".join(f"{name} {value:g}" for name, value in zip(network.names, pools, strict=True))
        raise SimulationError(f"{where}: a rate is not finite: use smaller rates or orders (pools: {values})")
    name = network.names[fault - 1]
    if network.is_trap(name) and pools[fault - 1] == 0:
        raise SimulationError(f"{where}: pool {name!r} is 0 and would stay 0 permanently: set a start value > 0")
    raise SimulationError(f"{where}: {explain_limit(network, name, pools)}")


def explain_limit(network: ReactionNetwork, name: str, pools: Floats) -> str:
    """Explain why a pool cannot be integrated any further, and name the unit that causes it."""
    parts: dict[str, float] = {}
    for unit, way, flux in running_fluxes(network, pools):
        sign = 1.0 if way == "forward" else -1.0
        change = sign * unit.changes.get(name, 0.0) * find_flux(network, flux, pools)
        parts[unit.name] = parts.get(unit.name, 0.0) + change
    now = f"(now {pools[network.index(name)]:g})"
    if sum(parts.values()) > 0:
        unit_name = max(parts, key=lambda each: parts[each])
        return (
            f"pool {name!r} grows without bound {now}, however short the step: unit {unit_name!r} produces it at an "
            f"increasing rate; give that unit an order of at most 1 in {name}, or inhibit it"
        )
    unit_name = min(parts, key=lambda each: parts[each], default="")
    return (
        f"pool {name!r} would become negative {now}, however short the step: unit {unit_name!r} consumes it at a rate "
        f"that does not decrease with it; give that unit a positive order in {name}"
    )


def find_zero_inhibitor(network: ReactionNetwork, pools: Floats) -> str:
    """Explain a pool that is 0 and has a negative order, which makes the flux infinite; empty if there is none."""
    for unit, way, flux in running_fluxes(network, pools):
        for pool, order in flux.orders.items():
            if order < 0 and pools[network.index(pool)] == 0:
                source = "set its input to a number" if network.pool(pool).held else "set its start to a number"
                return (
                    f"pool {pool!r} is 0, and unit {unit.name!r} has it in its {way} flux with the order {order:g}, "
                    f"which divides by it: {source} > 0 (a small floor is enough), or inhibit with off_above instead"
                )
    return ""


def find_overflow(network: ReactionNetwork, pools: Floats) -> str:
    """Explain a flux that is not finite; empty if there is none."""
    for unit, way, flux in running_fluxes(network, pools):
        if not math.isfinite(find_flux(network, flux, pools)):
            values = ", ".join(f"{pool} = {pools[network.index(pool)]:g}" for pool in flux.orders)
            return (
                f"the {way} flux of unit {unit.name!r} is not finite ({values}): use a smaller rate or smaller orders"
            )
    return ""


def find_flux(network: ReactionNetwork, flux: Flux, pools: Floats) -> float:
    """Return the rate times the pools, each to the power of its order; infinite on overflow."""
    try:
        powers = (float(pools[network.index(pool)]) ** order for pool, order in flux.orders.items())
        return float(flux.rate * math.prod(powers))
    except OverflowError:
        return math.inf


def running_fluxes(network: ReactionNetwork, pools: Floats) -> Iterator[tuple[ReactionUnit, str, Flux]]:
    """Iterate over the fluxes of all units that are not switched off: unit, "forward" or "backward", and flux."""
    for unit in network.units:
        off = unit.off_above
        if off is None or not pools[network.index(off.pool)] > off.level:
            for way, flux in zip(("forward", "backward"), unit.fluxes, strict=False):
                if flux.rate > 0:
                    yield unit, way, flux


@dataclass(frozen=True, eq=False)
class TimeCourse:
    """All pools of a network over time."""

    network: ReactionNetwork
    times: Floats  # [s], shape (rows)
    pools: Floats  # shape (rows, pools)

    def __getitem__(self, name: str) -> Floats:
        """Return one pool over time."""
        return np.asarray(self.pools[:, self.network.index(name)])

    @property
    def output(self) -> Floats:
        """The network's output over time."""
        return self[find_output(self.network)]

    def drifts(self) -> dict[str, float]:
        """Return the largest deviation of each conserved sum from its start, relative to the sum of its parts."""
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
    """Simulate a network for some time.

    Args:
        network: the network to simulate.
        seconds: duration, rounded to whole rows.
        dt: seconds between two rows of the result. Inputs that are functions are evaluated once per row.
        method: "rk4", "rkc", or "euler" as in the original artificial reaction networks.
        inputs: held pools by name: a value, a schedule, or a function of time; other held pools keep their start.
        starts: start values that replace those of the network, by pool.
        step: longest sub-step [s]; None: as long as the fastest rate and, for rk4, `tolerance` allow.
        tolerance: permitted relative error of a row if no step is given; an error is raised if it is not reached.
    """
    check_durations(network, seconds=seconds, dt=dt, step=1.0 if step is None else step)
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


def check_durations(network: ReactionNetwork, **durations: float) -> None:
    """Raise an error if the network is none, such as its name, or if a duration is not a number of seconds > 0."""
    if not isinstance(network, ReactionNetwork):
        raise PaddockError(f"expected a ReactionNetwork, got {format_value(network)}: load it with load_reactions(…)")
    for what, value in durations.items():
        if not (all_finite(value) and value > 0):
            raise PaddockError(f"{network.name}: {what}: expected seconds > 0, got {format_value(value)}")


def check_rows(network: ReactionNetwork, seconds: float, dt: float) -> None:
    """Raise an error if a time course has no row, or more rows than fit into memory."""
    rows, pools = seconds / dt, len(network.pools)
    if rows < 0.5:
        raise PaddockError(
            f"{network.name}: seconds: expected at least dt = {dt:g}, a row of the result, got {seconds:g}"
        )
    most = min(MAX_ROWS, MAX_NUMBERS // pools)
    if rows > most:
        raise PaddockError(
            f"{network.name}: {seconds:g} s in rows of dt = {dt:g} s are {rows:.3g} rows of {pools} pools: expected at "
            f"most {most:,} rows: use dt={seconds / most:.2g} or more, or simulate in several parts with starts=…"
        )


class CourseStepper:
    """Advances a network from row to row, and halves the sub-step until it is short enough."""

    def __init__(self, network: ReactionNetwork, method: int, step: float | None, tolerance: float) -> None:
        self.network, self.method, self.tolerance = network, method, tolerance
        self.controlled = step is None and method == RK4
        self.longest = NO_LIMIT if step is None else float(step)
        self._pieces = 0  # parts into which the current row has been split
        self._table, self._scratch = pack_row(network), np.zeros(SCRATCH_ROWS * len(network.pools))

    def advance(self, pools: Floats, now: float, then: float) -> Floats:
        """Return the pools at time `then`, given those at time `now` [s]."""
        if not self.controlled:
            return self._take_step(pools, now, then, self.longest)
        self._pieces = 0
        return self._refine(pools, now, then, HALVING_GAIN)

    def _refine(self, pools: Floats, now: float, then: float, gain: float) -> Floats:
        """Halve the sub-step; if that is not enough, split the interval: a unit may have been switched off in it."""
        count = len(pools)
        rate = find_fastest_rate(self._table, pools, self._scratch[:count], self._scratch[count : 2 * count])
        begin = max(2.0 * self.longest, (then - now) / FIRST_STEPS)  # may be longer than in the previous row
        self.longest = min(begin, then - now, RK4_REACH / max(rate, TINY))
        coarse = self._take_step(pools, now, then, self.longest)
        for _ in range(MAX_REFINEMENTS):
            fine = self._take_step(pools, now, then, 0.5 * self.longest)
            error = np.abs(fine - coarse) / np.maximum(np.abs(fine), np.abs(pools) + TINY)
            if error.max() <= self.tolerance * gain:
                return fine
            self.longest, coarse = 0.5 * self.longest, fine
        self._pieces += 1
        middle = 0.5 * (now + then)
        if self._pieces > MAX_PIECES or not now < middle < then:
            self._refuse(error / gain, now, then)
        self.longest = NO_LIMIT
        # An error that decreases so slowly is not of order 4, so the whole difference counts as error.
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
    """Advance many copies of a network. Pools have shape (…, pools), such as (world, robot, pool)."""
    check_durations(network, seconds=seconds, step=1.0 if step is None else step)
    now = as_floats(f"{network.name}: pools", pools)
    count = len(network.pools)
    if now.ndim < 1 or now.shape[-1] != count:
        raise PaddockError(f"{network.name}: pools: expected shape (…, {count}), got {now.shape}")
    flat = np.ascontiguousarray(now.reshape(-1, count))
    faults = np.zeros(len(flat), np.int64)
    longest = NO_LIMIT if step is None else float(step)
    advance_all(
        pack_row(network), flat, np.zeros(SCRATCH_ROWS * count), float(seconds), checked_method(method), longest, faults
    )
    if faults.any():
        first = int(np.flatnonzero(faults)[0])
        explain_fault(network, int(faults[first]), flat[first], seconds)
    return flat.reshape(now.shape)


def start_values(
    network: ReactionNetwork, inputs: Mapping[str, float] | None = None, starts: Mapping[str, float] | None = None
) -> Floats:
    """Return all pools at the start, with given values of held pools and given start values; shape (pools)."""
    pools = np.array([pool.start for pool in network.pools])
    check_held(network, inputs or {})
    for name, value in (inputs or {}).items():
        pools[network.index(name)] = checked_input(network, name, value)
    start_pools(pack_row(network), pools)
    if not isinstance(starts, Mapping | None):
        raise PaddockError(f"{network.name}: starts: expected a dict by pool, got {format_value(starts)}")
    for name, value in (starts or {}).items():
        pools[network.index(name)] = checked_input(network, name, value)
        if value == 0 and network.is_trap(name):
            raise SimulationError(f"{network.name}: {name} = 0 would stay 0 permanently: expected a number > 0")
    return pools


def checked_input(network: ReactionNetwork, name: str, value: Any) -> float:
    """Return a concentration as a float; raise an error if it is not a number >= 0."""
    if not (all_finite(value) and value >= 0):
        raise SimulationError(f"{network.name}: {name}: expected a concentration >= 0, got {format_value(value)}")
    return float(value)


def check_held(network: ReactionNetwork, inputs: Mapping[str, Any]) -> None:
    """Raise an error if the inputs are not a dict by held pool."""
    if not isinstance(inputs, Mapping):
        raise PaddockError(f"{network.name}: inputs: expected a dict by held pool, got {format_value(inputs)}")
    held = [pool.name for pool in network.pools if pool.held]
    for name in inputs:
        if name not in held:
            raise UnknownName(f"held pool of {network.name}", name, held)


def _feeds(network: ReactionNetwork, inputs: Inputs) -> dict[str, Callable[[float], float]]:
    check_held(network, inputs)
    return {name: _feed(network, name, value) for name, value in inputs.items()}


def _feed(network: ReactionNetwork, name: str, value: Any) -> Callable[[float], float]:
    if callable(value):
        return value  # type: ignore[no-any-return]
    if all_finite(value):
        return lambda time: value
    if not isinstance(value, Sequence) or not all(_is_pair(item) for item in value):
        raise PaddockError(
            f"{network.name}: input {name}: expected a number, a list of (time, value), or a function of time, "
            f"got {format_value(value)}"
        )
    times = [time for time, _ in value]
    if not times or times[0] > 0 or times != sorted(times):
        raise PaddockError(f"{network.name}: input {name}: expected increasing times, the first 0")
    return lambda time: value[int(np.searchsorted(times, time, side="right")) - 1][1]


def _is_pair(item: Any) -> bool:
    return isinstance(item, Sequence | np.ndarray) and len(item) == 2 and all_finite(*item)


def _changes(inputs: Inputs, end: float) -> list[float]:
    """Return the times before the end at which a schedule changes."""
    lists = [value for value in inputs.values() if isinstance(value, Sequence)]
    return [float(time) for value in lists for time, _ in value if 0 < time < end and math.isfinite(time)]
