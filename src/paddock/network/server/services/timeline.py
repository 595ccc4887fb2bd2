"""Replay: a recording on the page: its position, what was recorded before it, seeking, and the change to live."""

from __future__ import annotations

from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import News, Service, before, handles
from paddock.network.server.services.history import HistoryService
from paddock.report.recordings import ReplayArena

MAX_MARKS = 500  # on the time line
LEAD = 30.0  # recorded seconds before a position that a page shows as trails and charts
LEAD_WORK = 65_536  # ticks × robots of it, at most


class ReplayHistory(HistoryService):
    """The history of a replay: after a seek, what was recorded before the new position."""

    def __init__(self, arena: ReplayArena) -> None:
        self.arena = arena

    def on_jump(self) -> None:
        super().on_jump()
        if self.arena.live:
            return
        arena, end = self.arena, self.arena.position
        lead = min(round(LEAD / arena.dt), LEAD_WORK // max(1, len(arena.robots)))
        arena.seek(end - lead)
        self._sample()
        while arena.position < end:
            arena.seek(min(end, arena.position + self.run.interval))
            self._sample()


class Replay(Service):
    """Controls the replay of a recording."""

    def __init__(self, arena: ReplayArena) -> None:
        self.arena = arena
        self._sent_offset, self._jumps = self._offset, 0
        recording = arena.recording
        self._marks = tuple(
            m.TimelineMark(tick=round(event.time / recording.dt), kind=event.kind, text=event.text)
            for event in recording.events[:MAX_MARKS]
        )

    def list_news(self) -> News:
        return {"timeline": lambda client: self.describe()}

    @property
    def _offset(self) -> int:
        return self.arena.position - self.arena.tick

    def describe(self) -> m.Timeline:
        """Return the state of the replay as a message."""
        recording = self.arena.recording
        return m.Timeline(
            first=recording.first,
            last=recording.last,
            offset=self._offset,
            live=self.arena.live,
            jumps=self._jumps,
            name=recording.path.name,
            marks=self._marks,
        )

    @handles(m.Seek, Role.SUPERVISOR, done=True)
    def seek(self, client: Client, request: m.Seek) -> None:
        self._go_to(request.tick)

    def _go_to(self, tick: int) -> None:
        """Go to a tick of the recording."""
        self.arena.seek(tick)
        self._jumps += 1
        self.session.ownership.catch_up(self.session.clients)
        self.session.mark_stale("timeline")
        self.session.on_jump()

    @before(m.Play)
    def restart(self, client: Client, request: m.Play) -> None:
        """Go to the start if the replay is at its end."""
        if self._has_ended:
            self._go_to(self.arena.recording.first)

    @handles(m.GoLive, Role.SUPERVISOR, done=True)
    def go_live(self, client: Client, request: m.GoLive) -> None:
        self.arena.go_live()
        self.session.mark_stale("timeline")

    @property
    def _has_ended(self) -> bool:
        return not self.arena.live and self.arena.position >= self.arena.recording.last

    def after_ticks(self) -> None:
        """Update the offset, and stop the clock at the end of the recording."""
        self._notice()
        if self._has_ended and self.session.clock.running:
            self.session.clock.stop()

    def _notice(self) -> None:
        """Notify clients if the offset between recording and arena has changed."""
        if self._offset != self._sent_offset and not self.arena.live:
            self._sent_offset = self._offset
            self.session.mark_stale("timeline")
