"""CpuBudget: what a referee may cost while others wait for the clock."""

from __future__ import annotations

import math

WARNING, LIMIT = 0.5, 5.0  # CPU seconds beyond the budget after which people are told, and after which it is over


class CpuBudget:
    """CPU seconds for each call on average. What is saved in one call is not kept for later ones."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self.spent = 0.0
        self.calls = 0
        self._excess = 0.0

    def charge(self, seconds: float) -> str:
        """Count a call: an empty text, "much" once it costs too much, and "too much" when that lasts."""
        before = self._excess
        self.spent, self.calls = self.spent + seconds, self.calls + 1
        self._excess = max(0.0, self._excess + seconds - self.seconds)
        if self._excess > LIMIT:
            return "too much"
        return "much" if before <= WARNING < self._excess else ""

    @property
    def mean(self) -> float:
        """CPU seconds of a call."""
        return self.spent / max(1, self.calls)
