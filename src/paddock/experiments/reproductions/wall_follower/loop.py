"""One loop of a wall follower around a course: its time, distance and error; and the loops of the study and of ours."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

import paddock
from paddock.arena import Arena
from paddock.arena.base_arena import BaseArena
from paddock.arena.episodes import Trace
from paddock.arena.metrics import ContactTime, Distance
from paddock.control.behaviours.wall import Side, WallFollower, follow_wall, make_wall_follower
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.experiments.reproductions.wall_follower.course import BROKEN, ROOMS, WAYS, Way, find_course
from paddock.experiments.reproductions.wall_follower.followers import CLEARANCE
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

TICK = 0.05  # [s] period of the study's sensors
AFTER = 10.0  # [s] minimum time of a loop
WITHIN = 0.07  # [m] distance from its start at which a loop is closed
ROBOT = "pioneer"

BodyKind = Literal["study", "shipped", "fresh"]
CLOCK = 3.0  # simulated seconds in a second of the study's clock


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopJob:
    """The parameters of a loop."""

    follower: str
    course: str = "wall-loop"
    way: Way = "clockwise"
    body: BodyKind = "fresh"
    seed: int = 0
    limit: float = 900.0  # [s] after which the loop is aborted
    trace: bool = False  # whether to keep the trace of every cycle


@dataclass(frozen=True, kw_only=True, slots=True)
class Loop:
    """The result of a loop."""

    job: LoopJob
    home: bool  # whether the loop was closed
    time: float  # [s] simulated
    distance: float  # [m] true distance driven
    error: float  # [m] mean of |smallest front reading - clearance| over all cycles
    largest: float  # [m] largest error of all cycles
    contacts: int  # number of ticks with a contact
    trace: Trace | None = None  # with a row for every cycle

    @property
    def clean(self) -> bool:
        """Whether the loop was closed without contact."""
        return self.home and self.contacts == 0

    @property
    def speed(self) -> float:
        """True mean speed [m/s]."""
        return self.distance / self.time


def drive(job: LoopJob) -> Loop:
    """Drive until the robot is back at its start."""
    return drive_follower(make_wall_follower(job.follower, robot={"clearance": CLEARANCE}), job)


def drive_follower(follower: WallFollower, job: LoopJob) -> Loop:
    """Drive a loop with a given wall follower instead of the job's."""
    arena = _arena(job.course, job.way, job.body)
    arena.reset(job.seed)
    cycle = load_body(job.body).sensor("sonar").period  # one decision per sonar update
    controller = LoopController(job.follower, follower, "left" if job.way == "clockwise" else "right", cycle)
    start_x, start_y, _ = arena[ROBOT].pose

    def is_home(arena: BaseArena) -> bool:
        x, y, _ = arena[ROBOT].pose
        return arena.time > AFTER and math.hypot(x - start_x, y - start_y) <= WITHIN

    metrics = (Distance(), ContactTime())
    episode = arena.run(job.limit, {ROBOT: controller}, until=is_home, every=cycle, metrics=metrics)
    errors = np.abs(episode.trace.errors[:-1])  # the last row is the end, without a decision
    return Loop(
        job=job,
        home=is_home(arena),
        time=episode.seconds,
        distance=episode.metrics["distance"],
        error=float(errors.mean()),
        largest=float(errors.max()),
        contacts=round(episode.metrics["contact_time"] / TICK),
        trace=episode.trace if job.trace else None,
    )


class LoopController:
    """Calls a wall follower once per cycle; its error is defined as in the study."""

    error_of, target = "wall distance", CLEARANCE

    def __init__(self, name: str, follower: WallFollower, side: Side, cycle: float) -> None:
        self.task = name
        self.error: float | None = None  # [m] smallest front reading - clearance
        self._follow, self._cycle, self._ticks = follow_wall(follower, side), cycle, round(cycle / TICK)
        self._travel: Readings | None = None  # of the wheels at the last decision [m]

    def act(self, observation: Observation) -> WheelSpeeds | None:
        """Return wheel speeds at the start of a cycle, otherwise None."""
        if round(observation.time / TICK) % self._ticks:
            return None
        sonar, travel = observation.sonar, observation.encoders
        left, right = (travel - (travel if self._travel is None else self._travel)) / self._cycle
        self._travel = travel
        self.error = float(sonar[:8].min()) - CLEARANCE
        return self._follow(sonar, self._cycle, (float(left), float(right)))


def build_world(job: LoopJob) -> WorldSpec:
    """Return the job's world with its robot at the start of the course."""
    course = find_course(job.course)
    placed = RobotPlacement(name=ROBOT, type=load_body(job.body), at=course.at, heading_deg=course.heading_deg(job.way))
    return course.world.with_robots(placed)


@functools.cache
def load_body(body: BodyKind) -> RobotSpec:
    """Load the study's Pioneer, the shipped one, or the shipped one with the study's sonar period."""
    robot = load_robot("pioneer-p3dx-paper" if body == "study" else "pioneer-p3dx")
    if body != "fresh":
        return robot
    fresh = tuple(replace(sensor, period=TICK) if sensor.name == "sonar" else sensor for sensor in robot.sensors)
    return replace(robot, sensors=fresh)


def compile_kernels() -> None:
    """Compile the kernels for driving, if they are not cached."""
    _arena("wall-loop", "clockwise", "study")


@functools.lru_cache(maxsize=16)
def _arena(course: str, direction: Way, body: BodyKind) -> Arena:
    """Return a cached arena: a reset arena is equivalent to a new one."""
    arena = paddock.open(build_world(LoopJob(follower="", course=course, way=direction, body=body)), dt=TICK)
    arena[ROBOT].enable("sonar", "encoders")
    return arena


CYCLES = 208.0  # control cycles of the study's program per second of its own clock


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """A line of the study's table."""

    time: float  # [s] of its own clock
    distance: float  # [m]
    error_sum: float  # [m] of the errors of all control cycles

    @property
    def error(self) -> float:
        """Mean over the control cycles [cm]."""
        return round(100 * self.error_sum / (CYCLES * self.time), 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """A wall follower on a course, with many seeds."""

    row: str
    follower: str
    seeds: int
    course: str = "wall-loop"
    ways: tuple[Way, ...] = WAYS
    body: BodyKind = "fresh"
    limit: float  # [s] after which a loop is aborted
    published: Published | None = None

    def jobs(self, seeds: int | None = None) -> Iterator[LoopJob]:
        """Iterate over all loops; the first one keeps its trace for the pictures."""
        for way in self.ways:
            for seed in range(self.seeds if seeds is None else seeds):
                yield LoopJob(
                    follower=self.follower,
                    course=self.course,
                    way=way,
                    body=self.body,
                    seed=seed,
                    limit=self.limit,
                    trace=seed == 0 and way == self.ways[0],
                )


def _study(row: str, follower: str, time: float, distance: float, error_sum: float) -> Trial:
    published = Published(time=time, distance=distance, error_sum=error_sum)
    ways: tuple[Way, ...] = ("clockwise",)
    return Trial(row=row, follower=follower, seeds=10, ways=ways, body="study", limit=1200.0, published=published)


STUDY = (
    _study("min slow", "min", 198.0, 88.54, 447.3),
    _study("multi slow", "multi", 187.93, 88.54, 400.21),
    _study("min fast", "min-fast", 164.25, 91.49, 889.38),
    _study("multi fast", "multi-fast", 155.0, 89.07, 420.85),
)
CURVED = tuple(  # suggested by the study, but not tested there
    Trial(row=f"{trial.row}, curved", follower=trial.follower, course="curved", seeds=5, body="study", limit=700.0)
    for trial in STUDY
)
SLOW = Trial(row="tuned-slow", follower="tuned-slow", seeds=20, limit=900.0)
FAST = Trial(row="tuned", follower="tuned", seeds=20, limit=200.0)
ELSEWHERE = tuple(
    Trial(row=f"{follower}, {course}", follower=follower, course=course, seeds=seeds, limit=limit)
    for follower, seeds, limit in (("tuned", 20, 200.0), ("tuned-slow", 2, 600.0))
    for course in ("curved", *(f"room-{seed}" for seed in ROOMS))
)
ROUGH = Trial(row="tuned-slow, broken", follower="tuned-slow", course=f"broken-{BROKEN}", seeds=2, limit=600.0)
ROUGH_FAST = Trial(row="tuned, broken", follower="tuned", course=ROUGH.course, seeds=10, limit=400.0)  # shown only
OTHERS = tuple(Trial(row=name, follower=name, seeds=5, limit=600.0) for name in ("pid", "fuzzy", "geometry"))
TRIALS = (*STUDY, *CURVED, SLOW, FAST, *ELSEWHERE, ROUGH, ROUGH_FAST, *OTHERS)
