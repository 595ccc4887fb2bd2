"""`paddock calibrate`: measure a robot's wheels with squares in both directions, and write its own TOML file."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit

import typer

import paddock
from paddock.arena import Arena, Robot, wheels_of
from paddock.arena.base_arena import BaseArena
from paddock.arena.calibration import SquareTest, drive_free_runs, drive_squares, drive_straight
from paddock.cli.console import Console
from paddock.cli.files import CHARTS, check_new, check_picture, print_written
from paddock.cli.run_robot import choose_robot, halt
from paddock.cli.tables import cell, new_table
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.files import whole_file
from paddock.core.geometry import Pose, relative
from paddock.core.toml import toml_text
from paddock.network.client import SERVERS
from paddock.perception.estimation import Umbmark, WheelCalibration, WheelFit, fit_wheels
from paddock.perception.estimation.wheel_calibration import MAX_RATIO, PIECE
from paddock.report import save_figure, umbmark_chart
from paddock.simulation.robots import MeasuredWheels, robot_names

if TYPE_CHECKING:
    from paddock.experiments.ecoli.commands.camera_poses import CameraPoses


CalibrationMethod = Literal["umbmark", "fit"]
METHODS = get_args(CalibrationMethod)
STRAIGHT_RUN = 0.6  # [m]
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


def plan_calibration(
    method: str, *, side: float, runs: int, straight: float | None, rounds: int, check: bool, seed: int
) -> CalibrationPlan:
    """Return the plan for the options of the command line."""
    if method not in METHODS:
        raise UnknownName("method of calibration", method, METHODS)
    fits = method == "fit"
    if fits and straight:
        raise PaddockError("--straight belongs to --method umbmark: a fit includes the driven distance: leave it out")
    length = 0.0 if fits else STRAIGHT_RUN if straight is None else straight
    return CalibrationPlan(
        test=SquareTest(side, runs),
        method="fit" if fits else "umbmark",
        straight=length,
        rounds=rounds,
        check=check,
        seed=seed,
    )


def find_camera(url: str | None, lens: Path | None, site: Path | None) -> CameraPoses | None:
    """Return the camera that measures poses, or None if no address is given."""
    if url is None:
        if lens is not None or site is not None:
            raise PaddockError("--lens and --site belong to a camera: add --camera URL")
        return None
    if lens is None or site is None:
        raise PaddockError(
            "--camera: expected --lens and --site, too: see paddock camera calibrate and the documentation"
        )
    from paddock.experiments.ecoli.commands.camera_poses import CameraPoses

    return CameraPoses(url, lens, site)


def calibrate(
    world: str | None,
    *,
    robot: str | None,
    plan: CalibrationPlan,
    camera: CameraPoses | None = None,
    output: Path | None,
    chart: Path | None,
    force: bool,
) -> None:
    """Drive the squares, print the result, and write the files."""
    console, chart = Console(highlight=False), check_picture(chart, CHARTS)
    if chart is not None and plan.method == "fit" and not plan.check:
        raise PaddockError("--chart draws UMBmark squares, which --method fit drives as a check only: drop --no-check")
    with open_robot(world, robot, plan.seed, free_running=camera is not None) as (arena, handle):
        file = check_new(output or Path(f"{handle.name}.toml"), ".toml", force=force)
        try:
            outcome = drive_all(handle, plan, RunMeasurer(arena, handle, plan.seed, camera))
        finally:
            halt(handle, console)
        print_outcome(console, handle, outcome, plan)
        check_wheels(handle, outcome, plan)
        write_robot(handle, outcome.wheels[-1], plan, file, by_camera=camera is not None)
    print_written(file, ": use it as a robot's type")
    if chart is not None:
        last = outcome.squares[-1] if plan.check and len(outcome.squares) > 1 else None
        save_figure(umbmark_chart(outcome.squares[0], last), chart)
        print_written(chart)


@contextmanager
def open_robot(
    world: str | None, robot: str | None, seed: int, *, free_running: bool = False
) -> Iterator[tuple[BaseArena, Robot]]:
    """Yield the robot of a world or of an address; `free_running`: with a clock that does not wait, for a camera."""
    if robot is not None and "://" in robot:
        if world is not None:
            raise PaddockError(f"--robot {robot} is an address: leave the world {world!r} out")
        more: dict[str, Any] = (
            {"lock_step": False} if free_running and urlsplit(robot).scheme.lower() in SERVERS else {}
        )
        with paddock.connect(robot, **more) as arena:
            yield arena, choose_robot(arena, robot)
        return
    if world is None:
        raise PaddockError("expected a world, or --robot with an address such as epuck:///dev/rfcomm0")
    if free_running:
        raise PaddockError(
            f"--camera cannot observe a world of this process: serve {world}, and give its robot with --robot URL"
        )
    local = paddock.open(world, seed=seed)
    if robot is None and len(local.robots) != 1:
        raise PaddockError(f"{world}: which robot? Add --robot NAME, one of {', '.join(local.robots) or 'none'}")
    yield local, local[robot] if robot is not None else next(iter(local.robots.values()))


class RunMeasurer:
    """Measures the true pose of a robot: from the simulation, or for a real robot by a camera or by the user."""

    def __init__(self, arena: BaseArena, robot: Robot, seed: int, camera: CameraPoses | None = None) -> None:
        self.arena, self.robot, self.seed, self.camera = arena, robot, seed, camera
        self.start = robot.pose

    @property
    def sees_headings(self) -> bool:
        """Whether `measure` returns headings in addition to positions."""
        return self.camera is not None or self.robot.pose_source == "truth"

    def prepare(self, what: str) -> None:
        """Put the robot at its start before a run, or measure its start with the camera."""
        if self.camera is not None:
            self.start = self.camera.read_pose(self.robot.name)
        elif isinstance(self.arena, Arena):
            self.arena.reset(seed=self.seed)  # each run has different noise
            self.seed += 1
            self.start = self.robot.pose
        elif self.robot.pose_source == "truth":
            self.robot.set_pose(*self.start)
        else:
            typer.prompt(
                f"{what}: put the robot on its mark, along the first side, and press Enter",
                default="",
                show_default=False,
            )

    def measure(self, what: str) -> Pose:
        """Return the pose after a run, in the frame of the start."""
        if self.camera is not None:
            return relative(self.start, self.camera.read_pose(self.robot.name))
        if self.robot.pose_source == "truth":
            return relative(self.start, self.robot.pose)
        while True:
            text = typer.prompt(f"{what}: position now, x y in mm from the mark, x along the first side, y to its left")
            try:
                x, y = (float(word) / 1000 for word in text.replace(",", " ").split())
            except ValueError:
                typer.echo(f"expected two numbers such as: -12 8.5, got {text!r}")
                continue
            if math.isfinite(x) and math.isfinite(y):
                return Pose(x, y, 0.0)


def drive_all(robot: Robot, plan: CalibrationPlan, truth: RunMeasurer) -> CalibrationOutcome:
    """Drive all rounds of squares, the straight run, and the check."""
    arena = truth.arena
    if plan.method == "fit" and not truth.sees_headings:
        raise PaddockError("--method fit needs positions and headings of the robot: add --camera, --lens and --site")
    outcome = CalibrationOutcome([wheels_of(robot.spec)])
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


def print_outcome(console: Console, robot: Robot, outcome: CalibrationOutcome, plan: CalibrationPlan) -> None:
    """Print a table of the wheels and of UMBmark's figures, before and after, and the residual of a fit."""
    nominal, before, after = robot.spec.drive.wheel_diameter, outcome.wheels[0], outcome.wheels[-1]
    first = outcome.squares[0] if plan.method == "umbmark" else None
    last = outcome.squares[-1] if plan.check else None
    table = new_table(
        f"{robot.name} ({robot.spec.name}): {plan.test.runs} squares of {plan.test.side:g} m each way",
        *("", "before", "after"),
        right=("before", "after"),
    )
    for name, wheel in (("left wheel [mm]", 0), ("right wheel [mm]", 1)):
        table.add_row(cell(name), *(f"{1000 * wheels.diameters(nominal)[wheel]:.3f}" for wheels in (before, after)))
    table.add_row(cell("wheel separation [mm]"), *(f"{1000 * w.wheel_separation:.3f}" for w in (before, after)))
    if outcome.fit is not None:
        table.add_row(cell("residual of the fit [mm]"), "-", f"{1000 * outcome.fit.residual:.2f}")
    rows = (
        ("E_d, right to left wheel", "diameter_ratio", 1, 5),
        ("E_b, true to assumed separation", "separation_ratio", 1, 5),
        ("E_max,syst [mm]", "largest_error", 1000, 1),
    )
    for name, figure, unit, digits in rows if first or last else ():
        shown = ("-" if mark is None else f"{unit * getattr(mark, figure):.{digits}f}" for mark in (first, last))
        table.add_row(cell(name), *shown)
    console.print(table)


def check_wheels(robot: Robot, outcome: CalibrationOutcome, plan: CalibrationPlan) -> None:
    """Warn if squares or poses still do not fit, and refuse implausible wheels: their errors are too large."""
    side = plan.test.side
    far = outcome.squares[-1].largest_error if plan.check else outcome.fit.residual if outcome.fit else 0.0
    if far > FAR * side:
        what = "squares still do not close" if plan.check else "the poses do not fit the result"
        typer.echo(
            f"warning: {robot.name}: {what}, by {1000 * far:.0f} mm: its wheels differ too much from the assumed ones "
            f"for squares of {side:g} m; try --side {side / 4:g} --rounds 4",
            err=True,
        )
    first, last = (
        (*wheels.diameters(1.0), wheels.wheel_separation) for wheels in (outcome.wheels[0], outcome.wheels[-1])
    )
    if any(not 1 / MAX_RATIO < new / old < MAX_RATIO for old, new in zip(first, last, strict=True)):
        raise PaddockError(
            f"{robot.name}: these squares give implausible wheels, so no file is written: drive shorter sides first, "
            f"such as --side {side / 4:g} --rounds 4"
        )


def write_robot(robot: Robot, wheels: WheelCalibration, plan: CalibrationPlan, file: Path, *, by_camera: bool) -> None:
    """Write the robot's own file: its type with measured wheels."""
    spec, test = robot.spec, plan.test
    left, right = (round(diameter, 7) for diameter in wheels.diameters(spec.drive.wheel_diameter))
    again = f", in {plan.rounds} rounds" if plan.rounds > 1 else ""
    straight = f", and a straight run of {plan.straight:g} m" if plan.straight else ""
    name = "UMBmark" if plan.method == "umbmark" else "least squares"
    seen = ", measured by a camera" if by_camera else ""
    measured = MeasuredWheels(
        left_diameter=left,
        right_diameter=right,
        wheel_separation=round(wheels.wheel_separation, 7),
        date=datetime.date.today().isoformat(),
        method=f"{name}, {test.runs} squares of {test.side:g} m each way{again}{straight}{seen}",
    )
    name = file.stem
    if spec.name in robot_names():
        table = {"base": spec.name, "name": name, "drive": {"measured": measured.to_table()}}
    else:  # write a user's own type completely, so that the file needs no other file
        whole = spec.to_table()
        table = {**whole, "name": name, "drive": {**whole["drive"], "measured": measured.to_table()}}
    head = f"# {robot.name}, calibrated by `paddock calibrate`. In simulation, it has exactly these wheels.\n"
    with whole_file(file) as out:
        out.write(head + toml_text(table))
