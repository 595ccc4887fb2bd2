"""One loop of a wall follower around a course: how long, how far, how well."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import paddock
from paddock.arena import Arena
from paddock.control.wall import WallFollower, follow_wall, make_wall_follower
from paddock.experiments.wall_follower.course import Way, find_course
from paddock.experiments.wall_follower.followers import CLEARANCE
from paddock.robots import RobotSpec, load_robot
from paddock.worlds.spec import Placed, WorldSpec

TICK = 0.05  # [s] the study's sensors were fresh this often
AFTER = 10.0  # [s] a loop cannot be closed earlier
WITHIN = 0.07  # [m] it is closed when this near to its beginning
ROBOT = "pioneer"
TRACE = ("time", "x", "y", "heading", "left", "right", "error", "contact")  # columns of a trace

BodyKind = Literal["study", "shipped", "fresh"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopJob:
    """All that decides a loop."""

    follower: str
    course: str = "wall-loop"
    way: Way = "clockwise"
    body: BodyKind = "fresh"
    seed: int = 0
    limit: float = 900.0  # [s] after which it is given up
    trace: bool = False  # whether to keep what happened in every cycle


@dataclass(frozen=True, kw_only=True, slots=True)
class Loop:
    """What came of it."""

    job: LoopJob
    home: bool  # whether the loop was closed
    time: float  # [s] simulated
    distance: float  # [m] that the robot really drove
    error: float  # [m] mean of |smallest front reading - clearance| over all cycles
    largest: float  # [m] the largest of those
    contacts: int  # ticks in which it touched something
    trace: NDArray[np.float64] | None = None  # a row of TRACE for every cycle

    @property
    def clean(self) -> bool:
        """Whether it came home and touched nothing."""
        return self.home and self.contacts == 0

    @property
    def speed(self) -> float:
        """True mean speed [m/s]."""
        return self.distance / self.time


def drive(job: LoopJob) -> Loop:
    """Drive until the robot is back where it began."""
    return drive_follower(make_wall_follower(job.follower, robot={"clearance": CLEARANCE}), job)


def drive_follower(follower: WallFollower, job: LoopJob) -> Loop:
    """The same with a wall follower in the place of the job's."""
    arena = _arena(job.course, job.way, job.body)
    arena.reset(job.seed)
    robot = arena[ROBOT]
    cycle = load_body(job.body).sensor("sonar").period  # it decides whenever its sonars are fresh
    ticks = round(cycle / TICK)
    follow = follow_wall(follower, "left" if job.way == "clockwise" else "right")
    rows: list[tuple[float, ...]] = []
    begin_x, begin_y, _ = x, y, heading = robot.pose
    travel = robot.encoders.read()
    cycles = contacts = 0
    errors = largest = distance = 0.0
    home = False
    last = round(job.limit / cycle)
    while cycles < last and not home:
        seen = robot.sense()
        sonar, speeds = seen.sonar, (seen.encoders - travel) / cycle
        travel = seen.encoders
        wheels = follow(sonar, cycle, (float(speeds[0]), float(speeds[1])))
        error = float(sonar[:8].min()) - CLEARANCE
        robot.wheels.set(*wheels)
        touched = contacts
        for _ in range(ticks):
            arena.step()
            contacts += bool(robot.contacts)
        if job.trace:
            rows.append((cycles * cycle, x, y, heading, *wheels, error, contacts > touched))
        was_x, was_y = x, y
        x, y, heading = robot.pose
        distance += math.hypot(x - was_x, y - was_y)
        off = abs(error)
        errors += off
        largest = max(largest, off)
        cycles += 1
        home = cycles * cycle > AFTER and math.hypot(x - begin_x, y - begin_y) <= WITHIN
    return Loop(
        job=job,
        home=home,
        time=cycles * cycle,
        distance=distance,
        error=errors / cycles,
        largest=largest,
        contacts=contacts,
        trace=np.array(rows) if job.trace else None,
    )


def build_world(job: LoopJob) -> WorldSpec:
    """The job's world with its robot at the beginning of the course."""
    course = find_course(job.course)
    placed = Placed(name=ROBOT, type=load_body(job.body), at=course.at, heading_deg=course.heading_deg(job.way))
    return course.world.with_robots(placed)


@functools.cache
def load_body(body: BodyKind) -> RobotSpec:
    """The study's Pioneer; the shipped one; or that one with sonars as fresh as the study's."""
    robot = load_robot("pioneer-p3dx-paper" if body == "study" else "pioneer-p3dx")
    if body != "fresh":
        return robot
    fresh = tuple(replace(sensor, period=TICK) if sensor.name == "sonar" else sensor for sensor in robot.sensors)
    return replace(robot, sensors=fresh)


def compile_kernels() -> None:
    """Compile what driving needs, if this machine has not yet."""
    _arena("wall-loop", "clockwise", "study")


@functools.lru_cache(maxsize=16)
def _arena(course: str, way: Way, body: BodyKind) -> Arena:
    """Built once in each process: a reset arena is as good as new."""
    arena = paddock.open(build_world(LoopJob(follower="", course=course, way=way, body=body)), dt=TICK)
    arena[ROBOT].enable("sonar", "encoders")
    return arena
