"""ReplayControl: replay of a recording on the page: its position, seeking, and the change to live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.network.protocol import messages as m
from paddock.report.recordings import ReplayArena

if TYPE_CHECKING:
    from paddock.network.server.session import Session

MAX_MARKS = 500  # on the time line


class ReplayControl:
    """Controls the replay of a session."""

    def __init__(self, session: Session, arena: ReplayArena) -> None:
        self._session, self.arena = session, arena
        self._sent_offset = self._offset
        recording = arena.recording
        self._marks = tuple(
            m.TimelineMark(tick=round(event.time / recording.dt), kind=event.kind, text=event.text)
            for event in recording.events[:MAX_MARKS]
        )

    @property
    def _offset(self) -> int:
        return self.arena.position - self.arena.tick

    def timeline(self) -> m.Timeline:
        """Return the state of the replay as a message."""
        recording = self.arena.recording
        return m.Timeline(
            first=recording.first,
            last=recording.last,
            offset=self._offset,
            live=self.arena.live,
            name=recording.path.name,
            marks=self._marks,
        )

    def seek(self, tick: int) -> None:
        """Go to a tick of the recording."""
        self.arena.seek(tick)
        self._session.ownership.catch_up(self._session.clients)
        self._notice()
        self._session.on_jump()

    def restart(self) -> None:
        """Seek to the start if the replay is at its end."""
        if not self.arena.live and self.arena.position >= self.arena.recording.last:
            self.seek(self.arena.recording.first)

    def go_live(self) -> None:
        """End the replay."""
        self.arena.go_live()
        self._session.mark_stale("timeline")

    def after_ticks(self) -> None:
        """Update the offset, and stop the clock at the end of the recording."""
        self._notice()
        if not self.arena.live and self.arena.position >= self.arena.recording.last and self._session.clock.running:
            self._session.clock.stop()

    def _notice(self) -> None:
        """Notify clients if the offset between recording and arena has changed."""
        if self._offset != self._sent_offset and not self.arena.live:
            self._sent_offset = self._offset
            self._session.mark_stale("timeline")
