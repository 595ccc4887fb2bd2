"""Who calls: a client of the ZeroMQ remote API with its hand on time, as calls see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from paddock.coppelia.simulator import SceneCaller, TimeControl


class SteppingControl(TimeControl, Protocol):
    """The same with the stepping mode."""

    @property
    def wall_time(self) -> float:
        """Seconds by a clock that only goes ahead."""

    def hold(self, on: bool) -> None:
        """Have time wait for this client, or not any more."""

    def publish_step(self) -> None:
        """Tell clients of protocol 1 that a step has passed."""


@dataclass(eq=False)
class RemoteCaller(SceneCaller):
    """A client with its levels of stepping."""

    control: SteppingControl
    level: int = 0  # how often stepping was asked for and not given up again
    locks: int = 0  # the same for `acquireLock`

    def set_stepping(self, on: bool) -> int:
        """Count levels of stepping; the level before."""
        before = self.level
        self.level = before + 1 if on else max(0, before - 1)
        self.hold_time()
        return before

    def hold_time(self) -> None:
        """Have time wait for this client as long as it wants to step or holds a lock."""
        self.control.hold(self.level > 0 or self.locks > 0)

    def end_stepping(self) -> None:
        """The simulation was stopped."""
        self.level = self.locks = 0
        self.hold_time()
