"""Who calls: a client with its hand on time, as calls see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from paddock.coppelia.legacy.simulator import LegacySimulator
from paddock.coppelia.scene import CoppeliaScene
from paddock.coppelia.signals import Signals


class SteppingControl(Protocol):
    """A client's hand on time."""

    @property
    def state(self) -> str:
        """stopped, running or paused."""

    @property
    def real_time(self) -> bool:
        """Whether a simulated second takes a second."""

    @property
    def wall_time(self) -> float:
        """Seconds by a clock that only goes ahead."""

    def start(self) -> None:
        """Let time pass."""

    def pause(self) -> None:
        """Let it stand still."""

    def stop(self) -> None:
        """Back to the start; refused while others take part."""

    def hold(self, on: bool) -> None:
        """Have time wait for this client, or not any more."""

    def publish_step(self) -> None:
        """Tell clients of protocol 1 that a step has passed."""


@dataclass(eq=False)
class RemoteCaller:
    """A client, as calls see it."""

    simulator: LegacySimulator
    control: SteppingControl
    level: int = 0  # how often stepping was asked for and not given up again
    locks: int = 0  # the same for `acquireLock`

    @property
    def scene(self) -> CoppeliaScene:
        return self.simulator.scene

    @property
    def signals(self) -> Signals:
        return self.simulator.signals

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
