"""CpuBudget: limits the CPU time of a referee, so that it does not delay the clock."""

from __future__ import annotations

import math

WARNING, LIMIT = 0.5, 5.0  # CPU seconds above the budget for a warning, and for a stop


class CpuBudget:
    """A budget of CPU seconds per call on average. Unused time is not saved for later calls."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self.spent = 0.0
        self.calls = 0
        self._excess = 0.0

    def charge(self, seconds: float) -> str:
        """Add a call. Return "much" once above the warning level, "too much" above the limit, else an empty text."""
        before = self._excess
        self.spent, self.calls = self.spent + seconds, self.calls + 1
        self._excess = max(0.0, self._excess + seconds - self.seconds)
        if self._excess > LIMIT:
            return "too much"
        return "much" if before <= WARNING < self._excess else ""

    @property
    def mean(self) -> float:
        """Mean CPU time of a call [s]."""
        return self.spent / max(1, self.calls)
