"""Numerical forms of a network: matrices for analysis, and one table of numbers for the kernels."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.experiments.ecoli.reaction_networks.kernels import UNIT_HEAD
from paddock.experiments.ecoli.reaction_networks.reaction_spec import Flux, ReactionNetwork

Floats = NDArray[np.float64]
NOWHERE = -1.0
FINEST = 10_000  # largest denominator of a stoichiometric number


class Matrices(NamedTuple):
    """J = forward ∘ exp(forward_orders · ln x) − backward ∘ exp(backward_orders · ln x); dx/dt = stoichiometry · J."""

    forward: Floats  # rates, shape (units)
    backward: Floats
    forward_orders: Floats  # shape (units, pools)
    backward_orders: Floats
    stoichiometry: Floats  # shape (pools, units)
    supply: Floats  # shape (pools)
    loss: Floats


def matrices_of(network: ReactionNetwork) -> Matrices:
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


def table_of(network: ReactionNetwork) -> Floats:
    """Return the network as one row of numbers; see reactions/kernels.py."""
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
    stoichiometry = matrices_of(network).stoichiometry[kept]
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
