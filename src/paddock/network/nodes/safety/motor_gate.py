"""The motor's gate: the last check of a command before wheels turn. A state machine without clock and I/O."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from paddock.core.observation import WheelSpeeds
from paddock.network.nodes.safety.reflex import STILL


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A time by both clocks, simulated and wall."""

    simulated: float  # [s]
    wall: float  # [s]

    def __sub__(self, other: ClockReading) -> ClockReading:
        return ClockReading(self.simulated - other.simulated, self.wall - other.wall)


LONG_AGO = ClockReading(-math.inf, -math.inf)
CLOCK_WINDOW = 10.0  # [s] over which clock drift is negligible; after this time a clock that was set is accepted


@dataclass(frozen=True, kw_only=True, slots=True)
class MotorLimits:
    """Maximum age of commands, by simulated or wall time, whichever is exceeded first."""

    command_age: float = 0.2  # [s] from sending to execution
    silence: float = 0.3  # [s] after the last valid command until the wheels stop


@dataclass
class MotorGate:
    """Executes the newest valid command, and stops the wheels otherwise.

    The wheels do not turn before the first epoch arrives, because an old command from before the start may still be in
    transit. Clocks of two hosts differ and drift, so the wall-time age is relative to the fastest recent message.
    """

    limits: MotorLimits = field(default_factory=MotorLimits)
    epoch: int | None = None  # of the newest stop
    sequence: int = -1  # of the newest command
    wheels: WheelSpeeds = STILL
    valid_at: ClockReading = LONG_AGO  # when the newest command was received
    transit_times: deque[tuple[float, float]] = field(default_factory=deque)  # arrival, transit time [wall s]; rising
    holds: float = math.inf  # [s] simulated validity of the newest command after its measurement
    measured_at: float = -math.inf  # simulated time of that measurement [s]

    def on_stop(self, epoch: int) -> None:
        """Stop the wheels; commands of an older epoch are invalid from now on."""
        if self.epoch is None or epoch > self.epoch:
            self.epoch, self.sequence, self.wheels = epoch, -1, STILL  # a restarted reflex counts from 0

    def record_transit(self, sent: float, now: float) -> float:
        """Record the wall transit time of a message; return its excess over the fastest recent message [s]."""
        took = now - sent
        while self.transit_times and self.transit_times[-1][1] >= took:
            self.transit_times.pop()
        self.transit_times.append((now, took))
        while self.transit_times[0][0] < now - CLOCK_WINDOW:
            self.transit_times.popleft()
        return took - self.transit_times[0][1]

    def on_command(
        self,
        wheels: WheelSpeeds,
        epoch: int,
        sequence: int,
        sent: ClockReading,
        now: ClockReading,
        holds: float = math.inf,
    ) -> str:
        """Accept wheel speeds, valid for `holds` [s], or return the reason for rejecting them; empty if accepted."""
        age = max(now.simulated - sent.simulated, self.record_transit(sent.wall, now.wall))
        if self.epoch is None:
            return "the motor has not received an epoch yet"
        if epoch < self.epoch:
            return f"epoch {epoch} is outdated: the newest is {self.epoch}"
        if epoch == self.epoch and sequence <= self.sequence:
            return f"number {sequence} is out of order: number {self.sequence} was received before"
        if age > self.limits.command_age:
            return f"the command is {age:.3f} s old; at most {self.limits.command_age:g} s are allowed"
        self.epoch, self.sequence, self.wheels, self.valid_at = epoch, sequence, wheels, now
        self.measured_at, self.holds = sent.simulated, holds
        return ""

    def on_time(self, now: ClockReading) -> WheelSpeeds:
        """Return the wheel speeds at a time."""
        silence = now - self.valid_at
        if max(silence.simulated, silence.wall) > self.limits.silence or now.simulated - self.measured_at > self.holds:
            self.wheels = STILL
        return self.wheels
