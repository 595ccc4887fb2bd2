"""Benchmark of recordings: the cost of recording the fastest run."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import paddock
from paddock.cli.bench.local import TICK, Bench
from paddock.control.policies.braitenberg import explorer


def record() -> Bench:
    """The run of `single`, recorded as MCAP, and the cost of a tick compared with an unrecorded one."""
    stack = ExitStack()
    path = Path(stack.enter_context(TemporaryDirectory())) / "run.mcap"
    arena = paddock.open("clutter", dt=TICK)
    arena["red"].enable("proximity", "ground")
    stack.enter_context(paddock.record(arena, path))
    controller = explorer()
    return Bench(
        1, arena.dt, lambda steps: arena.run(steps * TICK, controller), 500_000, baseline="single", close=stack.close
    )
