"""Change of the world in a running session; clients and their robots stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from paddock.core.errors import PaddockError, Refused
from paddock.network.server.client import Client
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from paddock.network.server.session import Session


def change_world(
    session: Session, client: Client, name: str, world: WorldSpec, seed: int | None, settle: Callable[[], None]
) -> None:
    """Open another world at its start; each client is notified, with this name, before its next answer.

    Drivers keep robots of the same name. Spawned robots are removed. `settle` updates the permissions of clients, while
    the clock is stopped and no request is answered.
    """
    arena, ownership, heats = session.arena, session.ownership, session.heats
    if heats.phase == "running":
        raise Refused(f"open_world: heat {heats.number} is running; stop it first")
    if heats.phase != "none":
        heats.release()
    referee = session.scoreboard.referee
    session.scoreboard.set_referee(None)  # it refers to the old world
    try:
        arena.change_world(world, seed)
    except PaddockError:
        session.scoreboard.set_referee(referee)
        raise
    clock = session.clock
    held, clock.held = clock.held, True
    ownership.spawned.clear()
    ownership.catch_up(session.clients)
    try:
        settle()
    finally:
        clock.held = held
    arena.prepare_sensing(camera=np.empty((1, 1)))
    for other in session.clients:
        other.snapshots.clear()
        for subscription in other.subscriptions.values():
            subscription.choose(other.grant)
    session.__dict__.pop("scene", None)
    session.mark_stale("world")
    session.mark_stale("robots")
    session.on_jump()
    session.interventions.announce(client, "reset", f"opened {name}", seed=arena.seed)
