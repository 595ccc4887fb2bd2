"""Motion: the robot's motors, step counters and pose estimate. One `yield` is one tick."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Literal

from paddock.bridges.epuck.emulator.hardware import EPuckHardware
from paddock.core.argument_checks import wrap_int16
from paddock.core.geometry import Point, Pose, wrap
from paddock.perception.estimation.odometry import Odometry

Work = Generator[None, None, bool]
"""A motion that takes ticks. Returns whether it was completed."""

HALF_STEP = 0.5  # resolution of a wheel position [steps]
STEERING = 4.0  # [1/rad], relative difference of the wheel speeds per radian of bearing of the target
MAX_STEERING = 0.3
MotionKind = Literal["turn", "distance"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotConstants:
    """Constants of the robot's firmware, as published."""

    wheel_diameter: float = 0.041  # [m]
    wheel_separation: float = 0.053  # [m]
    steps_per_turn: int = 1000
    forward: int = 800  # [steps/s] while driving
    turning: int = 1000  # [steps/s] while turning on the spot

    @property
    def step(self) -> float:
        """Distance that a wheel rolls per step [m]."""
        return math.pi * self.wheel_diameter / self.steps_per_turn

    def drive_seconds(self, distance: float) -> float:
        """Return the duration of a drive [s] of a distance [m]."""
        return distance / (self.forward * self.step)

    def turn_seconds(self, angle: float) -> float:
        """Return the duration of a turn [s] by an angle [rad]."""
        return abs(angle) * self.wheel_separation / (2 * self.turning * self.step)


CONSTANTS = RobotConstants()


class RobotMotion:
    """Rolls the wheels by counted steps.

    If a tick is longer than the millisecond of the real firmware, the speed of the last tick is the mean speed of the
    real firmware in that tick. A wheel therefore stops within half a step for any duration of a tick.
    """

    def __init__(self, hardware: EPuckHardware, dt: float) -> None:
        self.hardware, self.dt = hardware, dt
        self.moving_time = 0.0  # [s] turning and driving
        self.halted = False  # whether a stop was requested
        self.limit = math.inf  # maximum of the moving time, after which it stops automatically [s]
        self._last = self._read_counts()
        self.counts = [0, 0]  # steps since the start, not wrapped
        self.odometry = Odometry(CONSTANTS.wheel_separation, form="programmed", routine="straight")
        self.odometry.update(0.0, 0.0)

    @property
    def pose(self) -> Pose:
        """Pose estimated by the robot [m, rad]."""
        return self.odometry.pose

    def set_pose(self, pose: Pose) -> None:
        """Set the estimated pose."""
        self.odometry.pose = pose

    def set_speeds(self, left: float, right: float) -> None:
        """Set the wheel speeds [steps/s]."""
        self.hardware.set_speeds(round(left), round(right))

    def stop(self) -> None:
        """Stop the wheels."""
        self.hardware.set_speeds(0, 0)

    def count(self) -> None:
        """Read the step counters and update the estimated pose."""
        now = self._read_counts()
        moved = [wrap_int16(new - old) for new, old in zip(now, self._last, strict=True)]
        self._last = now
        self.counts = [total + steps for total, steps in zip(self.counts, moved, strict=True)]
        self.odometry.update(*(steps * CONSTANTS.step for steps in self.counts))

    def turn(self, angle: float) -> Work:
        """Turn on the spot by an angle [rad], counter-clockwise positive."""
        steps = abs(angle) * CONSTANTS.wheel_separation / 2 / CONSTANTS.step
        sense = 1 if angle > 0 else -1
        self.odometry.routine = "left" if angle > 0 else "right"
        done = yield from self._roll(steps, (-sense, sense), CONSTANTS.turning, None)
        self.odometry.routine = "straight"
        return done

    def forward(self, distance: float, blocked: Callable[[], bool] | None = None) -> Work:
        """Drive straight ahead [m]. Stop if `blocked`, which is called in every tick, returns True."""
        return (yield from self._roll(distance / CONSTANTS.step, (1, 1), CONSTANTS.forward, blocked))

    def _roll(self, steps: float, senses: tuple[int, int], fastest: int, blocked: Callable[[], bool] | None) -> Work:
        rolled = 0.0
        while (rest := steps - rolled) >= HALF_STEP:
            if self.halted or self.moving_time >= self.limit or (blocked is not None and blocked()):
                self.stop()
                return False
            speed = min(float(fastest), rest / self.dt)
            self.set_speeds(senses[0] * speed, senses[1] * speed)
            self.moving_time += min(self.dt, rest / fastest)
            before = self.counts
            yield
            self.count()
            rolled += (abs(self.counts[0] - before[0]) + abs(self.counts[1] - before[1])) / 2
        self.stop()
        return True

    def steer(self, target: Point, blocked: Callable[[], bool] | None = None) -> Work:
        """Drive to a point approximately ahead [m], and correct the heading continuously."""
        fastest, step = CONSTANTS.forward, CONSTANTS.step
        while True:
            away_x, away_y = target[0] - self.pose.x, target[1] - self.pose.y
            rest = (away_x * math.cos(self.pose.heading) + away_y * math.sin(self.pose.heading)) / step
            if rest < HALF_STEP:
                self.stop()
                return True
            if self.halted or (blocked is not None and blocked()):
                self.stop()
                return False
            off = wrap(math.atan2(away_y, away_x) - self.pose.heading)
            bend = max(-MAX_STEERING, min(MAX_STEERING, STEERING * off)) if rest > 20 else 0.0
            speed = min(fastest, rest / self.dt)
            self.set_speeds(speed * (1 - bend), speed * (1 + bend))
            self.moving_time += min(self.dt, rest / fastest)
            yield
            self.count()

    def roll_freely(self, left: float, right: float) -> Work:
        """Drive with wheel speeds [m/s] for one tick."""
        most = CONSTANTS.steps_per_turn
        self.set_speeds(*(max(-most, min(most, speed / CONSTANTS.step)) for speed in (left, right)))
        self.moving_time += self.dt
        yield
        self.count()
        return True

    def _read_counts(self) -> tuple[int, ...]:
        return self.hardware.read("encoders")


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredMotion:
    """A turn [rad] or a straight drive [m]."""

    kind: MotionKind
    commanded: float
    measured: float
    seconds: float  # duration reported by the robot

    @property
    def error(self) -> float:
        """Measured minus commanded value."""
        return self.measured - self.commanded

    @property
    def ratio(self) -> float:
        """Measured divided by commanded value."""
        return self.measured / self.commanded


def measure_turn(commanded: float, before: Pose, after: Pose) -> float:
    """Return the turn [rad] between two poses, assuming that its error is less than half a turn."""
    return commanded + wrap(after.heading - before.heading - commanded)


def measure_distance(before: Pose, after: Pose) -> float:
    """Return the driven distance [m] between two poses; negative if the robot drove backwards."""
    x, y = after.x - before.x, after.y - before.y
    return math.copysign(math.hypot(x, y), x * math.cos(before.heading) + y * math.sin(before.heading))


@dataclass(frozen=True, kw_only=True, slots=True)
class OdometryErrors:
    """Odometry parameters estimated from measured motions. NaN if no motion of a kind was measured."""

    motions: Sequence[MeasuredMotion]

    @property
    def turn_ratio(self) -> float:
        """Ratio of measured to commanded angles, by least squares."""
        return self._fit("turn")

    @property
    def distance_ratio(self) -> float:
        """Ratio of measured to commanded distances, by least squares."""
        return self._fit("distance")

    @property
    def wheel_diameter(self) -> float:
        """Wheel diameter that explains the distances [m]."""
        return CONSTANTS.wheel_diameter * self.distance_ratio

    @property
    def wheel_separation(self) -> float:
        """Wheel separation that explains the turns, with this wheel diameter [m]."""
        return CONSTANTS.wheel_separation * self.distance_ratio / self.turn_ratio

    def _fit(self, kind: MotionKind) -> float:
        pairs = [(motion.commanded, motion.measured) for motion in self.motions if motion.kind == kind]
        squares = sum(commanded**2 for commanded, _ in pairs)
        return sum(commanded * measured for commanded, measured in pairs) / squares if squares else math.nan
