"""Servers for tests of user programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paddock
from paddock.arena.referees import Referee, make_referee
from paddock.network.server import Server, Settings
from paddock.simulation.worlds import WorldSpec


@contextmanager
def serve(
    world: str | Path | WorldSpec = "clutter", *, seed: int = 0, referee: Referee | str | None = None, **settings: Any
) -> Iterator[Server]:
    """Run a server in a thread of this process, on a free port; by default in lock-step and as fast as possible.

    Args:
        world: as for `paddock.open`.
        seed: seed of the world.
        referee: as for `officiate`.
        settings: settings of the server: speed, lock_step, token, …
    """
    chosen = Settings(**{"port": 0, "lock_step": True, "speed": None, **settings})
    decides = None if referee is None else make_referee(referee)
    with Server(paddock.open(world, seed=seed), chosen, referee=decides).in_background() as server:
        yield server


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until a condition is true. Raises AssertionError after a timeout."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            raise AssertionError(f"the condition was not met within {seconds:g} s")
        time.sleep(0.01)
