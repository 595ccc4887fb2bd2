"""Drive to a point by the estimated pose, straight or with obstacle avoidance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from paddock.control.behaviours.avoidance import ObstacleAvoidance, find_avoidance
from paddock.control.behaviours.tasks.context import TaskContext
from paddock.control.behaviours.tasks.task import ENCODERS, Duration, SensorRequirement, Speed, Task, TaskSpec
from paddock.core.errors import PaddockError, SpecError
from paddock.core.geometry import wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Coordinate, Description, Metres

TURN_GAIN = 3.0  # [1/s]
STRAIGHT = math.radians(30)  # heading error above which the robot turns on the spot
TURN_SHARE = 0.3  # maximum fraction of the maximum speed, while turning on the spot


@dataclass(frozen=True, kw_only=True, slots=True)
class GoToSpec(TaskSpec):
    """Drive to a point of the world; without an avoidance, an obstacle ends the task."""

    x: Coordinate
    y: Coordinate
    speed: Speed | None = None  # None: 0.5, or less for slower robots
    within: Metres = 0.02
    seconds: Duration = 120.0
    avoid: Annotated[str, Description("the name of an avoidance, or file.py:Name of your own class")] | None = None

    def check(self) -> None:
        if self.avoid is None:
            return
        try:
            find_avoidance(self.avoid)
        except PaddockError as error:
            raise SpecError(str(error), path="avoid") from None


class GoTo(Task[GoToSpec]):
    """Turns towards the point, drives there and corrects its heading while driving, or uses an avoidance."""

    name, parameters = "go-to", GoToSpec
    needs = (ENCODERS,)

    def __init__(self, spec: GoToSpec) -> None:
        super().__init__(spec)
        self.keeps_distance = spec.avoid is not None
        self.avoidance: ObstacleAvoidance | None = None

    @classmethod
    def list_needs(cls, spec: GoToSpec) -> tuple[SensorRequirement, ...]:
        return cls.needs if spec.avoid is None else (*cls.needs, SensorRequirement(("proximity",)))

    def start(self, context: TaskContext) -> None:
        super().start(context)
        if self.spec.avoid is None:
            return
        assert context.ring is not None
        self.avoidance = find_avoidance(self.spec.avoid)(
            ring=context.ring,
            wheel_separation=context.wheel_separation,
            max_speed=context.max_speed,
            speed=context.choose_speed(self.spec.speed),
            within=self.spec.within,
            timeout=self.spec.seconds,
            draw=context.draw,
        )
        self.avoidance.reset(context.estimated_pose, (self.spec.x, self.spec.y))

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        context, spec = self.context, self.spec
        x, y, heading = context.estimated_pose
        distance = math.hypot(spec.x - x, spec.y - y)
        if distance <= spec.within:
            return self.end(f"({spec.x:g}, {spec.y:g}) reached")
        if elapsed >= spec.seconds - 1e-9:
            return self.end(f"{spec.seconds:g} s elapsed, {distance:.2f} m away", failed=True)
        if self.avoidance is not None:
            return self._avoid(self.avoidance, observation, distance)
        off = wrap(math.atan2(spec.y - y, spec.x - x) - heading)
        gain = min(TURN_GAIN, 0.5 / context.dt)
        if abs(off) > STRAIGHT:
            wheel = min(TURN_SHARE * context.max_speed, gain * abs(off) * context.wheel_separation / 2)
            return WheelSpeeds(math.copysign(wheel, -off), math.copysign(wheel, off))
        speed = context.brake_to(context.choose_speed(spec.speed), distance)
        return context.turn_wheels(speed * math.cos(off), gain * off)

    def _avoid(self, avoidance: ObstacleAvoidance, observation: Observation, distance: float) -> WheelSpeeds:
        proximity = getattr(observation, avoidance.ring.device)
        wheels = avoidance.act(proximity.tolist(), self.context.estimated_pose, self.context.dt)
        if avoidance.state == "gave up":
            return self.end(f"gave up {distance:.2f} m away, after {avoidance.tries} tries", failed=True)
        return wheels
