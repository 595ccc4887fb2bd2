"""One run of the line crossing: two e-pucks, one kind of controller, ten minutes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import paddock
from paddock.control.line import LinePatrol
from paddock.engine.state import CONTACTS, HEADING, X
from paddock.experiments.epuck_framework.controllers import ImprovedCrossing, StockCrossing
from paddock.experiments.epuck_framework.course import Course, the_course
from paddock.experiments.epuck_framework.measure import Measures, Trace, measure
from paddock.worlds.spec import Placed, WorldSpec

MINUTES = 10.0
ALONG, ASIDE, TURNED = 0.10, 0.004, 6.0  # how far starts differ: along and across the line [m], heading [degrees]

STOCK, IMPROVED, CURVING, PATROL = "stock", "improved", "improved, curving", "line patrol"
CURVE = 0.2  # how much the curving one turns to the right where it sees nothing
CONTROLLERS: dict[str, Callable[[], Any]] = {
    STOCK: StockCrossing,
    IMPROVED: ImprovedCrossing,
    CURVING: lambda: ImprovedCrossing(curve=CURVE),
    PATROL: LinePatrol,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """All that decides a run."""

    controller: str
    seed: int
    seconds: float = 60 * MINUTES
    wheel_error: float = 0.0  # standard deviation of a wheel's diameter, relative
    spread: float = ALONG  # of the starts along the line [m]
    slip: float = 0.0  # standard deviation of a wheel's travel in a tick, relative
    trace: bool = False  # whether to keep what happened in every tick


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What came of it."""

    job: Job
    measures: Measures
    trace: Trace | None = None


def drive(job: Job) -> Run:
    """Sense, think, act, with one controller object per robot."""
    course = the_course()
    arena = paddock.open(placed_world(course, job), seed=job.seed)
    robots = list(arena.robots.values())
    for robot in robots:
        robot.enable("proximity", "ground")
    acts = [(robot, CONTROLLERS[job.controller]().act) for robot in robots]
    ticks = round(job.seconds / arena.dt)
    poses, touches = np.empty((ticks, 2, 3)), np.empty((ticks, 2), bool)
    for tick in range(ticks):
        for robot, act in acts:
            robot.apply(act(robot.sense()))
        arena.step()
        motion = arena.motion
        poses[tick] = motion[:, X : HEADING + 1]
        touches[tick] = motion[:, CONTACTS] > 0
    trace = Trace(dt=arena.dt, poses=poses, touches=touches)
    return Run(job=job, measures=measure(trace, course), trace=trace if job.trace else None)


def placed_world(course: Course, job: Job) -> WorldSpec:
    """The course with its robots near their places, where the seed puts them, with the wheels that it gives them."""
    chance = random.Random(f"line crossing {job.seed}")
    return course.world.with_robots(*(_placed(course, robot, job, chance) for robot in course.world.robots))


def _placed(course: Course, robot: Placed, job: Job, chance: random.Random) -> Placed:
    assert robot.at is not None
    along = float(course.along(np.array([robot.at]))[0]) + chance.uniform(-job.spread, job.spread)
    x, y, direction = course.at(along)
    aside, turned = chance.uniform(-ASIDE, ASIDE), chance.uniform(-TURNED, TURNED)
    wheels = (chance.gauss(0.0, job.wheel_error), chance.gauss(0.0, job.wheel_error))
    back = 180.0 if robot.heading_deg and abs(robot.heading_deg) > 90 else 0.0
    return replace(
        robot,
        at=(x - aside * float(np.sin(direction)), y + aside * float(np.cos(direction))),
        heading_deg=float(np.degrees(direction)) + back + turned,
        wheel_diameter_error=wheels,
        slip_noise=job.slip,
    )
