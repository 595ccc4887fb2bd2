"""ConversationRunner: runs a conversation of the host on given bytes and times, without I/O and without a clock."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Generic, TypeVar

from paddock.experiments.ecoli.waypoint_robots.frames import FrameReader

T = TypeVar("T")
Conversation = Generator[float, str | None, T]
"""Yields a deadline [s] until which it waits; is sent the text of a frame, or None at the deadline."""


@dataclass(kw_only=True, slots=True)
class LinkStatistics:
    """Statistics of a line at the host's end."""

    frames_sent: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    resends: int = 0  # orders sent again after no answer or a wrong answer
    polls: int = 0  # requests whether a long drive still continues
    wrong_echoes: int = 0  # replies whose numbers differ from the order
    damaged: int = 0  # received frames that could not be read
    rejected: int = 0  # frames that the robot reported as unreadable
    reopenings: int = 0


class LineEnd:
    """The host's end of a line: output, current time and statistics."""

    def __init__(self) -> None:
        self.now = 0.0  # [s]
        self.silent_since = 0.0  # time since which an expected answer is missing [s]
        self.statistics = LinkStatistics()
        self.wants_reopening = False  # whether the owner of the line should close it and open it again
        self.output = bytearray()

    def send(self, frame: bytes) -> None:
        """Send a frame."""
        self.output += frame
        self.statistics.frames_sent += 1
        self.statistics.bytes_sent += len(frame)


class ConversationRunner(Generic[T]):
    """A running conversation. Pass bytes to `receive`, call `wake` at the `deadline`, and send `take_output`."""

    def __init__(self, end: LineEnd, conversation: Conversation[T], now: float) -> None:
        self.end = end
        self.deadline = math.inf  # when `wake` has to be called [s]
        self.over = False
        self.result: T | None = None
        self._conversation = conversation
        self._reader = FrameReader()
        self._resume(None, now)

    def receive(self, data: bytes, now: float) -> None:
        """Process bytes from the robot."""
        self.end.statistics.bytes_received += len(data)
        for text in self._reader.feed(data):
            self._resume(text, now)

    def wake(self, now: float) -> None:
        """Continue the conversation at its deadline; before the deadline, do nothing."""
        if now >= self.deadline:
            self._resume(None, now)

    def take_output(self) -> bytes:
        """Remove and return the bytes to send."""
        data = bytes(self.end.output)
        self.end.output.clear()
        return data

    def stop(self) -> None:
        """End the conversation."""
        self._conversation.close()
        self.over, self.deadline = True, math.inf

    def _resume(self, received: str | None, now: float) -> None:
        if self.over:
            return
        self.end.now = max(now, self.end.now)
        try:
            self.deadline = self._conversation.send(received)
        except StopIteration as finish:
            self.result, self.over, self.deadline = finish.value, True, math.inf
        except Exception:
            self.over, self.deadline = True, math.inf
            raise
