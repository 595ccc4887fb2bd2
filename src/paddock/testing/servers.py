"""Servers for tests of one's own programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paddock
from paddock.referees import Referee, make_referee
from paddock.server.server import Server, Settings
from paddock.worlds import WorldSpec


@contextmanager
def serve(
    world: str | Path | WorldSpec = "clutter", *, seed: int = 0, referee: Referee | str | None = None, **settings: Any
) -> Iterator[Server]:
    """A server in a thread of this process, on any free port: in lock-step and flat out, unless told otherwise.

    Args:
        world: as for `paddock.open`.
        seed: of the world.
        referee: as for `officiate`.
        settings: of the server: speed, lock_step, token, …
    """
    chosen = Settings(**{"port": 0, "lock_step": True, "speed": None, **settings})
    decides = None if referee is None else make_referee(referee)
    with Server(paddock.open(world, seed=seed), chosen, referee=decides).in_background() as server:
        yield server


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Return as soon as something is so; fail if it never is."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {seconds:g} s in vain")
        time.sleep(0.01)
