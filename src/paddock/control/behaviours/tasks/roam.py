"""Wander and avoid: keep moving without collisions."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paddock.control.behaviours.tasks.context import TaskContext
from paddock.control.behaviours.tasks.task import ENCODERS, RANGER, Duration, SensorRequirement, Speed, Task, TaskSpec
from paddock.core.geometry import wrap
from paddock.core.observation import Observation, WheelSpeeds

BLOCKED, FREE = 1.4, 1.8  # times the clearance: distances at which to turn away, and at which the path is free again
TURN_SHARE = 0.25  # of the maximum speed, while turning on the spot
CAUTION = 4.0  # times the clearance: maximum distance of objects that have an effect


@dataclass(frozen=True, kw_only=True, slots=True)
class RoamSpec(TaskSpec):
    """Duration and speed."""

    seconds: Duration
    speed: Speed | None = None  # None: 0.5, or less for slower robots


class Roam(Task[RoamSpec]):
    """Base class: drives as the subclass decides, and turns on the spot in front of walls."""

    parameters = RoamSpec
    needs: ClassVar[tuple[SensorRequirement, ...]] = (RANGER,)

    def start(self, context: TaskContext) -> None:
        super().start(context)
        self._side = 0.0  # of the turn on the spot: 1 left, -1 right, 0 none

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        if elapsed >= self.spec.seconds - 1e-9:
            return self.end(f"{self.spec.seconds:g} s elapsed")
        context, ahead = self.context, self.context.nearest(observation)
        if self._side and ahead > FREE * context.clearance and self.has_turned_enough():
            self._side = 0.0
        elif not self._side and ahead < BLOCKED * context.clearance:
            self._side = self.choose_side(observation)
        if self._side:
            wheel = self._side * TURN_SHARE * context.max_speed
            return WheelSpeeds(-wheel, wheel)
        return self.cruise(observation, context.choose_speed(self.spec.speed))

    def has_turned_enough(self) -> bool:
        """Return whether a turn on the spot may end."""
        return True

    @abstractmethod
    def choose_side(self, observation: Observation) -> float:
        """Return the direction to turn to: 1 left, -1 right."""

    @abstractmethod
    def cruise(self, observation: Observation, speed: float) -> WheelSpeeds:
        """Return wheel speeds for a free path, at a forward speed [m/s]."""


class Wander(Roam):
    """Drives straight, and turns by a random angle in front of a wall."""

    name = "wander"
    needs = (RANGER, SensorRequirement(("compass", *ENCODERS.kinds)))

    def start(self, context: TaskContext) -> None:
        super().start(context)
        self._turns = 0

    def choose_side(self, observation: Observation) -> float:
        self._turns += 1
        draw = 2 * self.context.draw(f"turn {self._turns}") - 1
        self._goal = math.radians(60 + 100 * abs(draw))
        self._turned, self._heading = 0.0, self.context.estimated_pose.heading
        return math.copysign(1.0, draw)

    def has_turned_enough(self) -> bool:
        heading = self.context.estimated_pose.heading
        self._turned += abs(wrap(heading - self._heading))
        self._heading = heading
        return self._turned >= self._goal

    def cruise(self, observation: Observation, speed: float) -> WheelSpeeds:
        return WheelSpeeds(speed, speed)


class Avoid(Roam):
    """Turns away from near objects, more strongly the nearer they are."""

    name = "avoid"

    def choose_side(self, observation: Observation) -> float:
        return math.copysign(1.0, self._push(observation) or 1.0)

    def cruise(self, observation: Observation, speed: float) -> WheelSpeeds:
        return self.context.turn_wheels(speed, self._push(observation) * 2 * speed / self.context.wheel_separation)

    def _push(self, observation: Observation) -> float:
        """Return the direction away from near objects: > 0 left, < 0 right, from -1 to 1."""
        assert self.context.ranger is not None
        bearings = np.array(self.context.ranger.bearings)
        near = np.clip(1 - self.context.distances(observation) / (CAUTION * self.context.clearance), 0, 1)
        weights = np.where(np.cos(bearings) > -1e-9, -np.sin(bearings), 0.0)
        return float(np.clip((near**2 * weights).sum(), -1, 1))
