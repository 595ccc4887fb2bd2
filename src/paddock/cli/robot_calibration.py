"""Calibration of a robot's wheels in a terminal: choice of the robot, questions to a person, table and files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import typer

import paddock
from paddock.arena import Robot, SquareTest
from paddock.arena.base_arena import BaseArena
from paddock.arena.wheel_calibration import (
    CalibrationMethod,
    CalibrationOutcome,
    CalibrationPlan,
    CameraMeasurer,
    PoseMeasurer,
    TrueMeasurer,
    calibrate_wheels,
    check_wheels,
    describe_calibrated,
)
from paddock.cli.run_robot import choose_robot, halt
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.files import write_text
from paddock.core.geometry import Pose
from paddock.core.terminal.console import Console, cell, new_table
from paddock.core.terminal.output_files import CHARTS, check_new, check_picture, print_written
from paddock.network.client import SERVERS
from paddock.report import save_figure, umbmark_chart

METHODS = get_args(CalibrationMethod)
STRAIGHT_RUN = 0.6  # [m]
ReadPose = Callable[[str], Pose]
"""Returns the pose of the robot of this name, as a camera sees it."""


def plan_calibration(
    method: str, *, side: float, runs: int, straight: float | None, rounds: int, check: bool, seed: int
) -> CalibrationPlan:
    """Return the plan for the options of the command line."""
    if method not in METHODS:
        raise UnknownName("method of calibration", method, METHODS)
    fits = method == "fit"
    if fits and straight:
        raise PaddockError("--straight belongs to --method umbmark: a fit includes the driven distance: leave it out")
    return CalibrationPlan(
        test=SquareTest(side, runs),
        method="fit" if fits else "umbmark",
        straight=0.0 if fits else STRAIGHT_RUN if straight is None else straight,
        rounds=rounds,
        check=check,
        seed=seed,
    )


def find_camera(url: str | None, lens: Path | None, site: Path | None) -> ReadPose | None:
    """Return the camera that measures poses, or None if no address is given."""
    if url is None:
        if lens is not None or site is not None:
            raise PaddockError("--lens and --site belong to a camera: add --camera URL")
        return None
    if lens is None or site is None:
        raise PaddockError("--camera: expected --lens and --site, too: see paddock camera lens and the documentation")
    from paddock.perception.vision.camera_poses import CameraPoses

    return CameraPoses(url, lens, site).read_pose


def calibrate_robot(
    world: str | None,
    *,
    robot: str | None,
    plan: CalibrationPlan,
    read_pose: ReadPose | None,
    out: Path | None,
    chart: Path | None,
    force: bool,
) -> None:
    """Drive the squares, print the result, and write the files."""
    console, chart = Console(highlight=False), check_picture(chart, CHARTS)
    if chart is not None and plan.method == "fit" and not plan.check:
        raise PaddockError("--chart draws UMBmark squares, which --method fit drives as a check only: drop --no-check")
    with open_robot(world, robot, plan.seed, free_running=read_pose is not None) as (arena, handle):
        file = check_new(out or Path(f"{handle.name}.toml"), ".toml", force=force)
        try:
            outcome = calibrate_wheels(arena, handle, plan, choose_measurer(arena, handle, plan.seed, read_pose))
        finally:
            halt(handle, console)
        print_outcome(console, handle, outcome, plan)
        if warning := check_wheels(handle, outcome, plan):
            typer.echo(f"warning: {warning}", err=True)
        wheels = outcome.wheels[-1]
        write_text(file, describe_calibrated(handle, wheels, plan, file.stem, by_camera=read_pose is not None))
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


def choose_measurer(arena: BaseArena, robot: Robot, seed: int, read_pose: ReadPose | None) -> PoseMeasurer:
    """Return what measures the true pose of a robot: a camera, the simulation, or for a real robot the user."""
    if read_pose is not None:
        return CameraMeasurer(robot.name, read_pose)
    return TrueMeasurer(arena, robot, seed) if robot.pose_source == "truth" else UserMeasurer()


class UserMeasurer:
    """Asks the user to place the robot and to measure its position."""

    sees_headings = False

    def prepare(self, what: str) -> None:
        """Wait until the user has put the robot at its start."""
        text = f"{what}: put the robot on its mark, along the first side, and press Enter"
        typer.prompt(text, default="", show_default=False)

    def measure(self, what: str) -> Pose:
        """Return the position after a run, in the frame of the start; the heading is 0."""
        while True:
            text = typer.prompt(f"{what}: position now, x y in mm from the mark, x along the first side, y to its left")
            try:
                x, y = (float(word) / 1000 for word in text.replace(",", " ").split())
            except ValueError:
                typer.echo(f"expected two numbers such as: -12 8.5, got {text!r}")
                continue
            if math.isfinite(x) and math.isfinite(y):
                return Pose(x, y, 0.0)


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
