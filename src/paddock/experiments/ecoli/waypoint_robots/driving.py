"""Driving: go-to orders of the firmware, as in 2012 and as in checked mode, around obstacles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from paddock.control.behaviours.avoidance import EPUCK_RING, ObstacleAvoidance
from paddock.control.behaviours.avoidance.reactive import EIGHTH
from paddock.core.geometry import Point, Pose, wrap
from paddock.experiments.ecoli.obstacles import find_light, remove_light
from paddock.experiments.ecoli.obstacles.obstacle_classifier import CLIPPED, DARK, FULL_SCALE
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS, RobotMotion, Work
from paddock.perception.estimation.odometry import OdometryForm

APPROACH = 0.03  # [m] in checked mode; less than 0.074 m, the distance at which it touches a robot on its target
MANOEUVRE_STEPS = 400  # steps ahead after a turn away; our choice: "empirical" in the publication
TRIES = 5  # attempts to pass obstacles before a go-to fails; our choice: "empirical" in the publication
REACHED = 0.002  # [m], tolerance of a target in checked mode
TURN_AGAIN = 0.05  # [rad], bearing of the target above which the robot turns on the spot …
NEAR = 0.02  # [m] … or distance below which it does, because it cannot steer any more
MAX_TURNS = 8  # turns by 45° before the robot drives despite detections; in 2012 there was no limit
PER_TRY = 3.0  # [s] allowed to pass an obstacle: some turns by 45°, a short drive, and the turn back
MARGIN = 2.0  # [s] added to the total
REMEMBERED_DETECTIONS = 32


class Sight(NamedTuple):
    """Input of a strategy."""

    proximity: tuple[int, ...]  # raw readings of the eight sensors, clockwise from the front right
    threshold: float  # for the sum of two sensors, set by the order N
    pose: Pose  # estimated by the robot [m, rad]
    target: Point  # [m]
    dt: float  # [s] until the next call


class SensorRecord(NamedTuple):
    """The robot's data at a detection, or now."""

    number: int  # of the detection, from 1; 0: now
    pose: Pose  # estimated by the robot [m, rad]
    proximity: tuple[int, ...]  # raw readings of the eight sensors
    light: tuple[int, ...]  # raw readings of the light sensors; empty if there are none


class Manoeuvre(NamedTuple):
    """Turn, repeat while the strategy returns a turn, then drive and aim at the target again. Counts as one try."""

    turn: float  # [rad]
    forward: float  # [m]


Reaction = Manoeuvre | tuple[float, float] | Literal["give up"] | None
"""None: the path is free and the robot continues to its target. Two numbers: wheel speeds [m/s] for this tick."""


class AvoidanceStrategy(Protocol):
    """An avoidance strategy, which is called in every tick of a drive. Its only input is a `Sight`."""

    @property
    def detections(self) -> int:
        """Number of obstacle detections in all drives."""

    def start(self, pose: Pose, target: Point) -> None:
        """Start a drive."""

    def react(self, sight: Sight) -> Reaction:
        """Return the reaction for this tick."""


class DistalAvoidance:
    """The published strategy: turn 45° away from the side on which two sensors detect an obstacle, then drive a little.

    The right side is checked first. The rule is that of `control.avoidance.Distal`, which steers any robot; here the
    firmware drives by counted steps. With this rule a robot cannot reach a target close to a wall. Within the distance
    `approach` of its target the robot ignores detections, because it would have detected an obstacle on the target
    before.
    """

    def __init__(self, *, approach: float = 0.0, forward: float = MANOEUVRE_STEPS * CONSTANTS.step) -> None:
        """
        Args:
            approach: distance to the target [m] below which nothing is avoided; 0 as published.
            forward: distance to drive after a turn [m].
        """
        self.approach, self.forward = approach, forward
        self.detections = 0  # number of positive checks; one obstacle may count several times

    def start(self, pose: Pose, target: Point) -> None:
        """Do nothing: the strategy has no state."""

    def react(self, sight: Sight) -> Manoeuvre | None:
        side = EPUCK_RING.find_counted(sight.proximity, sight.threshold)
        if not side or math.dist(sight.pose[:2], sight.target) < self.approach:
            return None
        self.detections += 1
        return Manoeuvre(-side * EIGHTH, self.forward)


class SteeredAvoidance:
    """Steers with a controller until the controller reports the goal as reached; then the firmware drives the rest."""

    def __init__(self, seeker: ObstacleAvoidance) -> None:
        """
        Args:
            seeker: the controller, such as `Planning()`; its ring converts raw sensor readings to distances.
        """
        self._seeker, self._earlier = seeker, 0

    @property
    def detections(self) -> int:
        """Number of obstacle detections in all drives."""
        return self._earlier + self._seeker.detections

    def start(self, pose: Pose, target: Point) -> None:
        self._earlier = self.detections
        self._seeker.reset(pose, target)

    def react(self, sight: Sight) -> Reaction:
        left, right = self._seeker.act(self._seeker.ring.find_distances(sight.proximity), sight.pose, sight.dt)
        if self._seeker.state == "gave up":
            return "give up"
        return (float(left), float(right)) if self._seeker.state == "driving" else None


@dataclass(frozen=True, kw_only=True, slots=True)
class FirmwareMode:
    """Behaviour of the firmware in a mode; `Driver` contains the driving of each mode."""

    name: str
    odometry: OdometryForm


LEGACY = FirmwareMode(name="legacy", odometry="programmed")
CHECKED = FirmwareMode(name="checked", odometry="exact")


class Driver:
    """Carries out go-to orders. Each `yield` is one tick."""

    def __init__(self, motion: RobotMotion, avoidance: AvoidanceStrategy, *, tries: int = TRIES) -> None:
        self.motion, self.tries = motion, tries
        self.threshold = 0.0
        self.light_sensitivity = 0.0  # echo caused by 1 W/m² [1/m²], which checked mode removes; 0: nothing is removed
        self.records: dict[int, SensorRecord] = {}  # of the latest detections, by their numbers
        self.checked_avoidance, self.legacy_avoidance = avoidance, DistalAvoidance()
        self._avoidance: AvoidanceStrategy | None = None  # of the current drive
        self._target: Point = (0.0, 0.0)
        self._limit = math.inf  # of the moving time [s]
        self._answer: Reaction = None  # last reaction of the strategy

    @property
    def detections(self) -> int:
        """Number of obstacle detections."""
        return self.legacy_avoidance.detections + self.checked_avoidance.detections

    def go_to(self, target: Point, mode: FirmwareMode, *, avoiding: bool) -> Work:
        """Drive to a point [m]. Return whether it was reached."""
        legacy = mode is LEGACY
        self._target, self._avoidance = target, None
        allowed = math.inf if legacy else allow_seconds(estimate_seconds(self.motion.pose, target), self.tries)
        self._limit = self.motion.limit = self.motion.moving_time + allowed
        if avoiding:
            self._avoidance = self.legacy_avoidance if legacy else self.checked_avoidance
            self._avoidance.start(self.motion.pose, target)
        return self._drive_legacy() if legacy else self._drive_checked()

    # ---- the two modes

    def _drive_legacy(self) -> Work:
        """Drive by algorithm 1 of the publication.

        A drive without an obstacle sets the estimated pose to the target. After each pass the robot turns back to 0.
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
        """Steer until the estimated pose is at the target."""
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
                yield from self._pass_obstacle(MAX_TURNS)
        return True

    # ---- obstacles

    def _is_blocked(self) -> bool:
        """Call the strategy. Return whether it reacts or the time limit is exceeded."""
        if self._avoidance is None:
            self._answer = None
        else:
            before, proximity = self.detections, self._read_proximity()
            sight = Sight(proximity, self.threshold, self.motion.pose, self._target, self.motion.dt)
            self._answer = self._avoidance.react(sight)
            if self.detections > before:
                self.records[self.detections] = self.record(self.detections)
                self.records.pop(self.detections - REMEMBERED_DETECTIONS, None)
        return self._answer is not None or self.motion.moving_time >= self._limit

    def record(self, number: int = 0) -> SensorRecord:
        """Return the robot's data now, as those of a detection."""
        read = self.motion.hardware.read
        return SensorRecord(number, self.motion.pose, read("proximity"), read("light"))

    def _read_proximity(self) -> tuple[int, ...]:
        """Return the raw proximity readings; in checked mode without the echoes of ambient light, if it was told them.

        Where a light sensor is saturated, the light is unknown and nothing is removed.
        """
        proximity = self.motion.hardware.read("proximity")
        if not self.light_sensitivity or self._avoidance is self.legacy_avoidance:
            return proximity
        light = find_light(self.motion.hardware.read("light") or [DARK] * len(proximity))
        return tuple(
            round(remove_light(EPUCK_RING.find_distance(counts), shining, self.light_sensitivity))
            if 0 < shining < CLIPPED * FULL_SCALE and counts > 0
            else counts
            for counts, shining in zip(proximity, light, strict=True)
        )

    def _pass_obstacle(self, most_turns: float) -> Work:
        """Carry out the strategy's reactions until the path is free."""
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
        """Return the bearing [rad] and the distance [m] of the target."""
        x, y, heading = self.motion.pose
        away = self._target[0] - x, self._target[1] - y
        return wrap(math.atan2(away[1], away[0]) - heading), math.hypot(*away)


def estimate_seconds(pose: Pose, target: Point) -> float:
    """Return the duration of a drive to a target without obstacles, with a turn back to heading 0 at its end [s]."""
    bearing = math.atan2(target[1] - pose.y, target[0] - pose.x)
    turns = abs(wrap(bearing - pose.heading)) + abs(bearing)
    return CONSTANTS.drive_seconds(math.dist(pose[:2], target)) + CONSTANTS.turn_seconds(turns)


def allow_seconds(expected: float, tries: int) -> float:
    """Return the maximum duration of a drive [s] from its duration without obstacles [s]."""
    return (expected + PER_TRY) * tries + MARGIN
