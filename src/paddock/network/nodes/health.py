"""Health: counters of a module, reported about once per second."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Sequence

from paddock.network.nodes.bus import Bus
from paddock.network.nodes.node_messages import HealthMessage, ModuleMessage

PERIOD = 1.0  # wall seconds between two reports
EDGES = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000)  # [ms]


class LatencyHistogram:
    """Histogram of latencies with bins that end at `EDGES` [ms]; the last bin has no upper edge."""

    def __init__(self, counts: Sequence[int] = ()) -> None:
        self.counts = list(counts) or [0] * (len(EDGES) + 1)

    def add(self, seconds: float) -> None:
        """Add a latency; a negative one, due to another host's clock, counts as the smallest."""
        self.counts[bisect_left(EDGES, seconds * 1000)] += 1

    def __len__(self) -> int:
        return sum(self.counts)

    def percentile(self, share: float) -> float:
        """Return the upper edge of the bin [ms] that contains a percentile (0 … 1); NaN without latencies."""
        wanted, count = share * len(self), 0
        if not wanted:
            return math.nan
        for edge, more in zip((*EDGES, math.inf), self.counts, strict=True):
            count += more
            if count >= wanted:
                return edge
        return math.inf

    def describe(self, share: float) -> str:
        """Return the percentile [ms] as a text; empty without latencies."""
        if not len(self):
            return ""
        value = self.percentile(share)
        return f"{value:g}" if math.isfinite(value) else f">{EDGES[-1]:g}"

    def share_within(self, milliseconds: float) -> float:
        """Return the share of latencies that are certainly within a limit; NaN without latencies."""
        within = sum(count for edge, count in zip(EDGES, self.counts, strict=False) if edge <= milliseconds)
        return within / len(self) if len(self) else math.nan


class Health:
    """Counters of one module."""

    def __init__(self) -> None:
        self.rounds = self.received = 0
        self.latencies = LatencyHistogram()  # from the sending of a measurement to its effect in this module
        self._next = 0.0

    def note_latency(self, message: ModuleMessage) -> None:
        """Add the latency of a message: the time since the measurement that it is based on was sent."""
        if message.cause:
            self.latencies.add(time.time() - message.cause)

    def is_due(self, now: float) -> bool:
        """Return whether a report is due."""
        if now < self._next:
            return False
        self._next = now + PERIOD
        return True

    def report(self, bus: Bus, status: str) -> HealthMessage:
        """Create the health report of the module."""
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
