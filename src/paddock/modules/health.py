"""Health: what a module counts about itself, and tells about once a second."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Sequence

from paddock.modules.bus import Bus
from paddock.modules.messages import HealthMessage, ModuleMessage

PERIOD = 1.0  # wall seconds between two reports
EDGES = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000)  # [ms]


class LatencyHistogram:
    """How often how much time passed, by classes that end at `EDGES` [ms]; the last class has no end."""

    def __init__(self, counts: Sequence[int] = ()) -> None:
        self.counts = list(counts) or [0] * (len(EDGES) + 1)

    def add(self, seconds: float) -> None:
        """Count a latency; a negative one, of another host's clock, counts as the smallest."""
        self.counts[bisect_left(EDGES, seconds * 1000)] += 1

    def __len__(self) -> int:
        return sum(self.counts)

    def percentile(self, share: float) -> float:
        """The end of the class [ms] below which this share (0 … 1) of all lies; NaN if there are none."""
        wanted, count = share * len(self), 0
        if not wanted:
            return math.nan
        for edge, more in zip((*EDGES, math.inf), self.counts, strict=True):
            count += more
            if count >= wanted:
                return edge
        return math.inf

    def describe(self, share: float) -> str:
        """The percentile [ms] for people; nothing if there are no latencies."""
        if not len(self):
            return ""
        value = self.percentile(share)
        return f"{value:g}" if math.isfinite(value) else f">{EDGES[-1]:g}"

    def share_within(self, milliseconds: float) -> float:
        """Which share was certainly not slower than this; NaN if there are none."""
        within = sum(count for edge, count in zip(EDGES, self.counts, strict=False) if edge <= milliseconds)
        return within / len(self) if len(self) else math.nan


class Health:
    """The counts of one module."""

    def __init__(self) -> None:
        self.rounds = self.received = 0
        self.latencies = LatencyHistogram()  # from a measurement's sending to its effect here
        self._next = 0.0

    def note(self, message: ModuleMessage) -> None:
        """A message has come."""
        self.received += 1

    def note_latency(self, message: ModuleMessage) -> None:
        """A message has its effect here: how long ago was the measurement that it rests on sent?"""
        if message.cause:
            self.latencies.add(time.time() - message.cause)

    def is_due(self, now: float) -> bool:
        """Whether it is time for a report."""
        if now < self._next:
            return False
        self._next = now + PERIOD
        return True

    def report(self, bus: Bus, status: str) -> HealthMessage:
        """What the module says about itself."""
        return HealthMessage(
            rounds=self.rounds,
            received=self.received,
            sends=bus.sends,
            lost=bus.inbox.lost,
            dropped=bus.inbox.dropped,
            refused=bus.inbox.refused,
            cpu=time.process_time(),
            status=status,
            latencies=self.latencies.counts,
        )
