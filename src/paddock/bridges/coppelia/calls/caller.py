"""The caller: a client of the ZeroMQ remote API with its control of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from paddock.bridges.coppelia.scene.simulator import SceneCaller, TimeControl


class SteppingControl(TimeControl, Protocol):
    """A client's control of simulated time, with the stepping mode."""

    @property
    def wall_time(self) -> float:
        """Time of a monotonic clock [s]."""

    def hold(self, on: bool) -> None:
        """Join the lock, so that time waits for this client, or leave it."""

    def require_publishing(self) -> None:
        """Raise an error if completed steps are not published, for which clients of protocol 1 would wait."""

    def publish_step(self) -> None:
        """Notify clients of protocol 1 of a completed step."""


@dataclass(eq=False)
class RemoteCaller(SceneCaller):
    """A client with its stepping level."""

    control: SteppingControl
    level: int = 0  # number of nested requests for stepping
    locks: int = 0  # number of nested calls of `acquireLock`

    def set_stepping(self, on: bool) -> int:
        """Increase or decrease the stepping level; return the previous level."""
        before = self.level
        self.level = before + 1 if on else max(0, before - 1)
        self.hold_time()
        return before

    def hold_time(self) -> None:
        """Join the lock while the client is in stepping mode or has acquired a lock; otherwise leave it."""
        self.control.hold(self.level > 0 or self.locks > 0)

    def end_stepping(self) -> None:
        """Leave stepping mode because the simulation was stopped or the client has ended its session."""
        self.level = self.locks = 0
        self.hold_time()
