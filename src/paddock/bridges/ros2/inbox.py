"""RosInbox: passes received samples from a thread of a transport to the event loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

Item = TypeVar("Item")


class RosInbox(Generic[Item]):
    """Queues the newest samples with at most one pending call, so that memory use is bounded."""

    def __init__(self, call: Callable[[Callable[[], None]], object], take: Callable[[Item], None], depth: int) -> None:
        """
        Args:
            call: schedules a function in the event loop.
            take: processes a sample in the event loop.
            depth: maximum number of samples; older ones are dropped.
        """
        self._call, self._take = call, take
        self._items: deque[Item] = deque(maxlen=depth)
        self._waits = False  # whether a call is pending

    def put(self, item: Item) -> None:
        """Add a received sample; can be called in any thread."""
        self._items.append(item)
        if not self._waits:
            self._waits = True
            with suppress(RuntimeError):  # the event loop has ended: no further call
                self._call(self._take_all)

    def _take_all(self) -> None:
        self._waits = False  # before the loop: samples that arrive from now on may be too late for this call
        for _ in range(len(self._items)):
            self._take(self._items.popleft())
