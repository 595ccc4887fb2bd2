"""Go to a place, as far as the robot knows where it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.control.tasks.base import ENCODERS, Duration, Speed, Task, TaskSpec
from paddock.core.geometry import wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Coordinate, Metres

TURN_GAIN = 3.0  # [1/s]
STRAIGHT = math.radians(30)  # further off the course than this, it turns on the spot
TURN_SHARE = 0.3  # of the top speed at most, while turning on the spot


@dataclass(frozen=True, kw_only=True, slots=True)
class GoToSpec(TaskSpec):
    """Straight to a point of the world; obstacles end it."""

    x: Coordinate
    y: Coordinate
    speed: Speed | None = None  # None: 0.5, or less for slower robots
    within: Metres = 0.02
    seconds: Duration = 120.0


class GoTo(Task[GoToSpec]):
    """Turns towards the point, drives there and corrects its course on the way."""

    name, parameters = "go-to", GoToSpec
    needs = (ENCODERS,)

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        context, spec = self.context, self.spec
        x, y, heading = context.estimated_pose
        distance = math.hypot(spec.x - x, spec.y - y)
        if distance <= spec.within:
            return self.end(f"({spec.x:g}, {spec.y:g}) reached")
        if elapsed >= spec.seconds - 1e-9:
            return self.end(f"{spec.seconds:g} s are over, {distance:.2f} m away", failed=True)
        off = wrap(math.atan2(spec.y - y, spec.x - x) - heading)
        gain = min(TURN_GAIN, 0.5 / context.dt)
        if abs(off) > STRAIGHT:
            wheel = min(TURN_SHARE * context.max_speed, gain * abs(off) * context.wheel_separation / 2)
            return WheelSpeeds(math.copysign(wheel, -off), math.copysign(wheel, off))
        speed = context.brake_to(context.choose_speed(spec.speed), distance)
        return context.turn_wheels(speed * math.cos(off), gain * off)
