"""Driving: how the robot goes to a point, as in 2012 and as in checked mode."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.core.geometry import Point, Pose, wrap
from paddock.estimate.odometry import OdometryForm
from paddock.orders.avoidance import AvoidanceStrategy, DistalAvoidance, Manoeuvre, Reaction, Sight
from paddock.orders.motion import CONSTANTS, RobotConstants, RobotMotion, Work

TRIES = 5  # to pass obstacles before a go-to is given up; ours: "empirical" in the publication
REACHED = 0.002  # [m] that a target may be off in checked mode
TURN_AGAIN = 0.05  # [rad] that a target may be off ahead before the robot turns to it …
NEAR = 0.02  # [m] … or this near, where it cannot steer any more
MOST_TURNS = 8  # by 45°, before the robot drives on whatever it sees; in 2012 there was no limit
PER_TRY = 3.0  # [s] that passing an obstacle may take: some turns by 45°, a little drive, and the turn back
MARGIN = 2.0  # [s] on top of it all


@dataclass(frozen=True, kw_only=True, slots=True)
class FirmwareMode:
    """How the robot's program behaves; how it drives in each mode, `Driver` says."""

    name: str
    odometry: OdometryForm
    reads_while_driving: bool  # … and a stop stops


LEGACY = FirmwareMode(name="legacy", odometry="programmed", reads_while_driving=False)
CHECKED = FirmwareMode(name="checked", odometry="exact", reads_while_driving=True)


class Driver:
    """Carries out go-to orders. Time passes where it yields."""

    def __init__(self, motion: RobotMotion, avoidance: AvoidanceStrategy, *, tries: int = TRIES) -> None:
        self.motion, self.tries = motion, tries
        self.threshold = 0.0
        self.checked_avoidance, self.legacy_avoidance = avoidance, DistalAvoidance()
        self._avoidance: AvoidanceStrategy | None = None  # of the present drive
        self._target: Point = (0.0, 0.0)
        self._limit = math.inf  # of the moving time [s]
        self._answer: Reaction = None  # of the strategy, when it was last asked

    @property
    def detections(self) -> int:
        """How often an obstacle was noticed."""
        return self.legacy_avoidance.detections + self.checked_avoidance.detections

    def go_to(self, target: Point, mode: FirmwareMode, *, avoiding: bool) -> Work:
        """Drive to a point [m]; False if it was not reached."""
        legacy = mode is LEGACY
        self._target, self._avoidance = target, None
        self._limit = math.inf if legacy else self.motion.moving_time + self.seconds_allowed(target)
        self.motion.limit = self._limit
        if avoiding:
            self._avoidance = self.legacy_avoidance if legacy else self.checked_avoidance
            self._avoidance.start(self.motion.pose, target)
        return self._drive_legacy() if legacy else self._drive_checked()

    def seconds_allowed(self, target: Point) -> float:
        """How long the robot may move on its way to a target before it gives up [s], from where it is."""
        return allow_seconds(estimate_seconds(self.motion.pose, target, self.motion.constants), self.tries)

    # ---- two ways to a target

    def _drive_legacy(self) -> Work:
        """Algorithm 1 of the publication.

        A drive that met no obstacle sets the estimated pose to the target; after each pass the robot turns back to 0.
        """
        motion, there, tries = self.motion, False, 0
        while not there and tries < self.tries:
            off, distance = self._aim()
            yield from motion.turn(off)
            if (yield from motion.forward(distance, self._is_blocked)):
                motion.set_pose(motion.pose._replace(x=self._target[0], y=self._target[1]))
                there = True
            else:
                yield from self._pass_obstacle(math.inf)
                tries += 1
            yield from motion.turn(-motion.pose.heading)
        return there

    def _drive_checked(self) -> Work:
        """Steer until the estimated pose is there."""
        motion, tries = self.motion, 0
        while self._aim()[1] > REACHED:
            if motion.halted or tries >= self.tries or motion.moving_time >= self._limit:
                return False
            off, distance = self._aim()
            if abs(off) > TURN_AGAIN or distance < NEAR:
                yield from motion.turn(off)
            if not (yield from motion.steer(self._target, self._is_blocked)) and self._answer is not None:
                if self._answer == "give up":
                    return False
                tries += isinstance(self._answer, Manoeuvre)
                yield from self._pass_obstacle(MOST_TURNS)
        return True

    # ---- obstacles

    def _is_blocked(self) -> bool:
        """Ask the strategy; a drive that takes too long is blocked as well."""
        if self._avoidance is None:
            self._answer = None
        else:
            proximity = self.motion.hardware.read("proximity")
            sight = Sight(proximity, self.threshold, self.motion.pose, self._target, self.motion.dt)
            self._answer = self._avoidance.react(sight)
        return self._answer is not None or self.motion.moving_time >= self._limit

    def _pass_obstacle(self, most_turns: float) -> Work:
        """Do what the strategy says until it sees a free way."""
        motion, turns = self.motion, 0
        while not motion.halted and motion.moving_time < self._limit:
            answer = self._answer
            if answer is None or answer == "give up":
                break
            if isinstance(answer, Manoeuvre):
                yield from motion.turn(answer.turn)
                turns += 1
                if turns >= most_turns or not self._is_blocked():
                    return (yield from motion.forward(answer.forward, self._is_blocked))
            else:
                yield from motion.roll_freely(*answer)
                self._is_blocked()
        motion.stop()
        return True

    def _aim(self) -> tuple[float, float]:
        """How far to turn to face the target [rad], and its distance [m]."""
        x, y, heading = self.motion.pose
        away = self._target[0] - x, self._target[1] - y
        return wrap(math.atan2(away[1], away[0]) - heading), math.hypot(*away)


def estimate_seconds(pose: Pose, target: Point, constants: RobotConstants = CONSTANTS) -> float:
    """How long the way to a target takes where nothing is in it, with a turn back to heading 0 at its end [s]."""
    bearing = math.atan2(target[1] - pose.y, target[0] - pose.x)
    turns = abs(wrap(bearing - pose.heading)) + abs(bearing)
    return constants.drive_seconds(math.dist(pose[:2], target)) + constants.turn_seconds(turns)


def allow_seconds(expected: float, tries: int) -> float:
    """How long a drive may take at most, from how long it takes where nothing is in the way [s]."""
    return (expected + PER_TRY) * tries + MARGIN
