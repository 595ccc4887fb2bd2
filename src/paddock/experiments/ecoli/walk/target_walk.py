"""TargetWalk: a controller that drives from target to target with a localiser."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paddock.arena import Robot
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.perception.estimation import Estimate, Localiser


class TargetWalk:
    """A controller: drives to one target after the other with a localiser, slowly at the end, and corrects there."""

    TURN, DRIVE = 3.0, 3.0  # gains [1/s]
    AIMED, THERE, CLOSE = math.radians(1.0), 0.0003, 0.0015  # tolerances: [rad], [m] along the heading, [m] in total
    REST = 0.4  # [s] stop at a target, to receive camera fixes
    TRIES = 4

    def __init__(self, robot: Robot, localiser: Localiser, targets: Sequence[tuple[float, float]]) -> None:
        self.localiser, self.targets = localiser, targets
        drive = robot.spec.drive
        self._separation, self._fastest = drive.wheel_separation, 0.8 * drive.max_speed  # 800 steps/s
        self._slowest = 0.003  # [m/s]
        self.arrivals: list[float] = []  # estimated arrival time at each target [s]
        self.log: list[tuple[float, Estimate]] = []
        self._aiming, self._rested, self._tries = True, 0.0, 0
        self._time = 0.0
        self.done, self.reason = False, ""

    @property
    def estimate(self) -> Estimate:
        """Estimated pose."""
        return self.localiser.estimate

    @property
    def task(self) -> str:
        """Name of the current target; empty at the end."""
        return "" if self.done else f"target {len(self.arrivals)}"

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        passed, self._time = observation.time - self._time, observation.time
        estimate = self.localiser.update(observation, observation.time)
        self.log.append((observation.time, estimate))
        if self.done:
            return WheelSpeeds(0.0, 0.0)
        return self._approach(estimate.pose, passed)

    def _approach(self, pose: Pose, passed: float) -> WheelSpeeds:
        x, y = self.targets[len(self.arrivals)]
        dx, dy = x - pose.x, y - pose.y
        along = dx * math.cos(pose.heading) + dy * math.sin(pose.heading)
        off = wrap(math.atan2(dy, dx) - pose.heading)
        if self._rested > 0 or (not self._aiming and along < self.THERE):
            return self._rest(math.hypot(dx, dy), passed)
        if self._aiming:
            self._aiming = abs(off) > self.AIMED
            turn = self.TURN * abs(off) * self._separation / 2
            wheel = math.copysign(min(0.3 * self._fastest, max(self._slowest, turn)), off)
            return WheelSpeeds(-wheel, wheel)
        speed = min(self._fastest, max(self._slowest, self.DRIVE * along))
        half = self.TURN * (off if along > 0.01 else 0.0) * self._separation / 2
        return WheelSpeeds(speed - half, speed + half)

    def _rest(self, distance: float, passed: float) -> WheelSpeeds:
        """Stop for some time; then accept the arrival, or drive the remaining distance by the last fixes."""
        self._rested += passed
        if self._rested >= self.REST:
            self._rested, self._aiming, self._tries = 0.0, True, self._tries + 1
            if distance < self.CLOSE or self._tries == self.TRIES:
                self._tries = 0
                self.arrivals.append(self._time)
                self.done = len(self.arrivals) == len(self.targets)
                self.reason = "all targets are reached" if self.done else ""
        return WheelSpeeds(0.0, 0.0)
