"""Callbacks: functions that want to be called, until they have had enough."""

from __future__ import annotations

from collections.abc import Callable


class Callbacks:
    """Functions in the order in which they came."""

    def __init__(self) -> None:
        self.calls: tuple[Callable[[], object], ...] = ()  # never changed in place: one may end while it is called

    def add(self, call: Callable[[], object]) -> Callable[[], None]:
        """Take a function in; the answer is a function that ends it."""
        self.calls = (*self.calls, call)

        def end() -> None:
            self.calls = tuple(other for other in self.calls if other is not call)

        return end
