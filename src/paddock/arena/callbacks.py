"""Callbacks: an ordered list of functions to call, which can be removed."""

from __future__ import annotations

from collections.abc import Callable


class Callbacks:
    """Callback functions in the order of registration."""

    def __init__(self) -> None:
        self.calls: tuple[
            Callable[[], object], ...
        ] = ()  # never changed in place, since a callback may remove itself while it runs

    def add(self, call: Callable[[], object]) -> Callable[[], None]:
        """Add a function. Returns a function that removes it."""
        self.calls = (*self.calls, call)

        def end() -> None:
            self.calls = tuple(other for other in self.calls if other is not call)

        return end
