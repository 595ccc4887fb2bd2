"""Specification of reaction networks: pools of chemicals, and the units that convert pools into other pools.

Artificial reaction networks generalise S-systems (Savageau). The flux of a unit is a product of powers of pools,
forward minus backward:

    J = k⁺ · A^a · B^b · … − k⁻ · C^c · D^d · …

A pool changes by the sum of all fluxes times its stoichiometric numbers, plus supply, minus loss · pool.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value, suggestion
from paddock.core.registry import find_spec_file, list_spec_names
from paddock.core.spec import Count, Name, NotNegative, Number, Spec, Text, convert, refuse_duplicates, spec_from_table
from paddock.core.toml import TomlName, read_toml_file
from paddock.experiments.ecoli.reaction_networks.kernels import EULER, RK4, RKC, UNIT_HEAD

if TYPE_CHECKING:
    from paddock.experiments.ecoli.reaction_networks.simulate import TimeCourse


# The cost of a sub-step is proportional to the number of pools and terms. A network of this size runs in about real
# time, and a walker with such a network needs 24 kB.
MAX_POOLS, MAX_UNITS, MAX_TERMS = 500, 2000, 10_000

NetworkName = Annotated[
    str, Text("a name of letters, digits, '-', '_' and '.'", lambda s: re.fullmatch(r"[\w.-]+", s) is not None)
]
Order = Annotated[float, Number("a reaction order", limit=100)]
Change = Annotated[float, Number("how much of a pool one reaction produces or, if negative, consumes", limit=1000)]
Floats = NDArray[np.float64]
NOWHERE = -1.0
METHODS = {"euler": EULER, "rk4": RK4, "rkc": RKC}
FINEST = 10_000  # largest denominator of a stoichiometric number


@dataclass(frozen=True, kw_only=True, slots=True)
class ReactionPool(Spec):
    """A pool: a concentration >= 0."""

    name: Name
    start: NotNegative  # initial concentration; relative to `start_with`, if that is given
    start_with: str | None = None  # a held pool: the initial concentration is `start` times its first value
    held: bool = False  # set from outside; no reaction changes it
    supply: NotNegative = 0.0  # source [concentration/s]
    loss: NotNegative = 0.0  # sink: fraction that is lost [1/s]


@dataclass(frozen=True, kw_only=True, slots=True)
class Flux(Spec):
    """A flux: `rate` times the product of pools, each to the power of its order; a negative order inhibits."""

    rate: NotNegative
    orders: Mapping[str, Order] = field(default_factory=dict)  # by pool; empty: a constant flux


@dataclass(frozen=True, kw_only=True, slots=True)
class SwitchOff(Spec):
    """Switches a unit off while a pool is above a level."""

    pool: str
    level: NotNegative


@dataclass(frozen=True, kw_only=True, slots=True)
class ReactionUnit(Spec):
    """A reaction: its flux, forward minus backward, changes each pool by the flux times a stoichiometric number."""

    name: Name
    forward: Flux
    backward: Flux | None = None
    changes: Mapping[str, Change]  # stoichiometry by pool: > 0 produced, < 0 consumed
    off_above: SwitchOff | None = None

    def check(self) -> None:
        for pool, change in self.changes.items():
            if change == 0:
                raise SpecError(
                    "expected a number other than 0: leave out pools that do not change", path=f"changes.{pool}"
                )

    @property
    def fluxes(self) -> tuple[Flux, ...]:
        """The forward flux, and the backward flux if there is one."""
        return (self.forward,) if self.backward is None else (self.forward, self.backward)

    def pools(self) -> dict[str, str]:
        """Return the pools that the unit names, each with the key that names it."""
        ways = zip(("forward", "backward"), self.fluxes, strict=False)
        named = {pool: f"{way}.orders.{pool}" for way, flux in ways for pool in flux.orders}
        named |= {pool: f"changes.{pool}" for pool in self.changes}
        return named if self.off_above is None else {**named, self.off_above.pool: "off_above.pool"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ReactionNetwork(Spec):
    """Pools and reaction units. `input` is the held pool that a sensor sets, `output` the pool that is read."""

    name: NetworkName
    title: str = ""
    input: str | None = None
    output: str | None = None
    pools: Annotated[tuple[ReactionPool, ...], Count(1, "pool")]
    units: tuple[ReactionUnit, ...] = ()

    def check(self) -> None:
        self._check_size()
        refuse_duplicates((pool.name for pool in self.pools), "pools[{}].name")
        refuse_duplicates((unit.name for unit in self.units), "units[{}].name")
        for role in ("input", "output"):
            if getattr(self, role) is not None:
                self._check_pool(getattr(self, role), role)
        if self.input is not None and not self.pool(self.input).held:
            raise SpecError(f"expected a held pool: set held = true of pool {self.input!r}", path="input")
        for i, unit in enumerate(self.units):
            for name, where in unit.pools().items():
                self._check_pool(name, f"units[{i}].{where}")
            self._refuse_held_changes(unit, f"units[{i}].changes")
        for i, pool in enumerate(self.pools):
            self._check_start(pool, f"pools[{i}]")

    def _check_size(self) -> None:
        terms = sum(len(part) for unit in self.units for part in (unit.changes, *(flux.orders for flux in unit.fluxes)))
        for what, count, most, path in (
            ("pools", len(self.pools), MAX_POOLS, "pools"),
            ("reaction units", len(self.units), MAX_UNITS, "units"),
            ("orders and changes in all units", terms, MAX_TERMS, "units"),
        ):
            if count > most:
                raise SpecError(f"expected at most {most:,} {what}, got {count:,}: split the network", path=path)

    def _refuse_held_changes(self, unit: ReactionUnit, path: str) -> None:
        for name in unit.changes:
            if self.pool(name).held:
                raise SpecError(
                    f"pool {name!r} is held, so unit {unit.name!r} cannot change it: remove {name} from changes "
                    f"(keep its order in the flux), or remove held = true of {name!r}",
                    path=f"{path}.{name}",
                )

    def _check_start(self, pool: ReactionPool, path: str) -> None:
        if pool.held and pool.start_with is not None:
            raise SpecError("a held pool is set from outside: expected no start_with", path=f"{path}.start_with")
        if pool.start_with is not None:
            self._check_pool(pool.start_with, f"{path}.start_with")
            if not self.pool(pool.start_with).held:
                raise SpecError(f"expected a held pool, but {pool.start_with!r} is not held", path=f"{path}.start_with")
        if pool.held and (pool.supply or pool.loss):
            raise SpecError("a held pool is set from outside: expected no supply and no loss", path=path)
        if pool.start == 0 and self.is_trap(pool.name):
            raise SpecError(
                f"expected a number > 0: every unit that produces {pool.name!r} requires some of it, so it would stay "
                "0 permanently",
                path=f"{path}.start",
            )

    def is_trap(self, name: str) -> bool:
        """Return whether a pool that is exactly 0 stays 0: every flux that produces it requires some of it."""
        pool = self.pool(name)
        makers = [
            flux
            for unit in self.units
            for flux, sign in zip(unit.fluxes, (1, -1), strict=False)
            if sign * unit.changes.get(name, 0.0) > 0
        ]
        return (
            not pool.held and not pool.supply and bool(makers) and all(flux.orders.get(name, 0) > 0 for flux in makers)
        )

    def _check_pool(self, name: str, path: str) -> None:
        names = self.names
        if name not in names:
            raise SpecError(f"no pool called {name!r}{suggestion(name, names)}", path=path)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pools, in order."""
        return tuple(pool.name for pool in self.pools)

    def pool(self, name: str) -> ReactionPool:
        """Return the pool with a name."""
        return self.pools[self.index(name)]

    def index(self, name: str) -> int:
        """Return the index of a pool."""
        if name not in self.names:
            raise UnknownName(f"pool of {self.name}", name, self.names)
        return self.names.index(name)

    def unit(self, name: str) -> ReactionUnit:
        """Return the unit with a name."""
        names = [unit.name for unit in self.units]
        if name not in names:
            raise UnknownName(f"reaction unit of {self.name}", name, names)
        return self.units[names.index(name)]

    def simulate(self, seconds: float, **options: Any) -> TimeCourse:
        """Simulate the network; options as in the function `simulate`: dt, method, inputs, starts, step, tolerance."""
        from paddock.experiments.ecoli.reaction_networks.simulate import simulate

        return simulate(self, seconds, **options)

    # ---- modified copies

    def with_starts(self, **starts: float) -> Self:
        """Return a copy with other start values of some pools."""
        pools = {name: replace(self.pool(name), start=value) for name, value in starts.items()}
        return replace(self, pools=self._exchange(pools))

    def with_held(self, *names: str) -> Self:
        """Return a copy with some pools held at their start values; no unit changes them any more."""
        held = {"held": True, "start_with": None, "supply": 0.0, "loss": 0.0}
        pools = {name: replace(self.pool(name), **held) for name in names}  # type: ignore[arg-type]
        units = (
            replace(unit, changes={pool: change for pool, change in unit.changes.items() if pool not in names})
            for unit in self.units
        )
        return replace(self, pools=self._exchange(pools), units=tuple(units))

    def with_rates_scaled(self, factors: Mapping[str, float]) -> Self:
        """Return a copy with the fluxes of some units multiplied: {unit: factor}; 0 disables a unit."""
        units = {}
        for name, factor in factors.items():
            unit = self.unit(name)
            convert(factor, NotNegative, f"factor of {name}")
            forward, *backward = (replace(flux, rate=factor * flux.rate) for flux in unit.fluxes)
            units[name] = replace(unit, forward=forward, backward=backward[0] if backward else None)
        return replace(self, units=tuple(units.get(unit.name, unit) for unit in self.units))

    def _exchange(self, pools: Mapping[str, ReactionPool]) -> tuple[ReactionPool, ...]:
        return tuple(pools.get(pool.name, pool) for pool in self.pools)


class Matrices(NamedTuple):
    """J = forward ∘ exp(forward_orders · ln x) − backward ∘ exp(backward_orders · ln x); dx/dt = stoichiometry · J."""

    forward: Floats  # rates, shape (units)
    backward: Floats
    forward_orders: Floats  # shape (units, pools)
    backward_orders: Floats
    stoichiometry: Floats  # shape (pools, units)
    supply: Floats  # shape (pools)
    loss: Floats


def build_matrices(network: ReactionNetwork) -> Matrices:
    """Return the network as matrices, without the switches (`off_above`)."""
    pools, units = len(network.pools), len(network.units)
    rates, orders = np.zeros((2, units)), np.zeros((2, units, pools))
    stoichiometry = np.zeros((pools, units))
    for u, unit in enumerate(network.units):
        for way, flux in enumerate(unit.fluxes):
            rates[way, u] = flux.rate
            for name, order in flux.orders.items():
                orders[way, u, network.index(name)] = order
        for name, change in unit.changes.items():
            stoichiometry[network.index(name), u] = change
    supply, loss = (np.array([getattr(pool, what) for pool in network.pools]) for what in ("supply", "loss"))
    return Matrices(rates[0], rates[1], orders[0], orders[1], stoichiometry, supply, loss)


def pack_row(network: ReactionNetwork) -> Floats:
    """Return the network as one row of numbers; see kernels.py."""
    numbers: list[float] = [len(network.pools), len(network.units)]
    for pool in network.pools:
        other = NOWHERE if pool.start_with is None else network.index(pool.start_with)
        numbers += [pool.start, other, pool.held, pool.supply, pool.loss, network.is_trap(pool.name)]
    for unit in network.units:
        off = unit.off_above
        numbers += [NOWHERE, 0.0] if off is None else [network.index(off.pool), off.level]
        backward = unit.backward or Flux(rate=0.0)
        pairs = unit.forward.orders, backward.orders, unit.changes
        record = [unit.forward.rate, backward.rate, *(len(part) for part in pairs)]
        assert len(record) + 2 == UNIT_HEAD
        numbers += record
        for part in pairs:
            numbers += [number for name, value in part.items() for number in (network.index(name), value)]
    return np.array(numbers, np.float64)


class ConservedSum(NamedTuple):
    """A weighted sum of pools that no reaction changes."""

    weights: dict[str, float]  # by pool

    def __str__(self) -> str:
        terms = [f"{'-' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w):g} '}{n}" for n, w in self.weights.items()]
        return " ".join(terms).removeprefix("+ ")

    def of(self, network: ReactionNetwork, pools: Floats) -> Floats:
        """Return the value of the sum, from pools of shape (…, pools)."""
        return np.asarray(sum(w * pools[..., network.index(name)] for name, w in self.weights.items()))


def conserved_sums(network: ReactionNetwork) -> tuple[ConservedSum, ...]:
    """Return a basis of all conserved sums: the left null space of the stoichiometry of pools without other changes."""
    kept = [i for i, pool in enumerate(network.pools) if not (pool.held or pool.supply or pool.loss)]
    stoichiometry = build_matrices(network).stoichiometry[kept]
    rows = [[Fraction(float(n)).limit_denominator(FINEST) for n in row] for row in stoichiometry]
    basis = left_null_space(rows)
    return tuple(
        ConservedSum({network.pools[i].name: float(w) for i, w in zip(kept, weights, strict=True) if w})
        for weights in basis
    )


def left_null_space(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """Return a basis of all w with w · rows = 0, in exact fractions, by Gauss–Jordan elimination without rounding."""
    size = len(rows)
    columns = [{j: value for j, value in enumerate(column) if value} for column in zip(*rows, strict=True)]
    pivots: list[int] = []
    for j in range(size):
        done = len(pivots)
        pivot = next((k for k in range(done, len(columns)) if j in columns[k]), None)
        if pivot is None:
            continue
        columns[done], columns[pivot] = columns[pivot], columns[done]
        columns[done] = {i: value / columns[done][j] for i, value in columns[done].items()}
        for k, column in enumerate(columns):
            factor = column.get(j) if k != done else None
            for i, value in columns[done].items() if factor else ():
                column[i] = column.get(i, Fraction(0)) - factor * value
                if not column[i]:
                    del column[i]
        pivots.append(j)
    basis = []
    for free in (j for j in range(size) if j not in pivots):
        weights = [Fraction(0)] * size
        weights[free] = Fraction(1)
        for row, j in enumerate(pivots):
            weights[j] = -columns[row].get(free, Fraction(0))
        basis.append(weights)
    return basis


def checked_method(method: str) -> int:
    """Return the number of an integration method; raise an error if the name is unknown."""
    if method not in list(METHODS):
        raise UnknownName("method", method, METHODS)
    return METHODS[method]


def find_output(network: ReactionNetwork) -> str:
    """Return the name of the output pool; raise an error if the network has none."""
    if network.output is None:
        raise PaddockError(f'{network.name}: no output: set output = "…" to the name of a pool')
    return network.output


def find_input(network: ReactionNetwork) -> str:
    """Return the name of the held pool that a sensor sets; raise an error if the network has none."""
    if network.input is None:
        raise PaddockError(f'{network.name}: no input: set input = "…" to the name of a held pool')
    return network.input


def reaction_names() -> list[str]:
    """Return the names of the shipped networks."""
    return list_spec_names(__package__)


def load_reactions(network: str | Path | ReactionNetwork) -> ReactionNetwork:
    """Load a shipped network by name or a network from a TOML file; return a ReactionNetwork unchanged."""
    if isinstance(network, ReactionNetwork):
        return network
    if not isinstance(network, str | Path):
        raise PaddockError(
            f"expected a reaction network's name, the path of a TOML file, or a ReactionNetwork, "
            f"got {format_value(network)}"
        )
    path = find_spec_file(__package__, "reaction network", network)
    return spec_from_table(ReactionNetwork, read_toml_file(path), file=TomlName(path))
