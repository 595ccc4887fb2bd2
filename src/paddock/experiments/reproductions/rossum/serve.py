"""A separate `paddock serve` process as a context manager."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paddock.network.server.process import PaddockProcess
from paddock.simulation.worlds import WorldSpec, save_world


@contextmanager
def serve_world(world: WorldSpec, *, seed: int, speed: float | None, lock_step: bool) -> Iterator[str]:
    """Run a server with a world and provide its URL; speed None: as fast as possible."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "world.toml"
        save_world(world, file)
        lock = ["--lock-step"] if lock_step else []
        arguments = [str(file), "--seed", str(seed), "--speed", f"{speed or 0:g}", *lock]
        with PaddockProcess("serve", *arguments) as server:
            yield server.url
