"""Where a report comes from: when, with which software, on which machine, with which seeds."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from pathlib import Path

import paddock
from paddock.rollouts.threads import available_threads


def describe_origin(seeds: int, now: datetime | None = None) -> str:
    """One line for the head of a report; times in it depend on the machine, so the machine is told."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    cores = available_threads()
    return (
        f"{moment:%Y-%m-%d %H:%M} UTC · Paddock {paddock.__version__} · Python {platform.python_version()} · "
        f"{platform.system()} · {processor()}, {cores} {'core' if cores == 1 else 'cores'} · "
        + ("seed 0" if seeds == 1 else f"seeds 0 … {seeds - 1}")
    )


def quick_look(seeds: int, published: int) -> str:
    """What to say of a reproduction with fewer seeds than its claims were made for; empty if there are enough."""
    if seeds >= published:
        return ""
    return f"a quick look with {seeds} of {published} seeds; the claims are made for all {published}"


def processor() -> str:
    """The processor's model, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.lower().startswith("model name"))
    return next((name for name in names if name), "") or platform.processor() or platform.machine()
