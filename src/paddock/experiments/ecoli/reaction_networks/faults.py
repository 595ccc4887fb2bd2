"""Error messages for networks that cannot be integrated: the pool, the unit, and the fix."""

from __future__ import annotations

import math
from collections.abc import Iterator

from paddock.core.errors import SimulationError
from paddock.experiments.ecoli.reaction_networks.kernels import FINE, NOT_FINITE, TOO_FAST
from paddock.experiments.ecoli.reaction_networks.reaction_spec import Flux, ReactionNetwork, ReactionUnit
from paddock.experiments.ecoli.reaction_networks.reaction_tables import Floats


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
