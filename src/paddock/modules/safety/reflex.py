"""The reflex: lets a planner's motions through, and stops the robot when something is too near.

A state machine without clock and without I/O. Every stop has a number, its epoch. To drive again the planner names the
epoch of the stop that it has heard of (reset), gets away from the obstacle, and says so (clear):

    watching --too near--> blocked --reset--> escaping --clear--> watching

- A stop is repeated until it is answered, so that a lost stop or reset blocks nothing for ever.
- Escaping ends by itself after a time and a distance, so that a lost clear leaves nothing unprotected.
- Escaping watches, too, for a smaller distance.
- A reset or clear that names another epoch than the present one is of the past, and is not obeyed.
- Without readings the robot is blind: it is stopped as if something were too near.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from paddock.core.observation import WheelSpeeds

STILL = WheelSpeeds(0.0, 0.0)


class Gate(Enum):
    """Whether motions pass."""

    WATCHING = "watching"  # they do, while nothing is too near
    BLOCKED = "blocked"  # they do not
    ESCAPING = "escaping"  # they do for a while, also near something


@dataclass(frozen=True, slots=True)
class StopOrder:
    """For the motor and the planner: stand."""

    epoch: int
    reason: str


@dataclass(frozen=True, slots=True)
class Relay:
    """For the motor: a motion of the planner's, as it was given."""

    wheels: WheelSpeeds
    epoch: int


@dataclass(frozen=True, slots=True)
class Refuse:
    """For the planner and for people: a motion did not pass."""

    epoch: int
    reason: str


ReflexAction = StopOrder | Relay | Refuse


class SafetyRule(Protocol):
    """What is too near, for a motion."""

    def refuse(self, wheels: WheelSpeeds, *, escaping: bool) -> str:
        """Why the robot must not go on at these wheel speeds; empty: it may."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReflexLimits:
    """How long what may last, in simulated seconds."""

    escape_time: float = 3.0  # [s] then it is stopped again
    escape_distance: float = 0.5  # [m] driven, then it is stopped again
    resend: float = 0.1  # [s] between repeated stops
    blind_after: float = 0.3  # [s] without readings


@dataclass
class Reflex:
    """Starts blocked: the first motion passes after the first reset. `epoch` must grow from start to start."""

    rule: SafetyRule
    epoch: int
    limits: ReflexLimits = field(default_factory=ReflexLimits)
    gate: Gate = Gate.BLOCKED
    reason: str = "started"
    wheels: WheelSpeeds = STILL  # of the last motion that passed
    read_at: float = -math.inf  # time of the last readings [s]
    travelled: float = 0.0  # way driven up to then [m]
    stop_again_at: float = -math.inf
    escape_until: float = -math.inf
    escape_end: float = 0.0  # of travelled [m]

    def on_readings(self, measured_at: float, travelled: float, now: float) -> list[ReflexAction]:
        """Readings have come, and the rule knows them.

        Args:
            measured_at: when they were taken [s].
            travelled: the way driven since the start [m].
            now: the time [s].
        """
        self.read_at, self.travelled = max(self.read_at, measured_at), max(self.travelled, travelled)
        return self._look(now)

    def on_motion(self, wheels: WheelSpeeds, now: float) -> list[ReflexAction]:
        """The planner, or a person, wants these wheel speeds."""
        if self.gate is Gate.BLOCKED and wheels != STILL:
            return [Refuse(self.epoch, self.reason)]
        stopped = self._look(now)
        if stopped or self.gate is Gate.BLOCKED:
            return stopped
        if reason := self.rule.refuse(wheels, escaping=self.gate is Gate.ESCAPING):
            return [*self._stop(reason, now), Refuse(self.epoch, reason)]
        self.wheels = wheels
        return [Relay(wheels, self.epoch)]

    def on_reset(self, epoch: int, now: float) -> list[ReflexAction]:
        """The planner has heard of the stop, and wants to get away."""
        if self.gate is Gate.BLOCKED and epoch == self.epoch:
            self.gate, self.reason = Gate.ESCAPING, ""
            self.escape_until = now + self.limits.escape_time
            self.escape_end = self.travelled + self.limits.escape_distance
        return []

    def on_clear(self, epoch: int, now: float) -> list[ReflexAction]:
        """The planner has got away."""
        if self.gate is Gate.ESCAPING and epoch == self.epoch:
            self.gate = Gate.WATCHING
        return self._look(now)

    def on_time(self, now: float) -> list[ReflexAction]:
        """Time has passed; to be called at least every tenth of a second."""
        if self.gate is Gate.BLOCKED and now >= self.stop_again_at:
            self.stop_again_at = now + self.limits.resend
            return [StopOrder(self.epoch, self.reason)]
        return self._look(now)

    def on_motor_started(self, now: float) -> list[ReflexAction]:
        """A motor knows no epoch: it stands until it hears one."""
        return self._stop("the motor was started", now)

    def _look(self, now: float) -> list[ReflexAction]:
        if self.gate is Gate.BLOCKED:
            return []
        return self._stop(reason, now) if (reason := self._find_danger(now)) else []

    def _find_danger(self, now: float) -> str:
        escaping = self.gate is Gate.ESCAPING
        if now - self.read_at > self.limits.blind_after:
            return f"no readings for more than {self.limits.blind_after:g} s"
        if escaping and now >= self.escape_until:
            return f"it did not get away within {self.limits.escape_time:g} s"
        if escaping and self.travelled >= self.escape_end:
            return f"it did not get away within {self.limits.escape_distance:g} m"
        return self.rule.refuse(self.wheels, escaping=escaping)

    def _stop(self, reason: str, now: float) -> list[ReflexAction]:
        self.gate, self.reason, self.wheels = Gate.BLOCKED, reason, STILL
        self.epoch += 1
        self.stop_again_at = now + self.limits.resend
        return [StopOrder(self.epoch, reason)]
