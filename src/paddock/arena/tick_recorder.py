"""TickRecorder: the callbacks with which an arena notifies its recorder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from paddock.arena.compiled_recording import CompiledRecording
    from paddock.arena.episodes import Event


class TickRecorder(Protocol):
    """Receives everything that determines the future of an arena. The caller holds the arena's lock."""

    def room(self, run: CompiledRecording | None = None) -> int:
        """Return the number of ticks allowed before the next `after_ticks`; `run` has the rows of a compiled run."""

    def after_ticks(self, run: CompiledRecording | None = None) -> None:
        """Record the ticks since the last call; `run` has the rows of a compiled run."""

    def after_change(self) -> None:
        """Record that the state was changed by hand, or that robots were added or removed."""

    def add_event(self, event: Event) -> None:
        """Record an event."""
