"""Talk: a program of the host's end, run over bytes and times that others bring. It does no I/O and asks no clock."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Generic, TypeVar

from paddock.orders.legacy_frames import FrameReader

T = TypeVar("T")
Conversation = Generator[float, str | None, T]
"""Yields until when it listens [s], and is sent the text of a frame, or None when that time has come."""


@dataclass(kw_only=True, slots=True)
class LinkStatistics:
    """What happened on a line, as the host saw it."""

    frames_sent: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    resends: int = 0  # orders sent once more, because nothing or something wrong came back
    polls: int = 0  # questions whether a long drive is still under way
    wrong_echoes: int = 0  # replies with other numbers than ordered
    damaged: int = 0  # frames that came and made no sense
    rejected: int = 0  # frames that the robot could not read, and said so
    reopenings: int = 0


class LineEnd:
    """The host's end of a line: what is to be sent, what time it is, and what happened so far."""

    def __init__(self) -> None:
        self.now = 0.0  # [s]
        self.silent_since = 0.0  # from when on nothing was heard that should have been [s]
        self.statistics = LinkStatistics()
        self.wants_reopening = False  # whoever owns the line is to close it and open it anew
        self.output = bytearray()

    def send(self, frame: bytes) -> None:
        """Send a frame."""
        self.output += frame
        self.statistics.frames_sent += 1
        self.statistics.bytes_sent += len(frame)


class Talk(Generic[T]):
    """A conversation under way. Bring bytes with `receive`, call `wake` at the `deadline`, send `take_output`."""

    def __init__(self, end: LineEnd, conversation: Conversation[T], now: float) -> None:
        self.end = end
        self.deadline = math.inf  # when `wake` has to be called [s]
        self.over = False
        self.result: T | None = None
        self._conversation = conversation
        self._reader = FrameReader()
        self._resume(None, now)

    def receive(self, data: bytes, now: float) -> None:
        """Bytes have come from the robot."""
        self.end.statistics.bytes_received += len(data)
        for text in self._reader.feed(data):
            self._resume(text, now)

    def wake(self, now: float) -> None:
        """Time has passed; before the deadline this does nothing."""
        if now >= self.deadline:
            self._resume(None, now)

    def take_output(self) -> bytes:
        """What is to be sent now."""
        data = bytes(self.end.output)
        self.end.output.clear()
        return data

    def stop(self) -> None:
        """No more of it."""
        self._conversation.close()
        self.over, self.deadline = True, math.inf

    def _resume(self, heard: str | None, now: float) -> None:
        if self.over:
            return
        self.end.now = max(now, self.end.now)
        try:
            self.deadline = self._conversation.send(heard)
        except StopIteration as finish:
            self.result, self.over, self.deadline = finish.value, True, math.inf
        except Exception:
            self.over, self.deadline = True, math.inf
            raise
