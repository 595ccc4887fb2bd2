"""Calibration runs on any arena: squares in both directions and a straight run, driven by odometry."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paddock.arena.base_arena import BaseArena
from paddock.arena.robot import Robot
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.perception.estimation import FreeRun, Odometry, Umbmark, WheelCalibration, evaluate_squares

STANDSTILL = WheelSpeeds(0.0, 0.0)
TURN_SHARE = 0.3  # fraction of the maximum speed, while turning on the spot
DRIVE_SHARE = 0.8
TURN_GAIN, WAY_GAIN, COURSE_GAIN = 4.0, 4.0, 3.0  # [1/s]
STRAIGHT, THERE = math.radians(0.5), 0.0005  # tolerances [rad], [m]; odometry accounts for the remaining error
REST = 3  # observations at standstill before a run ends

DIRECTIONS = {"clockwise": -math.pi / 2, "counter-clockwise": math.pi / 2}  # the turn at each corner [rad]
CORNERS = 4

Measure = Callable[[str], Pose | tuple[float, float]]
"""Measures the true position of the robot after a run, in the frame of its start: x along the first side, y to its left
[m]. The argument is the name of the run."""


class CourseDriver:
    """Controller that drives sides of equal length, with a quarter turn after each, using only odometry."""

    def __init__(self, robot: Robot, wheels: WheelCalibration, side: float, sides: int, quarter: float) -> None:
        """Plan the course.

        Args:
            robot: robot to drive; its encoders are read.
            wheels: wheel parameters that the odometry assumes.
            side: length of each side [m].
            sides: number of sides.
            quarter: turn after each side [rad]: π/2 to the left, -π/2 to the right, 0 for none.
        """
        drive, dt = robot.spec.drive, robot.arena.dt
        self._encoders = next((s.name for s in robot.spec.sensors if s.kind == "encoders"), "")
        if not self._encoders:
            raise PaddockError(f"{robot.name} ({robot.spec.name}) has no encoders: its wheels cannot be calibrated")
        robot.enable(self._encoders)
        self.odometry: Odometry = wheels.odometry()
        self._goals = [goal for _ in range(sides) for goal in (("drive", side), ("turn", quarter)) if goal[1]]
        self._course, self._start, self._rest = 0.0, self.odometry.pose, 0  # heading and start of the current side
        self.fastest, self.turning = DRIVE_SHARE * drive.max_speed, TURN_SHARE * drive.max_speed
        self._gain = min(1.0, 0.2 / dt)  # reduces all gains if ticks are long
        self.done, self.reason = False, ""
        self.travel: list[tuple[float, float]] = []  # of the left and right wheel by encoders, at each observation [m]

    @property
    def estimated_pose(self) -> Pose:
        """Pose from odometry, in the frame of the start."""
        return self.odometry.pose

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for this observation."""
        left, right = getattr(observation, self._encoders).tolist()
        self.travel.append((left, right))
        pose = self.odometry.update(left, right)
        while self._goals:
            kind, amount = self._goals[0]
            wheels = self._drive(pose, amount) if kind == "drive" else self._turn(pose, amount)
            if wheels is not None:
                return wheels
            self._goals.pop(0)
            self._start = pose
        self._rest += 1
        self.done, self.reason = self._rest > REST, "the course is complete"
        return STANDSTILL

    def _drive(self, pose: Pose, side: float) -> WheelSpeeds | None:
        c, s = math.cos(self._course), math.sin(self._course)
        left_to_go = side - c * (pose.x - self._start.x) - s * (pose.y - self._start.y)
        if left_to_go < THERE:
            return None
        speed = min(self.fastest, WAY_GAIN * self._gain * left_to_go + 0.002)
        off = wrap(self._course - pose.heading)
        half = COURSE_GAIN * self._gain * off * self.odometry.wheel_separation / 2
        return WheelSpeeds(speed - half, speed + half)

    def _turn(self, pose: Pose, quarter: float) -> WheelSpeeds | None:
        off = wrap(self._course + quarter - pose.heading)
        if abs(off) < STRAIGHT:
            self._course = wrap(self._course + quarter)
            return None
        half = TURN_GAIN * self._gain * abs(off) * self.odometry.wheel_separation / 2 + 0.001
        wheel = math.copysign(min(self.turning, half), off)
        return WheelSpeeds(-wheel, wheel)


@dataclass(frozen=True)
class SquareTest:
    """Parameters of the UMBmark squares."""

    side: float = 0.6  # [m]
    runs: int = 5  # in each direction

    def __post_init__(self) -> None:
        if not (math.isfinite(self.side) and self.side > 0) or self.runs < 1:
            raise PaddockError(f"squares: expected a side > 0 and at least one run, got {self.side!r}, {self.runs!r}")

    def list_squares(self) -> list[tuple[str, float]]:
        """Return the name of each run, first clockwise, and the turn at its corners [rad]."""
        return [
            (f"square {run + 1} of {self.runs}, {word}", quarter)
            for word, quarter in DIRECTIONS.items()
            for run in range(self.runs)
        ]


def drive_course(
    arena: BaseArena, robot: Robot, wheels: WheelCalibration, side: float, *, sides: int = 4, quarter: float
) -> CourseDriver:
    """Drive a course and return its driver, which has the final odometry pose. The robot must not touch anything."""
    driver = CourseDriver(robot, wheels, side, sides, quarter)
    slowest = side / driver.fastest + math.pi / driver.turning * robot.spec.drive.wheel_separation
    seconds, feels = 20 * sides * slowest + 10, robot.pose_source == "truth"  # a real robot cannot detect contacts
    touch = (lambda _: robot.contacts and "it touched something") if feels else None
    episode = arena.run(seconds, {robot.name: driver}, until=touch)
    robot.stop()
    if not driver.done:
        raise PaddockError(
            f"{robot.name}: {episode.reason} after {episode.seconds:.1f} s: expected {side:g} m of free floor ahead of "
            "the start pose and to both sides: choose a shorter side or another world"
        )
    return driver


def drive_squares(
    arena: BaseArena,
    robot: Robot,
    wheels: WheelCalibration,
    test: SquareTest,
    measure: Measure,
    prepare: Callable[[str], object],
) -> Umbmark:
    """Drive all squares of the UMBmark test, first clockwise, and evaluate them.

    Args:
        arena: arena of the robot.
        robot: robot to calibrate.
        wheels: wheel parameters that the odometry assumes while driving.
        test: size and number of squares.
        measure: measures the true position of the robot after a run.
        prepare: called before each run, to return the robot to its start.
    """
    errors: dict[float, list[tuple[float, float]]] = {quarter: [] for quarter in DIRECTIONS.values()}
    for what, quarter in test.list_squares():
        prepare(what)
        end = drive_course(arena, robot, wheels, test.side, quarter=quarter).estimated_pose
        x, y = measure(what)[:2]
        errors[quarter].append((x - end.x, y - end.y))
    return evaluate_squares(*errors.values(), side=test.side, wheel_separation=wheels.wheel_separation)


def drive_free_runs(
    arena: BaseArena,
    robot: Robot,
    wheels: WheelCalibration,
    test: SquareTest,
    measure: Callable[[str], Pose],
    prepare: Callable[[str], object],
) -> list[FreeRun]:
    """Drive the same squares and measure the true pose at each corner. The runs are the input of `fit_wheels`."""
    runs = []
    for what, quarter in test.list_squares():
        prepare(what)
        travel, poses = [np.zeros((1, 2))], [np.array([measure(f"{what}, start")])]
        for corner in range(CORNERS):
            driver = drive_course(arena, robot, wheels, test.side, sides=1, quarter=quarter)
            rolled = np.array(driver.travel)
            travel.append(travel[-1][-1] + rolled[1:] - rolled[0])
            poses.append(np.full((len(rolled) - 1, 3), np.nan))
            poses[-1][-1] = measure(f"{what}, corner {corner + 1}")
        runs.append(FreeRun(np.concatenate(travel), np.concatenate(poses)))
    return runs


def drive_straight(
    arena: BaseArena,
    robot: Robot,
    wheels: WheelCalibration,
    length: float,
    measure: Measure,
    prepare: Callable[[str], object],
) -> WheelCalibration:
    """Drive straight for a length [m] by odometry, and return the wheels scaled by the true distance."""
    what = f"straight run of {length:g} m"
    prepare(what)
    end = drive_course(arena, robot, wheels, length, sides=1, quarter=0.0).estimated_pose
    return wheels.scale(math.hypot(*measure(what)[:2]), math.hypot(end.x, end.y))
