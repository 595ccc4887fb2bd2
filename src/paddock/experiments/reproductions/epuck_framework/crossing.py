"""Runs of the line crossing: two e-pucks with the same controller for ten minutes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import paddock
from paddock.arena.episodes import Trace
from paddock.control.behaviours.line import LinePatrol
from paddock.experiments.reproductions.epuck_framework.controllers import ImprovedCrossing, StockCrossing
from paddock.experiments.reproductions.epuck_framework.course import NARROW, WIDE, LineCourse, load_course
from paddock.experiments.reproductions.epuck_framework.crossing_results import CrossingResults, evaluate_crossing
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

MINUTES = 10.0
ALONG, ASIDE, TURNED = 0.10, 0.004, 6.0  # range of start poses: along and across the line [m], heading [degrees]

CURVE = 0.2  # how much the curving controller turns to the right if it detects nothing


class Setup(NamedTuple):
    """A controller and a course."""

    make: Callable[[], Any]
    course: str = NARROW


STOCK, IMPROVED, CURVING, PATROL = "stock", "improved", "improved, curving", "line patrol"
STOCK_WIDE, IMPROVED_WIDE = f"stock, {WIDE}", f"improved, {WIDE}"
SETUPS = {
    STOCK: Setup(StockCrossing),
    IMPROVED: Setup(ImprovedCrossing),
    CURVING: Setup(partial(ImprovedCrossing, curve=CURVE)),
    PATROL: Setup(LinePatrol),
    STOCK_WIDE: Setup(StockCrossing, WIDE),
    IMPROVED_WIDE: Setup(ImprovedCrossing, WIDE),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossingJob:
    """The parameters of a run."""

    setup: str
    seed: int
    seconds: float = 60 * MINUTES
    wheel_error: float = 0.0  # standard deviation of a wheel's diameter, relative
    slip: float = 0.0  # standard deviation of a wheel's travel in a tick, relative
    keep_traces: bool = False

    @property
    def course(self) -> LineCourse:
        """The course of the run."""
        return load_course(SETUPS[self.setup].course)


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossingRun:
    """The result of a run."""

    job: CrossingJob
    results: CrossingResults
    traces: tuple[Trace, ...] = ()  # of both robots, if `keep_traces` is set


def drive_crossing(job: CrossingJob) -> CrossingRun:
    """Run both robots, each with its own controller."""
    with paddock.open(placed_world(job), seed=job.seed) as arena:
        for robot in arena.robots.values():
            robot.enable("proximity", "ground")
            robot.wheels.warns = (
                False  # Braitenberg's sums exceed the maximum wheel speed, as they did in the framework
            )
        controllers = {name: SETUPS[job.setup].make() for name in arena}
        episode = arena.run(job.seconds, controllers, every=arena.dt)
    traces = tuple(episode.robots[name].trace for name in controllers)
    results = evaluate_crossing([trace[1:] for trace in traces], job.course)  # the first row is the start
    return CrossingRun(job=job, results=results, traces=traces if job.keep_traces else ())


def placed_world(job: CrossingJob) -> WorldSpec:
    """Return the course with start poses and wheel errors of the robots drawn from the seed."""
    chance = random.Random(f"line crossing {job.seed}")
    return job.course.world.with_robots(*(_place(robot, job, chance) for robot in job.course.world.robots))


def _place(robot: RobotPlacement, job: CrossingJob, chance: random.Random) -> RobotPlacement:
    assert robot.at is not None
    course = job.course
    along = float(course.along(np.array([robot.at]))[0]) + chance.uniform(-ALONG, ALONG)
    x, y, direction = course.at(along)
    aside, turned = chance.uniform(-ASIDE, ASIDE), chance.uniform(-TURNED, TURNED)
    wheels = (chance.gauss(0.0, job.wheel_error), chance.gauss(0.0, job.wheel_error))
    back = 180.0 if robot.heading_deg and abs(robot.heading_deg) > 90 else 0.0
    return replace(
        robot,
        type=course.robot,
        at=(x - aside * float(np.sin(direction)), y + aside * float(np.cos(direction))),
        heading_deg=float(np.degrees(direction)) + back + turned,
        wheel_diameter_error=wheels,
        slip_noise=job.slip,
    )
