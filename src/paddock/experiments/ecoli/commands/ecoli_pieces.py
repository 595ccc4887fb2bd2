"""Populations of `paddock ecoli population` in parts, so that their progress can be shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np

from paddock.experiments.ecoli.walk.population import NETWORK, Population, make_walker, run_population

PIECES = 25  # parts of a population
LEAST_WALKERS, MAX_WALKERS = 4, 1000  # walkers per part
MOMENT = 0.1  # simulated seconds


def run_in_pieces(
    kind: str,
    world: str,
    *,
    network: str = NETWORK,
    walkers: int,
    seed: int,
    on_piece: Callable[[int], None],
    **options: object,
) -> Population:
    """Return the same as `run_population`, to the last bit: each walker has its own world, world i has seed + i."""
    walker = make_walker(kind, network=network)
    size = min(max(LEAST_WALKERS, math.ceil(walkers / PIECES)), MAX_WALKERS)
    parts = []
    for first in range(0, walkers, size):
        count = min(size, walkers - first)
        parts.append(run_population(walker, world, walkers=count, seed=seed + first, **options))  # type: ignore[arg-type]
        on_piece(count)  # walkers
    return join_populations(parts)


def warm_up(world: str, *, every: float | None, nose: str) -> None:
    """Compile the kernels, so that estimates of the time left do not include compilation."""
    run_population("none", world, walkers=1, seconds=MOMENT, every=every, nose=nose)


def join_populations(parts: Sequence[Population]) -> Population:
    """Join populations with the same simulated time."""
    joined = {}
    for field in fields(Population):
        values = [getattr(part, field.name) for part in parts]
        if field.name == "times":
            joined[field.name] = values[0]
        elif isinstance(values[0], tuple):
            joined[field.name] = type(values[0])(*(np.concatenate(column) for column in zip(*values, strict=True)))
        else:
            joined[field.name] = np.concatenate(values)
    return Population(**joined)
