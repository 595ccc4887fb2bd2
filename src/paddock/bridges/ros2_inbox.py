"""RosInbox: what came in a thread of a carrier's, on its way to the event loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

Item = TypeVar("Item")


class RosInbox(Generic[Item]):
    """Keeps the newest samples, and never has more than one call waiting: who sends too much fills no memory."""

    def __init__(self, call: Callable[[Callable[[], None]], object], take: Callable[[Item], None], depth: int) -> None:
        """
        Args:
            call: has a function called in the event loop.
            take: takes a sample, there.
            depth: how many are kept; older ones are dropped.
        """
        self._call, self._take = call, take
        self._items: deque[Item] = deque(maxlen=depth)
        self._waits = False  # for the call

    def put(self, item: Item) -> None:
        """A sample came; in any thread."""
        self._items.append(item)
        if not self._waits:
            self._waits = True
            with suppress(RuntimeError):  # the event loop has ended: no further call
                self._call(self._take_all)

    def _take_all(self) -> None:
        self._waits = False  # first: what comes from now on may be too late for this call
        for _ in range(len(self._items)):
            self._take(self._items.popleft())
