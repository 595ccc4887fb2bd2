"""TickRecorder: what an arena tells whoever records it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from paddock.arena.compiled_recording import CompiledRecording
    from paddock.episodes import Event


class TickRecorder(Protocol):
    """Is told of all that decides the future of an arena. It is called by whoever has the turn."""

    def room(self, run: CompiledRecording | None = None) -> int:
        """Ticks that may pass before `after_ticks` is called again; in a compiled run, with its rows."""

    def after_ticks(self, run: CompiledRecording | None = None) -> None:
        """Time has passed; in a compiled run, with its rows."""

    def after_change(self) -> None:
        """The state was changed by hand, or robots came or went."""

    def add_event(self, event: Event) -> None:
        """Something happened."""
