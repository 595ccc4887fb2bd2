"""Menu entry 5: measure the turns and distances of a robot, and compare them with its orders."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import paddock
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.reason import explain
from paddock.core.terminal.console import cell, new_table
from paddock.experiments.ecoli.commands.orders.language import _
from paddock.experiments.ecoli.commands.orders.program import HostProgram, find_robot
from paddock.experiments.ecoli.waypoint_robots import MeasuredMotion, OdometryErrors, measure_distance, measure_turn
from paddock.experiments.ecoli.waypoint_robots.link import OrdersRobot
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS, MotionKind
from paddock.experiments.ecoli.waypoint_robots.port import require_reply
from paddock.experiments.ecoli.waypoint_robots.texts import CM, Order

MOTIONS = "b90 b-90 b360 b-360 c20 b180 c20 b180"  # turns [°] and distances [cm], by their order letters
MOTION = re.compile(r"(b)(-?\d+(?:\.\d+)?)|(c)(\d+(?:\.\d+)?)")
UNITS = {"turn": math.radians(1.0), "distance": CM}  # displayed units: degrees and centimetres

PoseSource = Callable[[], Pose]
Measure = Callable[[MotionKind, float, Callable[[], float]], tuple[float | None, float]]
"""Executes a motion, which returns its duration [s]; returns the measured value, or None, and the duration."""


def measure_odometry(
    program: HostProgram, name: str, *, motions: str = MOTIONS, served: str | None = None, camera: bool = False
) -> None:
    """Let a robot turn and drive, and print the errors.

    Args:
        program: the host program.
        name: name of the robot.
        motions: such as "b90 c20": a turn by 90°, 20 cm straight ahead.
        served: address of the robot's served world, which returns its true pose; None: the user measures and types
            the values.
        camera: measure with the camera of the configuration.
    """
    planned = read_motions(motions)
    done: list[MeasuredMotion] = []
    robot = find_robot(program.config, name)
    with choose_measure(program, name, served, camera) as measure, program.connect(robot) as link:
        for kind, commanded in planned:
            act = partial(turn, link, commanded) if kind == "turn" else partial(link.forward, commanded)
            try:
                measured, seconds = measure(kind, commanded, act)
            except EOFError:
                break
            if measured is not None:
                done.append(MeasuredMotion(kind=kind, commanded=commanded, measured=measured, seconds=seconds))
    print_errors(program, name, OdometryErrors(motions=done))


def read_motions(text: str) -> list[tuple[MotionKind, float]]:
    """Parse turns [rad] and distances [m]."""
    found: list[tuple[MotionKind, float]] = []
    for word in text.split():
        match = MOTION.fullmatch(word)
        number = float(match[2] or match[4]) if match else 0.0
        if not number or not match:
            raise PaddockError(
                explain(
                    "--motions: expected turns such as b90 (degrees) and distances such as c20 (cm), got {text!r}",
                    text=word,
                )
            )
        kind: MotionKind = "turn" if match[1] else "distance"
        found.append((kind, number * UNITS[kind]))
    if not found:
        raise PaddockError(explain("--motions: expected at least one, such as 'b90 c20'"))
    return found


def turn(link: OrdersRobot, angle: float) -> float:
    """Turn by an angle [rad], and return the duration [s]."""
    seconds = CONSTANTS.turn_seconds(angle)
    reply = link.port.ask(Order("b", (angle,)), seconds, expected=seconds)
    return require_reply(reply, "b", f"{link.name}: turning by {math.degrees(angle):g}°").numbers[1]


@contextmanager
def choose_measure(program: HostProgram, name: str, served: str | None, camera: bool) -> Iterator[Measure]:
    """Yield the measurement of motions: by the camera, by the served world, or by the user."""
    if camera:
        poses = program.open_camera()
        read = partial(poses.read_pose, name)
        yield lambda kind, commanded, act: measure_from_outside(read, kind, commanded, act)
        return
    if served is None:
        yield lambda kind, commanded, act: measure_by_hand(program, kind, commanded, act())
        return
    with paddock.connect(served, lock_step=False) as arena:
        robot = arena[name]

        def read_pose() -> Pose:
            arena.step(0)
            pose: Pose = robot.pose
            return pose

        yield lambda kind, commanded, act: measure_from_outside(read_pose, kind, commanded, act)


def measure_from_outside(
    read_pose: PoseSource, kind: MotionKind, commanded: float, act: Callable[[], float]
) -> tuple[float, float]:
    """Measure a motion by the poses before and after it."""
    before = read_pose()
    seconds = act()
    after = read_pose()
    return (measure_turn(commanded, before, after) if kind == "turn" else measure_distance(before, after)), seconds


def measure_by_hand(
    program: HostProgram, kind: MotionKind, commanded: float, seconds: float
) -> tuple[float | None, float]:
    """Ask the user for the measured value, until it is a number or empty."""
    shown = commanded / UNITS[kind]
    question = (
        _("commanded turn {shown:g}°; measured angle in degrees (Enter skips it):")
        if kind == "turn"
        else _("commanded distance {shown:g} cm; measured distance in cm (Enter skips it):")
    )
    while text := program.ask(question.format(shown=shown)):
        try:
            number = float(text.replace(",", "."))
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number * UNITS[kind], seconds
        program.print_line(_("expected a number, got {text!r}").format(text=text), "red")
    return None, seconds


def print_errors(program: HostProgram, name: str, errors: OdometryErrors) -> None:
    """Print the table of all motions, and the wheel dimensions derived from them."""
    columns = (_("commanded"), _("measured"), _("error"), _("error [%]"), _("time [s]"))
    table = new_table(_("Odometry of {robot}").format(robot=name), _("motion"), *columns, right=columns)
    words = {"turn": _("turn [°]"), "distance": _("distance [cm]")}
    for motion in errors.motions:
        unit = UNITS[motion.kind]
        numbers = (motion.commanded / unit, motion.measured / unit, motion.error / unit, 100 * (motion.ratio - 1))
        table.add_row(cell(words[motion.kind]), *(f"{number:.2f}" for number in numbers), f"{motion.seconds:.3f}")
        program.note(f"{name} {words[motion.kind]} " + " ".join(f"{number:.3f}" for number in numbers))
        program.print_json(
            robot=name, kind=motion.kind, commanded=numbers[0], measured=numbers[1], seconds=motion.seconds
        )
    program.print(table)
    if math.isfinite(errors.distance_ratio):
        text = _("wheel diameter from the distances: {mm:.2f} mm, assumed {known:.2f} mm")
        program.print_line(text.format(mm=1000 * errors.wheel_diameter, known=1000 * CONSTANTS.wheel_diameter))
    if math.isfinite(errors.wheel_separation):
        text = _("wheel separation from the turns: {mm:.2f} mm, assumed {known:.2f} mm")
        program.print_line(text.format(mm=1000 * errors.wheel_separation, known=1000 * CONSTANTS.wheel_separation))
