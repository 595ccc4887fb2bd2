"""`paddock calibrate`: squares in both directions tell what a robot's wheels are; a TOML file of its own keeps it."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.console import Console

import paddock
from paddock.arena import Arena, Robot, wheels_of
from paddock.arena.base import BaseArena
from paddock.arena.calibration import SquareTest, drive_squares, drive_straight, pose_within
from paddock.cli.files import checked_new
from paddock.cli.run_robot import choose_robot, halt
from paddock.cli.tables import cell, new_table
from paddock.core.errors import PaddockError
from paddock.core.files import whole_file
from paddock.core.geometry import Pose
from paddock.core.toml import toml_text
from paddock.estimate import Umbmark, WheelCalibration
from paddock.report import save_figure, umbmark_chart
from paddock.robots import MeasuredWheels, robot_names


@dataclass(frozen=True, kw_only=True)
class CalibrationPlan:
    """What the command was asked for."""

    test: SquareTest
    straight: float  # [m] length of the straight run; 0: none
    rounds: int = 1  # of squares, each with the wheels of the round before
    check: bool = True  # drive squares once more with the result
    seed: int = 0


@dataclass
class CalibrationOutcome:
    """What came of it: the wheels before and after, and the squares driven with each."""

    wheels: list[WheelCalibration]
    squares: list[Umbmark] = field(default_factory=list)


def calibrate(
    world: str | None,
    *,
    robot: str | None,
    plan: CalibrationPlan,
    output: Path | None,
    chart: Path | None,
    force: bool,
) -> None:
    """Drive, print what was found, and write the files."""
    console = Console(highlight=False)
    with open_robot(world, robot, plan.seed) as (arena, handle):
        file = checked_new(output or Path(f"{handle.name}.toml"), force=force)
        if file.suffix != ".toml":
            raise PaddockError(f"{file}: expected a robot's file name ending in .toml")
        if chart is not None:
            checked_new(chart, force=force)
        try:
            outcome = drive_all(arena, handle, plan)
        finally:
            halt(handle, console)
        print_outcome(console, handle, outcome, plan)
        write_robot(handle, outcome.wheels[-1], plan, file)
    console.print(f"wrote {file}: use it as a robot's type", markup=False)
    if chart is not None:
        save_figure(umbmark_chart(outcome.squares[0], outcome.squares[-1] if plan.check else None), chart)
        console.print(f"wrote {chart}", markup=False)


@contextmanager
def open_robot(world: str | None, robot: str | None, seed: int) -> Iterator[tuple[BaseArena, Robot]]:
    """The robot of a world, or that behind an address."""
    if robot is not None and "://" in robot:
        if world is not None:
            raise PaddockError(f"--robot {robot} is an address: leave the world {world!r} out")
        with paddock.connect(robot) as arena:
            yield arena, choose_robot(arena, robot)
        return
    if world is None:
        raise PaddockError("expected a world, or --robot with an address such as epuck:///dev/rfcomm0")
    local = paddock.open(world, seed=seed)
    if robot is None and len(local.robots) != 1:
        raise PaddockError(f"{world}: which robot? Add --robot NAME, one of {', '.join(local.robots) or 'none'}")
    yield local, local[robot] if robot is not None else next(iter(local.robots.values()))


class RunMeasurer:
    """Where a robot really stands: a simulation knows; of a real robot someone measures it."""

    def __init__(self, arena: BaseArena, robot: Robot, seed: int) -> None:
        self.arena, self.robot, self.seed = arena, robot, seed
        self.start = robot.pose

    def prepare(self, what: str) -> None:
        """The robot is at its start before a run."""
        if isinstance(self.arena, Arena):
            self.arena.reset(seed=self.seed)  # each run has noise of its own
            self.seed += 1
            self.start = self.robot.pose
        elif self.robot.pose_source == "truth":
            self.robot.set_pose(*self.start)
        else:
            typer.prompt(
                f"{what}: put the robot on its mark, along the first side; Enter", default="", show_default=False
            )

    def measure(self, what: str) -> Pose:
        """Where it is after a run, in the frame of its start."""
        if self.robot.pose_source == "truth":
            return pose_within(self.start, self.robot.pose)
        while True:
            text = typer.prompt(
                f"{what}: where is it now? x y in mm from the mark, x along the first side, y to its left"
            )
            try:
                x, y = (float(word) / 1000 for word in text.replace(",", " ").split())
            except ValueError:
                typer.echo(f"expected two numbers such as: -12 8.5, got {text!r}")
                continue
            if math.isfinite(x) and math.isfinite(y):
                return Pose(x, y, 0.0)


def drive_all(arena: BaseArena, robot: Robot, plan: CalibrationPlan) -> CalibrationOutcome:
    """All rounds of squares, the straight run, and the check."""
    truth = RunMeasurer(arena, robot, plan.seed)
    outcome = CalibrationOutcome([wheels_of(robot.spec)])
    for _ in range(plan.rounds):
        wheels = outcome.wheels[-1]
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
    """A table of the wheels and of UMBmark's figures, before and after."""
    nominal, before, after = robot.spec.drive.wheel_diameter, outcome.wheels[0], outcome.wheels[-1]
    first, last = outcome.squares[0], outcome.squares[-1] if plan.check else None
    table = new_table(
        f"{robot.name} ({robot.spec.name}): {plan.test.runs} squares of {plan.test.side:g} m each way",
        *("", "before", "after"),
        right=("before", "after"),
    )
    for name, wheel in (("left wheel [mm]", 0), ("right wheel [mm]", 1)):
        table.add_row(cell(name), *(f"{1000 * wheels.diameters(nominal)[wheel]:.3f}" for wheels in (before, after)))
    table.add_row(cell("wheel separation [mm]"), *(f"{1000 * w.wheel_separation:.3f}" for w in (before, after)))
    table.add_row("E_d, right to left wheel", f"{first.diameter_ratio:.5f}", _show(last, "diameter_ratio", 5))
    table.add_row(
        "E_b, true to assumed separation", f"{first.separation_ratio:.5f}", _show(last, "separation_ratio", 5)
    )
    worst = f"{1000 * last.largest_error:.1f}" if last is not None else "-"
    table.add_row(cell("E_max,syst [mm]"), f"{1000 * first.largest_error:.1f}", worst)
    console.print(table)


def _show(mark: Umbmark | None, figure: str, digits: int) -> str:
    return "-" if mark is None else f"{getattr(mark, figure):.{digits}f}"


def write_robot(robot: Robot, wheels: WheelCalibration, plan: CalibrationPlan, file: Path) -> None:
    """The robot's own file: its kind with measured wheels."""
    spec, test = robot.spec, plan.test
    left, right = (round(diameter, 7) for diameter in wheels.diameters(spec.drive.wheel_diameter))
    again = f", in {plan.rounds} rounds" if plan.rounds > 1 else ""
    straight = f", and a straight run of {plan.straight:g} m" if plan.straight else ""
    measured = MeasuredWheels(
        left_diameter=left,
        right_diameter=right,
        wheel_separation=round(wheels.wheel_separation, 7),
        date=datetime.date.today().isoformat(),
        method=f"UMBmark, {test.runs} squares of {test.side:g} m each way{again}{straight}",
    )
    name = file.stem
    if spec.name in robot_names():
        table = {"base": spec.name, "name": name, "drive": {"measured": measured.to_table()}}
    else:  # of a user's own kind all is written, so that the file stands by itself
        whole = spec.to_table()
        table = {**whole, "name": name, "drive": {**whole["drive"], "measured": measured.to_table()}}
    head = f"# {robot.name}, calibrated by `paddock calibrate`. Simulated, it has just these wheels.\n"
    with whole_file(file) as out:
        out.write(head + toml_text(table))
