"""Calibration of a robot's wheels: drive squares in both directions, fit the wheels, describe the individual robot."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from paddock.arena.arena import Arena
from paddock.arena.base_arena import BaseArena
from paddock.arena.calibration import SquareTest, drive_free_runs, drive_squares, drive_straight
from paddock.arena.localisation import get_wheels
from paddock.arena.robot import Robot
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, relative
from paddock.core.toml import toml_text
from paddock.perception.estimation import Umbmark, WheelCalibration, WheelFit, fit_wheels
from paddock.perception.estimation.wheel_calibration import MAX_RATIO, PIECE
from paddock.simulation.robots import MeasuredWheels, robot_names

CalibrationMethod = Literal["umbmark", "fit"]
FAR = 0.1  # of a side: larger errors remain only if the calibration failed


@dataclass(frozen=True, kw_only=True)
class CalibrationPlan:
    """Options of a calibration."""

    test: SquareTest
    method: CalibrationMethod = "umbmark"
    straight: float = 0.0  # [m] length of the straight run after UMBmark; 0: none
    rounds: int = 1  # rounds of squares, each with the wheels of the previous round
    check: bool = True  # drive the squares again with the result
    seed: int = 0


@dataclass
class CalibrationOutcome:
    """Result of a calibration: the wheels before and after, and the squares driven with each."""

    wheels: list[WheelCalibration]
    squares: list[Umbmark] = field(default_factory=list)
    fit: WheelFit | None = None  # last fit of the method "fit"


class PoseMeasurer(Protocol):
    """Measures poses where the simulation does not know them: a person, or a camera."""

    sees_headings: bool  # whether poses have headings in addition to positions

    def prepare(self, what: str) -> None:
        """Wait until the robot is at its start."""

    def measure(self, what: str) -> Pose:
        """Return the pose after a run, in the frame of the start."""


class TrueMeasurer:
    """Measures the poses of a simulated robot, which it puts back to its start before each run."""

    sees_headings = True

    def __init__(self, arena: BaseArena, robot: Robot, seed: int) -> None:
        self.arena, self.robot, self.seed = arena, robot, seed
        self.start = robot.pose

    def prepare(self, what: str) -> None:
        """Put the robot at its start."""
        if isinstance(self.arena, Arena):
            self.arena.reset(seed=self.seed)  # each run has different noise
            self.seed += 1
            self.start = self.robot.pose
        else:
            self.robot.set_pose(*self.start)

    def measure(self, what: str) -> Pose:
        """Return the pose after a run, in the frame of the start."""
        return relative(self.start, self.robot.pose)


class CameraMeasurer:
    """Measures poses with a camera, whose `read_pose` takes the name of a robot."""

    sees_headings = True

    def __init__(self, robot: str, read_pose: Callable[[str], Pose]) -> None:
        self.robot, self.read_pose = robot, read_pose
        self.start = Pose(0.0, 0.0, 0.0)

    def prepare(self, what: str) -> None:
        """Measure the start."""
        self.start = self.read_pose(self.robot)

    def measure(self, what: str) -> Pose:
        """Return the pose after a run, in the frame of the start."""
        return relative(self.start, self.read_pose(self.robot))


def calibrate_wheels(arena: BaseArena, robot: Robot, plan: CalibrationPlan, truth: PoseMeasurer) -> CalibrationOutcome:
    """Drive all rounds of squares, the straight run, and the check."""
    if plan.method == "fit" and not truth.sees_headings:
        raise PaddockError(f"{robot.name}: a fit needs positions and headings of the robot, measured by a camera")
    outcome = CalibrationOutcome([get_wheels(robot.spec)])
    for _ in range(plan.rounds):
        wheels = outcome.wheels[-1]
        if plan.method == "fit":
            runs = drive_free_runs(arena, robot, wheels, plan.test, truth.measure, truth.prepare)
            outcome.fit = fit_wheels(runs, wheels, piece=max(PIECE, 2.5 * plan.test.side))
            outcome.wheels.append(outcome.fit.wheels)
            continue
        squares = drive_squares(arena, robot, wheels, plan.test, truth.measure, truth.prepare)
        outcome.squares.append(squares)
        outcome.wheels.append(squares.correct(wheels))
    if plan.straight:
        scaled = drive_straight(arena, robot, outcome.wheels[-1], plan.straight, truth.measure, truth.prepare)
        outcome.wheels.append(scaled)
    if plan.check:
        last = outcome.wheels[-1]
        outcome.squares.append(drive_squares(arena, robot, last, plan.test, truth.measure, truth.prepare))
    return outcome


def check_wheels(robot: Robot, outcome: CalibrationOutcome, plan: CalibrationPlan) -> str:
    """Return a warning if squares or poses still do not fit; refuse implausible wheels: their errors are too large."""
    side = plan.test.side
    former, last = (
        (*wheels.diameters(1.0), wheels.wheel_separation) for wheels in (outcome.wheels[0], outcome.wheels[-1])
    )
    if any(not 1 / MAX_RATIO < new / old < MAX_RATIO for old, new in zip(former, last, strict=True)):
        raise PaddockError(
            f"{robot.name}: these squares give implausible wheels: drive shorter sides first, such as {side / 4:g} m, "
            "in 4 rounds"
        )
    far = outcome.squares[-1].largest_error if plan.check else outcome.fit.residual if outcome.fit else 0.0
    if far <= FAR * side:
        return ""
    what = "squares still do not close" if plan.check else "the poses do not fit the result"
    return (
        f"{robot.name}: {what}, by {1000 * far:.0f} mm: its wheels differ too much from the assumed ones for squares "
        f"of {side:g} m; try sides of {side / 4:g} m in 4 rounds"
    )


def describe_calibrated(
    robot: Robot, wheels: WheelCalibration, plan: CalibrationPlan, name: str, *, by_camera: bool
) -> str:
    """Return the individual robot as TOML: its type with measured wheels, under a name of its own."""
    spec, test = robot.spec, plan.test
    left, right = (round(diameter, 7) for diameter in wheels.diameters(spec.drive.wheel_diameter))
    again = f", in {plan.rounds} rounds" if plan.rounds > 1 else ""
    straight = f", and a straight run of {plan.straight:g} m" if plan.straight else ""
    method = "UMBmark" if plan.method == "umbmark" else "least squares"
    seen = ", measured by a camera" if by_camera else ""
    measured = MeasuredWheels(
        left_diameter=left,
        right_diameter=right,
        wheel_separation=round(wheels.wheel_separation, 7),
        date=datetime.date.today().isoformat(),
        method=f"{method}, {test.runs} squares of {test.side:g} m each way{again}{straight}{seen}",
    )
    if spec.name in robot_names():
        table = {"base": spec.name, "name": name, "drive": {"measured": measured.to_table()}}
    else:  # write a user's own type completely, so that the file needs no other file
        whole = spec.to_table()
        table = {**whole, "name": name, "drive": {**whole["drive"], "measured": measured.to_table()}}
    head = f"# {robot.name}, calibrated by `paddock robot calibrate`. In simulation, it has exactly these wheels.\n"
    return head + toml_text(table)
