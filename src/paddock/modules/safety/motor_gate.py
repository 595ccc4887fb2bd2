"""The motor's gate: the last look at a command before wheels turn. A state machine without clock and without I/O."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from paddock.core.observation import WheelSpeeds
from paddock.modules.safety.reflex import STILL


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A time by both clocks: that of the simulation, and that of the wall."""

    simulated: float  # [s]
    wall: float  # [s]

    def __sub__(self, other: ClockReading) -> ClockReading:
        return ClockReading(self.simulated - other.simulated, self.wall - other.wall)


LONG_AGO = ClockReading(-math.inf, -math.inf)
CLOCK_WINDOW = 10.0  # [s] in which clocks drift by next to nothing; after it, a clock that was set is believed


@dataclass(frozen=True, kw_only=True, slots=True)
class MotorLimits:
    """How old what may be, by whichever clock says so first."""

    command_age: float = 0.2  # [s] from sending to execution
    silence: float = 0.3  # [s] after a valid command came, then the wheels stop


@dataclass
class MotorGate:
    """Turns the wheels as the newest valid command says, and stands otherwise.

    It stands until it has heard of an epoch, because a command of before its start may still be on its way. Clocks of
    two hosts differ and drift: the age by the wall is counted from the fastest message of the last seconds.
    """

    limits: MotorLimits = field(default_factory=MotorLimits)
    epoch: int | None = None  # of the newest stop
    sequence: int = -1  # of the newest command
    wheels: WheelSpeeds = STILL
    valid_at: ClockReading = LONG_AGO  # when the newest command came
    journeys: deque[tuple[float, float]] = field(default_factory=deque)  # when, and how long by both walls [s]; rising
    holds: float = math.inf  # [s] simulated, after the measurement that the newest command rests on; then it is over
    measured_at: float = -math.inf  # that measurement [s], simulated

    def on_stop(self, epoch: int) -> None:
        """The reflex has stopped the robot: no command of an older epoch is valid from now on."""
        if self.epoch is None or epoch > self.epoch:
            self.epoch, self.sequence, self.wheels = epoch, -1, STILL  # a reflex that was started counts from 0

    def note_journey(self, sent: float, now: float) -> float:
        """A message has come, by the wall. Returns how much longer it took than the fastest of late [s]."""
        took = now - sent
        while self.journeys and self.journeys[-1][1] >= took:
            self.journeys.pop()
        self.journeys.append((now, took))
        while self.journeys[0][0] < now - CLOCK_WINDOW:
            self.journeys.popleft()
        return took - self.journeys[0][1]

    def on_command(
        self,
        wheels: WheelSpeeds,
        epoch: int,
        sequence: int,
        sent: ClockReading,
        now: ClockReading,
        holds: float = math.inf,
    ) -> str:
        """The reflex wants these wheel speeds, for some time [s]. Returns why they are refused; empty: they hold."""
        age = max(now.simulated - sent.simulated, self.note_journey(sent.wall, now.wall))
        if self.epoch is None:
            return "the motor has not heard of an epoch yet"
        if epoch < self.epoch:
            return f"epoch {epoch} is over: the newest is {self.epoch}"
        if epoch == self.epoch and sequence <= self.sequence:
            return f"number {sequence} is out of order: number {self.sequence} came before"
        if age > self.limits.command_age:
            return f"it is {age:.3f} s old; at most {self.limits.command_age:g} s are allowed"
        self.epoch, self.sequence, self.wheels, self.valid_at = epoch, sequence, wheels, now
        self.measured_at, self.holds = sent.simulated, holds
        return ""

    def on_time(self, now: ClockReading) -> WheelSpeeds:
        """The wheel speeds at a moment."""
        silence = now - self.valid_at
        if max(silence.simulated, silence.wall) > self.limits.silence or now.simulated - self.measured_at > self.holds:
            self.wheels = STILL
        return self.wheels
