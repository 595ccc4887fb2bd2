"""A `paddock serve` process of its own, for as long as it is needed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.worlds import WorldSpec, save_world


@contextmanager
def serve_world(world: WorldSpec, *, seed: int, speed: float | None, lock_step: bool) -> Iterator[str]:
    """The URL of a server with the world; speed None for flat out."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "world.toml"
        save_world(world, file)
        command = [sys.executable, "-m", "paddock", "serve", str(file), "--seed", str(seed), "--port", "0"]
        command += ["--speed", f"{speed or 0:g}", *(["--lock-step"] if lock_step else [])]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                line = server.stdout.readline()
                if " at " not in line:
                    raise PaddockError(f"paddock serve did not start: {line.strip() or 'it said nothing'}")
                yield line.split(" at ")[1].split()[0]
            finally:
                server.terminate()
