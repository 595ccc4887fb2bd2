"""What stopped a network, in words: the pool, the unit, and what to do about it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from paddock.core.errors import SimulationError
from paddock.reactions.kernels import FINE, NOT_FINITE, TOO_FAST
from paddock.reactions.spec import Flux, ReactionNetwork, ReactionUnit
from paddock.reactions.tables import Floats


def explain_fault(network: ReactionNetwork, fault: int, pools: Floats, time: float) -> None:
    """Raise what a kernel has found; `pools` are those of the last moment that was fine."""
    if fault == FINE:
        return
    where = f"{network.name}: before {time:g} s"
    if fault == TOO_FAST:
        raise SimulationError(
            f"{where}: the fastest rate asks for more than a million sub-steps: use smaller rates, or shorter times"
        )
    problem = find_zero_inhibitor(network, pools) or find_overflow(network, pools)
    if problem:
        raise SimulationError(f"{where}: {problem}")
    if fault == NOT_FINITE:
        values = ", ".join(f"{name} {value:g}" for name, value in zip(network.names, pools, strict=True))
        raise SimulationError(f"{where}: a rate is not finite: use smaller rates or orders (pools: {values})")
    name = network.names[fault - 1]
    if network.is_trap(name) and pools[fault - 1] == 0:
        raise SimulationError(f"{where}: pool {name!r} is 0 and would stay so for ever: start it with more than 0")
    raise SimulationError(f"{where}: {explain_limit(network, name, pools)}")


def explain_limit(network: ReactionNetwork, name: str, pools: Floats) -> str:
    """Why a pool cannot be followed any further, and which unit is to blame."""
    parts: dict[str, float] = {}
    for unit, way, flux in running_fluxes(network, pools):
        sign = 1.0 if way == "forward" else -1.0
        change = sign * unit.changes.get(name, 0.0) * find_flux(network, flux, pools)
        parts[unit.name] = parts.get(unit.name, 0.0) + change
    now = f"(now {pools[network.index(name)]:g})"
    if sum(parts.values()) > 0:
        unit_name = max(parts, key=lambda each: parts[each])
        return (
            f"pool {name!r} grows without bound {now}, however short the step: unit {unit_name!r} makes it ever faster;"
            f" give that unit an order of at most 1 in {name}, or inhibit it"
        )
    unit_name = min(parts, key=lambda each: parts[each], default="")
    return (
        f"pool {name!r} would become negative {now}, however short the step: unit {unit_name!r} uses it up at a rate "
        f"that does not fall with it; give that unit a positive order in {name}"
    )


def find_zero_inhibitor(network: ReactionNetwork, pools: Floats) -> str:
    """What is wrong, if a pool that is 0 has a negative order: the flux would be infinite."""
    for unit, way, flux in running_fluxes(network, pools):
        for pool, order in flux.orders.items():
            if order < 0 and pools[network.index(pool)] == 0:
                source = "set its input" if network.pool(pool).held else "start it with a number"
                return (
                    f"pool {pool!r} is 0, and unit {unit.name!r} has it in its {way} flux with the order {order:g}, "
                    f"which divides by it: {source} > 0 (a small floor will do), or inhibit with off_above instead"
                )
    return ""


def find_overflow(network: ReactionNetwork, pools: Floats) -> str:
    """What is wrong, if a flux is too large for a number."""
    for unit, way, flux in running_fluxes(network, pools):
        if not math.isfinite(find_flux(network, flux, pools)):
            values = ", ".join(f"{pool} = {pools[network.index(pool)]:g}" for pool in flux.orders)
            return (
                f"the {way} flux of unit {unit.name!r} is not finite ({values}): use a smaller rate or smaller orders"
            )
    return ""


def find_flux(network: ReactionNetwork, flux: Flux, pools: Floats) -> float:
    """A rate times some pools, each to the power of its order; infinite where that overflows."""
    try:
        powers = (float(pools[network.index(pool)]) ** order for pool, order in flux.orders.items())
        return float(flux.rate * math.prod(powers))
    except OverflowError:
        return math.inf


def running_fluxes(network: ReactionNetwork, pools: Floats) -> Iterator[tuple[ReactionUnit, str, Flux]]:
    """The fluxes of all units that are not switched off: the unit, "forward" or "backward", and the flux."""
    for unit in network.units:
        off = unit.off_above
        if off is None or not pools[network.index(off.pool)] > off.level:
            for way, flux in zip(("forward", "backward"), unit.fluxes, strict=False):
                if flux.rate > 0:
                    yield unit, way, flux
