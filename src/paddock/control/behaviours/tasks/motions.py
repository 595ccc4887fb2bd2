"""Move straight, turn on the spot, stop, and wait."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from paddock.control.behaviours.tasks.context import TaskContext
from paddock.control.behaviours.tasks.task import (
    ENCODERS,
    STOP,
    Duration,
    SensorRequirement,
    Speed,
    Task,
    TaskSpec,
)
from paddock.core.errors import SpecError
from paddock.core.geometry import wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Degrees, Metres, Number, Positive

EASING = 4.0  # [1/s] near the end the turn rate is this times the remaining angle, so that no tick overshoots


@dataclass(frozen=True, kw_only=True, slots=True)
class MoveSpec(TaskSpec):
    """Drive straight for a maximum time, or for a distance; the safety rule ends the task in front of a wall."""

    speed: Annotated[float, Number("m/s")] | None = None  # negative: backwards; None: 0.5, or less for slower robots
    seconds: Duration = 30.0
    metres: Metres | None = None  # distance by the wheel encoders
    within: Metres = 0.002  # tolerance of the distance [m]

    def check(self) -> None:
        if self.speed == 0:
            raise SpecError("expected m/s above or below 0, got 0 (to stand still, use the task 'wait')", path="speed")


class Move(Task[MoveSpec]):
    """Drives straight for `metres`. Without a distance, it succeeds at a wall, and when the time is over."""

    name, parameters = "move", MoveSpec

    @classmethod
    def list_needs(cls, spec: MoveSpec) -> tuple[SensorRequirement, ...]:
        return () if spec.metres is None else (ENCODERS,)

    def start(self, context: TaskContext) -> None:
        super().start(context)
        self.ends_at_walls = self.spec.metres is None

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        speed = self.context.choose_speed(self.spec.speed)
        if self.spec.metres is not None:
            left = self.spec.metres - self._travel
            if left <= self.spec.within:
                return self.end(f"{self._travel:.3f} m driven")
            easing = min(EASING, 0.5 / self.context.dt)
            speed = math.copysign(min(abs(speed), easing * left), speed)
        if elapsed >= self.spec.seconds - 1e-9:
            return self.end(f"{self.spec.seconds:g} s elapsed", failed=self.spec.metres is not None)
        return WheelSpeeds(speed, speed)


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnSpec(TaskSpec):
    """Turn the wheels in opposite directions until the target heading is reached."""

    degrees: Degrees  # counter-clockwise
    speed: Speed = 0.1  # of the wheels
    within: Positive = 0.5  # tolerance in degrees


class Turn(Task[TurnSpec]):
    """Turns to the current heading plus `degrees`, including full turns."""

    name, parameters = "turn", TurnSpec
    needs = (SensorRequirement(("compass", "encoders")),)
    drives = False

    def start(self, context: TaskContext) -> None:
        super().start(context)
        self._left = math.radians(self.spec.degrees)
        self._heading = context.estimated_pose.heading

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        heading = self.context.estimated_pose.heading
        self._left -= wrap(heading - self._heading)
        self._heading = heading
        if abs(math.degrees(self._left)) <= self.spec.within:
            return self.end(f"heading {math.degrees(heading) % 360:.1f}° reached")
        easing = min(EASING, 0.5 / self.context.dt)
        limit = easing * abs(self._left) * self.context.wheel_separation / 2
        wheel = math.copysign(min(self.spec.speed, self.context.max_speed, limit), self._left)
        return WheelSpeeds(-wheel, wheel)


@dataclass(frozen=True, kw_only=True, slots=True)
class StopSpec(TaskSpec):
    """No parameters."""


class Stop(Task[StopSpec]):
    """Stops the robot; done when the wheels are at rest."""

    name, parameters = "stop", StopSpec
    drives = moves = False

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        return self.end("at rest") if elapsed > 0 and self.context.at_rest else STOP


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitSpec(TaskSpec):
    """Wait for some time."""

    seconds: Annotated[float, Number("seconds", low=0, limit=1e6)]


class Wait(Task[WaitSpec]):
    """Keeps the robot stationary; done when the time is over."""

    name, parameters = "wait", WaitSpec
    drives = moves = False

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        return self.end(f"{self.spec.seconds:g} s elapsed") if elapsed >= self.spec.seconds - 1e-9 else STOP
