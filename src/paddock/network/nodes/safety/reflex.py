"""The reflex relays a planner's motion commands and stops the robot when an obstacle is too near.

It is a state machine without clock and I/O. Every stop has a number, its epoch. To drive again, the planner sends a
reset with the epoch of the stop, escapes from the obstacle, and then sends a clear:

    watching --too near--> blocked --reset--> escaping --clear--> watching

- A stop is repeated until it is answered, so that a lost stop or reset does not block the robot permanently.
- An escape is limited in time and distance, so that a lost clear does not leave the robot unprotected.
- During an escape the reflex watches as well, with a smaller margin.
- A reset or clear with an epoch other than the current one is outdated and ignored.
- Without readings the robot is blind and is stopped as if an obstacle were too near.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from paddock.core.observation import WheelSpeeds

STILL = WheelSpeeds(0.0, 0.0)
CLOCK_WINDOW = 10.0  # [s] over which clock drift is negligible; after this time a clock that was set is accepted


class Gate(Enum):
    """State of the reflex: whether motion commands pass."""

    WATCHING = "watching"  # commands pass while no obstacle is too near
    BLOCKED = "blocked"  # no commands pass
    ESCAPING = "escaping"  # commands pass for a limited time, also near an obstacle


@dataclass(frozen=True, slots=True)
class StopOrder:
    """Order to stop, for the motor and the planner."""

    epoch: int
    reason: str


@dataclass(frozen=True, slots=True)
class Relay:
    """A motion command of the planner, passed unchanged to the motor."""

    wheels: WheelSpeeds
    epoch: int


@dataclass(frozen=True, slots=True)
class Refuse:
    """Rejection of a motion command, for the planner and for display."""

    epoch: int
    reason: str


ReflexAction = StopOrder | Relay | Refuse


class SafetyRule(Protocol):
    """Decides whether an obstacle is too near for a motion."""

    def refuse(self, wheels: WheelSpeeds, *, escaping: bool) -> str:
        """Return the reason why the robot must not drive at these wheel speeds; empty if it may."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReflexLimits:
    """Limits of escapes and time-outs, in simulated seconds."""

    escape_time: float = 3.0  # [s] maximum duration of an escape
    escape_distance: float = 0.5  # [m] maximum distance driven in an escape
    resend: float = 0.1  # [s] between repeated stops
    blind_after: float = 0.3  # [s] without readings until the robot is stopped


@dataclass
class Reflex:
    """The reflex. It starts blocked until the first reset. `epoch` must increase from one start to the next."""

    rule: SafetyRule
    epoch: int
    limits: ReflexLimits = field(default_factory=ReflexLimits)
    gate: Gate = Gate.BLOCKED
    reason: str = "started"
    wheels: WheelSpeeds = STILL  # of the last command that passed
    read_at: float = -math.inf  # time of the last readings [s]
    travelled: float = 0.0  # distance driven up to then [m]
    stop_again_at: float = -math.inf
    escape_until: float = -math.inf
    escape_end: float = 0.0  # value of `travelled` at which an escape ends [m]

    def on_readings(self, measured_at: float, travelled: float, now: float) -> list[ReflexAction]:
        """Check new readings, after they were passed to the rule.

        Args:
            measured_at: time of the measurement [s].
            travelled: distance driven since the start [m].
            now: current time [s].
        """
        self.read_at, self.travelled = max(self.read_at, measured_at), max(self.travelled, travelled)
        return self._check(now)

    def on_motion(self, wheels: WheelSpeeds, now: float) -> list[ReflexAction]:
        """Relay or reject wheel speeds that the planner or a user requests."""
        if self.gate is Gate.BLOCKED and wheels != STILL:
            return [Refuse(self.epoch, self.reason)]
        stopped = self._check(now)
        if stopped or self.gate is Gate.BLOCKED:
            return stopped
        if reason := self.rule.refuse(wheels, escaping=self.gate is Gate.ESCAPING):
            return [*self._stop(reason, now), Refuse(self.epoch, reason)]
        self.wheels = wheels
        return [Relay(wheels, self.epoch)]

    def on_reset(self, epoch: int, now: float) -> list[ReflexAction]:
        """Start an escape if the planner's reset has the current epoch."""
        if self.gate is Gate.BLOCKED and epoch == self.epoch:
            self.gate, self.reason = Gate.ESCAPING, ""
            self.escape_until = now + self.limits.escape_time
            self.escape_end = self.travelled + self.limits.escape_distance
        return []

    def on_clear(self, epoch: int, now: float) -> list[ReflexAction]:
        """End an escape if the planner's clear has the current epoch."""
        if self.gate is Gate.ESCAPING and epoch == self.epoch:
            self.gate = Gate.WATCHING
        return self._check(now)

    def on_time(self, now: float) -> list[ReflexAction]:
        """Repeat a stop or check limits; call at least every 0.1 s."""
        if self.gate is Gate.BLOCKED and now >= self.stop_again_at:
            self.stop_again_at = now + self.limits.resend
            return [StopOrder(self.epoch, self.reason)]
        return self._check(now)

    def on_motor_started(self, now: float) -> list[ReflexAction]:
        """Stop the robot, because a motor that was just started waits for an epoch."""
        return self._stop("the motor was started", now)

    def _check(self, now: float) -> list[ReflexAction]:
        if self.gate is Gate.BLOCKED:
            return []
        return self._stop(reason, now) if (reason := self._find_danger(now)) else []

    def _find_danger(self, now: float) -> str:
        escaping = self.gate is Gate.ESCAPING
        if now - self.read_at > self.limits.blind_after:
            return f"no readings for more than {self.limits.blind_after:g} s"
        if escaping and now >= self.escape_until:
            return f"the escape did not end within {self.limits.escape_time:g} s"
        if escaping and self.travelled >= self.escape_end:
            return f"the escape did not end within {self.limits.escape_distance:g} m"
        return self.rule.refuse(self.wheels, escaping=escaping)

    def _stop(self, reason: str, now: float) -> list[ReflexAction]:
        self.gate, self.reason, self.wheels = Gate.BLOCKED, reason, STILL
        self.epoch += 1
        self.stop_again_at = now + self.limits.resend
        return [StopOrder(self.epoch, reason)]


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A time by both clocks, simulated and wall."""

    simulated: float  # [s]
    wall: float  # [s]

    def __sub__(self, other: ClockReading) -> ClockReading:
        return ClockReading(self.simulated - other.simulated, self.wall - other.wall)


LONG_AGO = ClockReading(-math.inf, -math.inf)


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
