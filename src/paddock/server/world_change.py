"""Another world in a running session: clients and their robots go on there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from paddock.core.errors import PaddockError, Refused
from paddock.server.client import Client
from paddock.worlds.spec import WorldSpec

if TYPE_CHECKING:
    from paddock.server.session import Session


def change_world(
    session: Session, client: Client, world: WorldSpec, seed: int | None, settle: Callable[[], None]
) -> None:
    """Go on in another world from its start; everyone is told before they are answered anything there.

    Drivers keep robots of the same name. Those that were brought along vanish. `settle` changes what clients may do
    there; meanwhile no time passes and nobody is answered.
    """
    arena, ownership, heats = session.arena, session.ownership, session.heats
    if heats.phase == "running":
        raise Refused(f"open_world: heat {heats.number} is running; stop it first")
    if heats.phase != "none":
        heats.release()
    referee = session.scoreboard.referee
    session.scoreboard.set_referee(None)  # it knows the old world
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
    session.interventions.announce(client, "reset", f"went on in {world.name}", seed=arena.seed)
