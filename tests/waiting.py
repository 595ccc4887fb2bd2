"""Waiting for what happens in another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_for(what: Callable[[], object], seconds: float = 30.0) -> None:
    """Return as soon as it is so; fail if it never is."""
    deadline = time.monotonic() + seconds
    while not what() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert what()
