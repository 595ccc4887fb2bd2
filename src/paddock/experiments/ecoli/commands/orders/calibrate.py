"""Menu entry 1: measure the proximity threshold of robots, and write it into the configuration."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial

from paddock.control.behaviours.avoidance import EPUCK_RING
from paddock.core.errors import LinkError, PaddockError
from paddock.core.terminal.console import cell, new_table
from paddock.experiments.ecoli.commands.orders.language import _, translate
from paddock.experiments.ecoli.commands.orders.program import HostProgram, find_robot
from paddock.experiments.ecoli.obstacles import find_light, measure_sensitivity
from paddock.experiments.ecoli.waypoint_robots import (
    OrderRobotSpec,
    ThresholdCalibration,
    calibrate_threshold,
    store_calibration,
)
from paddock.experiments.ecoli.waypoint_robots.link import OrdersRobot
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS
from paddock.experiments.ecoli.waypoint_robots.port import require_reply
from paddock.experiments.ecoli.waypoint_robots.proximity_threshold import LEAST_MARGIN, STEPS, largest_sum
from paddock.experiments.ecoli.waypoint_robots.texts import CM, Order

LOOKS = 25  # readings of the light sensors


def calibrate(program: HostProgram, names: Sequence[str] = (), *, lamp: str = "", verify: bool = False) -> bool:
    """Turn robots once around in open space, one after the other; return whether all were calibrated.

    Args:
        program: the host program.
        names: names of the robots; empty for all.
        lamp: description of the light, written next to the threshold.
        verify: ask the user to hold a hand in front of each robot, and print whether it is detected.
    """
    config = program.config
    robots = [find_robot(config, name) for name in names] or config.robots
    reached = True
    for robot in robots:
        try:
            measured = measure(program, robot, verify=verify)
        except LinkError as error:
            reached = False
            program.print_line(
                _("{robot}: connection failed: {text}").format(robot=robot.name, text=translate(error)), "bold red"
            )
            program.print_json(robot=robot.name, error=str(error))
            continue
        if not measured:
            reached = False
            continue
        when = time.strftime("%Y-%m-%d %H:%M")
        store_calibration(program.path, robot.name, **measured, calibrated=when, lamp=lamp)
        for key, value in measured.items():
            text = _("{robot}: {key} = {value:g} written to {file}")
            program.print_line(text.format(robot=robot.name, key=key, value=value, file=program.path))
    return reached


def measure(program: HostProgram, robot: OrderRobotSpec, *, verify: bool) -> dict[str, float]:
    """Measure the threshold of a robot, and in light its sensitivity to it; empty if there is an obstacle nearby."""
    program.print_line(_("{robot}: turns once around, in 36 steps").format(robot=robot.name))
    with program.connect(robot) as link:
        result = calibrate_threshold(partial(look, link), link.forward, link.pose.heading)
        print_result(program, robot, result)
        if verify and not result.clutter:
            check_with_hand(program, link, result.threshold)
        if result.clutter:
            return {}
        light = measure_light(link, result) if result.is_lit and link.mode == "checked" else None
    return {"near": result.threshold} | ({} if light is None else {"light": light})


def measure_light(link: OrdersRobot, result: ThresholdCalibration) -> float | None:
    """Return the echo that 1 W/m² causes [1/m²], at the heading with the most light; None if it cannot be measured."""
    brightest = result.headings[result.sums.index(max(result.sums))]
    look(link, brightest)
    records = [require_reply(link.port.ask(Order("e", (0,))), "e", link.name).numbers[4:] for _look in range(LOOKS)]
    look(link, result.headings[0])
    try:
        distances = [EPUCK_RING.find_distances(record[:8]) for record in records]
        return round(measure_sensitivity(distances, [find_light(record[8:]) for record in records]), 1)
    except PaddockError:  # too little light, or so much that the sensors are saturated
        return None


def look(link: OrdersRobot, heading: float) -> tuple[float, ...]:
    """Turn to a heading [rad], and return the readings of sensors 0, 1, 7 and 6."""
    seconds = CONSTANTS.turn_seconds(math.pi)
    reply = link.port.ask(Order("a", (heading,)), seconds, expected=seconds)
    return require_reply(reply, "a", f"{link.name}: turning to {math.degrees(heading):.0f}°").numbers


def print_result(program: HostProgram, robot: OrderRobotSpec, result: ThresholdCalibration) -> None:
    """Print the measurement as a table and as JSON, with warnings."""
    columns = (_("mean"), _("spread"), _("largest"), _("threshold"), _("range [cm]"), _("before"))
    table = new_table(_("Proximity"), _("robot"), *columns, right=columns)
    numbers = (
        f"{result.mean:.1f}",
        f"{result.spread:.1f}",
        str(result.largest),
        str(result.threshold),
        f"{result.range / CM:.1f}",
        str(robot.near),
    )
    table.add_row(cell(robot.name), *numbers)
    program.print(table)
    program.print_json(
        robot=robot.name,
        mean=result.mean,
        spread=result.spread,
        largest=result.largest,
        threshold=result.threshold,
        range_cm=round(result.range / CM, 2),
        lit=result.is_lit and not result.clutter,
        clutter_deg=[round(math.degrees(heading)) for heading in result.clutter],
    )
    if result.varies_too_little:
        text = _("{robot}: the sensor readings hardly vary here; the minimum margin of {margin:g} is used")
        program.print_line(text.format(robot=robot.name, margin=LEAST_MARGIN), "yellow")
    if result.is_lit and not result.clutter:
        text = _("{robot}: light raises the readings up to {largest}; the threshold is above it")
        program.print_line(text.format(robot=robot.name, largest=result.largest), "yellow")
    if result.clutter:
        where = ", ".join(list_ranges([round(math.degrees(heading)) for heading in result.clutter]))
        text = _("{robot}: obstacle at {where}; near stays {near}: calibrate again in open space")
        program.print_line(text.format(robot=robot.name, where=where, near=robot.near), "yellow")


def list_ranges(headings: Sequence[int]) -> list[str]:
    """Return headings [°] of a turn in equal steps, with consecutive headings joined to ranges."""
    step, groups = 360 // STEPS, list[list[int]]()
    for heading in headings:
        if groups and (heading - groups[-1][-1]) % 360 == step:
            groups[-1].append(heading)
        else:
            groups.append([heading])
    if len(groups) > 1 and (groups[0][0] - groups[-1][-1]) % 360 == step:
        groups[0] = groups.pop() + groups[0]
    return [f"{group[0]}°" if len(group) == 1 else f"{group[0]}° … {group[-1]}°" for group in groups]


def check_with_hand(program: HostProgram, link: OrdersRobot, threshold: int) -> bool:
    """Ask the user to hold a hand in front of the robot, and return whether it is detected."""
    program.ask(_("{robot}: hold a hand or a box in front of it, then press Enter:").format(robot=link.name))
    seen = largest_sum(require_reply(link.port.ask(Order("X")), "X", link.name).numbers)
    text = (
        _("{robot}: detected, {seen} > {threshold}")
        if seen > threshold
        else _("{robot}: not detected, {seen} <= {threshold}")
    )
    program.print_line(
        text.format(robot=link.name, seen=seen, threshold=threshold), "" if seen > threshold else "yellow"
    )
    return seen > threshold
