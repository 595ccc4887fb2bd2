"""SimulatedLine: one direction of a serial line in simulated time, with loss, bit errors, duplicates, jitter, cuts."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from paddock.core.errors import PaddockError


@dataclass(frozen=True, kw_only=True, slots=True)
class LineQuality:
    """Faults and delays of a line. All probabilities are per byte."""

    loss: float = 0.0
    flips: float = 0.0  # probability that one bit of the byte is wrong
    duplicates: float = 0.0  # probability that the byte arrives twice
    latency: float = 0.002  # [s], minimum delay
    jitter: float = 0.0  # [s], maximum additional delay, equal for bytes sent together
    cuts: tuple[tuple[float, float], ...] = ()  # start and end [s] of interruptions, during which all bytes are lost

    def __post_init__(self) -> None:
        for name in ("loss", "flips", "duplicates"):
            if not 0 <= getattr(self, name) <= 1:
                raise PaddockError(f"LineQuality: {name}: expected a share from 0 to 1, got {getattr(self, name)!r}")
        for name in ("latency", "jitter"):
            if not 0 <= getattr(self, name) < np.inf:
                raise PaddockError(f"LineQuality: {name}: expected seconds >= 0, got {getattr(self, name)!r}")


PERFECT = LineQuality()


class SimulatedLine:
    """Delays bytes and adds faults, keeping their order. Equal seeds and keys give equal faults."""

    def __init__(self, quality: LineQuality = PERFECT, *, seed: int = 0, key: int = 0) -> None:
        """
        Args:
            quality: faults and delays of this direction.
            seed: seed of the whole experiment.
            key: number of this line in the experiment.
        """
        self.quality = quality
        self._rng = np.random.Generator(np.random.Philox(key=np.array([seed, key], np.uint64)))
        self._under_way: deque[tuple[float, bytes]] = deque()  # with the time of arrival
        self.sent = self.lost = 0  # bytes

    def send(self, data: bytes, now: float) -> None:
        """Send bytes at a time [s]."""
        if not data:
            return
        q, count = self.quality, len(data)
        chances = self._rng.random((3, count))
        bits = self._rng.integers(0, 8, count)
        delay = q.latency + q.jitter * float(self._rng.random())
        out = bytearray()
        for i, byte in enumerate(data):
            if chances[0, i] < q.loss or any(begin <= now < end for begin, end in q.cuts):
                self.lost += 1
                continue
            changed = byte ^ (1 << int(bits[i])) if chances[1, i] < q.flips else byte
            out += bytes([changed]) * (2 if chances[2, i] < q.duplicates else 1)
        self.sent += count
        arrives = max(now + delay, self._under_way[-1][0] if self._under_way else 0.0)
        self._under_way.append((arrives, bytes(out)))

    @property
    def empty(self) -> bool:
        """Whether no bytes are in transmission."""
        return not self._under_way

    def receive(self, now: float) -> bytes:
        """Remove and return the bytes that have arrived by a time [s]."""
        out = bytearray()
        while self._under_way and self._under_way[0][0] <= now:
            out += self._under_way.popleft()[1]
        return bytes(out)
