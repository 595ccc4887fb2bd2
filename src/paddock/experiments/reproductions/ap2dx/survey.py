"""Surveys: runs in which a robot with wheel errors explores and maps a world, evaluated against ground truth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import paddock
from paddock.arena import Robot, make_map_truth, make_mapper
from paddock.arena.metrics import ContactTime, Distance
from paddock.control.navigation import Explorer
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.seeds import draw_uniform
from paddock.experiments.reproductions.ap2dx.behaviours import FINAL, REPORT, Ap2dxBehaviours
from paddock.perception.mapping import Mapper, MapQuality, MapTruth, MapView, assess_map
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.placement import robot_types

Floats = NDArray[np.float64]
WHEEL_ERROR, SLIP = 0.01, 0.02  # relative errors of wheel diameters up to 1 %, and slip of 2 % of each tick's travel
LASER_RANGE = 8.0  # [m] that of a SICK LMS200 in millimetre mode
MIXED_PIXELS = 0.5  # fraction of the beams at depth edges; ranges have the noise of the robot's type, 1 cm
DECISION_PERIOD, LOOK_PERIOD = 0.1, 1.0  # [s] between two decisions, and between two measurements of the coverage
BEHAVIOURS = {"behaviours, report": REPORT, "behaviours, final": FINAL}


@dataclass(frozen=True)
class SurveyJob:
    """The parameters of a run."""

    world: WorldSpec
    seed: int
    strategy: str = "tour"  # how frontiers are chosen, or a set of AP2DX's behaviours
    seconds: float = 600.0
    mapping: str = "scan-to-map"
    passive: tuple[str, ...] = ()  # mapping methods that receive the same observations and do not steer


@dataclass(frozen=True)
class MappingResult:
    """Accuracy of pose and map of a mapping method. Lengths in metres, angles in radians."""

    position_error: float  # root mean square, against ground truth, not aligned
    heading_error: float
    quality: MapQuality


@dataclass(frozen=True)
class Survey:
    """The result of a run. Lengths in metres, times in simulated seconds."""

    job: SurveyJob
    seconds: float  # until the exploration finished or the time was over
    finished: bool  # whether the exploration finished
    path: float  # length
    contacts: int  # number of contacts, over all ticks
    coverage: Floats  # time, fraction of the reachable space that is mapped; shape (n, 2)
    results: Mapping[str, MappingResult]  # by method; the first one is that of the map used for steering
    reckoning_error: float  # of dead reckoning at the end
    area: float  # reachable area [m²]
    trail: Floats = field(repr=False)  # true poses, shape (n, 3)
    view: MapView = field(repr=False)  # of the map used for steering

    @property
    def result(self) -> MappingResult:
        """Result of the method used for steering."""
        return self.results[self.job.mapping]

    def time_to(self, share: float) -> float:
        """Return the time at which a fraction of the reachable space was mapped; infinity: never."""
        reached = self.coverage[self.coverage[:, 1] >= share, 0]
        return float(reached[0]) if len(reached) else math.inf

    def path_to(self, share: float) -> float:
        """Return the path length until a fraction of the reachable space was mapped [m]; infinity: never."""
        time = self.time_to(share)
        if math.isinf(time):
            return math.inf
        steps = np.hypot(*np.diff(self.trail[:, :2], axis=0).T)
        return float(steps[: round(time / self.seconds * len(steps))].sum())


class SurveyDriver(Protocol):
    """A controller that steers in a survey."""

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""


def run_survey(job: SurveyJob) -> Survey:
    """Explore a world with a robot with wheel errors, and evaluate its maps and its pose."""
    arena = paddock.open(add_wheel_errors(job.world, job.seed), seed=job.seed)
    robot = next(iter(arena.robots.values()))
    truth = find_truth(job.world, robot.spec, robot.pose)
    methods = (job.mapping, *job.passive)
    mappers = {name: make_mapper(robot, method=name, pose=robot.pose, seed=job.seed) for name in methods}
    driver = choose_driver(job, mappers[job.mapping], robot)
    surveyor = Surveyor(robot, driver, mappers, truth)
    metrics = [Distance(), ContactTime()]
    episode = arena.run(job.seconds, surveyor, until=lambda _: surveyor.done, every=0.2, metrics=metrics)
    trace = episode.trace
    surveyor.look(float(trace.time[-1]))
    return Survey(
        job=job,
        seconds=float(trace.time[-1]),
        finished=surveyor.done,
        path=float(episode.metrics["distance"]),
        contacts=int(episode.metrics["contacts"]),
        coverage=np.array(surveyor.coverage),
        results={name: surveyor.evaluate(name) for name in methods},
        reckoning_error=math.dist(surveyor.main.sensors.odometry.pose[:2], trace.pose[-1, :2]),
        area=float(truth.reachable.sum()) * truth.frame.resolution**2,
        trail=trace.pose,
        view=mappers[job.mapping].map_view,
    )


class Surveyor:
    """A controller that wraps a driver, updates maps, and measures the coverage."""

    def __init__(self, robot: Robot, driver: SurveyDriver, mappers: Mapping[str, Mapper], truth: MapTruth) -> None:
        """
        Args:
            robot: the robot; estimates are compared with its true pose.
            driver: the controller that steers. An Explorer updates its own mapper.
            mappers: mappers by method; the first one is that of the driver.
            truth: ground truth of the map.
        """
        self.robot, self.driver, self.mappers, self.truth = robot, driver, mappers, truth
        self.coverage: list[tuple[float, float]] = []
        self.errors: dict[str, list[tuple[float, float, float]]] = {name: [] for name in mappers}
        self.main, *others = mappers.values()
        self.followed = others if isinstance(driver, Explorer) else [self.main, *others]
        self._decide_at = self._look_at = 0.0
        self._wheels = WheelSpeeds(0.0, 0.0)
        self._cells = truth.frame.centres(np.argwhere(truth.reachable))

    @property
    def done(self) -> bool:
        """Whether the driver has finished."""
        return bool(getattr(self.driver, "done", False))

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds of the driver, which decides ten times per second."""
        if observation.time < self._decide_at - 1e-9:
            return self._wheels
        self._decide_at = observation.time + DECISION_PERIOD
        for mapper in self.followed:
            mapper.look(observation)
        self._wheels = self.driver.act(observation)
        self.compare()
        if observation.time >= self._look_at:
            self._look_at += LOOK_PERIOD
            self.look(observation.time)
        return self._wheels

    def compare(self) -> None:
        """Record the errors of all pose estimates."""
        true = self.robot.pose
        for name, mapper in self.mappers.items():
            x, y, heading = mapper.estimate.pose
            self.errors[name].append((x - true.x, y - true.y, wrap(heading - true.heading)))

    def look(self, time: float) -> None:
        """Record the coverage."""
        self.coverage.append((time, self.find_share_mapped()))

    def find_share_mapped(self) -> float:
        """Return the fraction of all reachable cells that the map marks as free."""
        grid = self.main.grid
        cells = grid.frame.cells(self._cells)
        inside = ((cells >= 0) & (cells < grid.frame.shape)).all(axis=1)
        rows, columns = cells[inside].T
        return float((grid.states()[rows, columns] == 0).sum() / len(cells))

    def evaluate(self, method: str) -> MappingResult:
        """Evaluate the errors of a method over the whole run, and its map at the end."""
        errors = np.array(self.errors[method])
        position = float(np.sqrt((errors[:, :2] ** 2).sum(axis=1).mean()))
        heading = float(np.sqrt((errors[:, 2] ** 2).mean()))
        return MappingResult(position, heading, assess_map(self.mappers[method].grid, self.truth))


def choose_driver(job: SurveyJob, mapper: Mapper, robot: Robot) -> SurveyDriver:
    """Create the driver of a strategy, and enable the sensors that it needs."""
    if job.strategy in BEHAVIOURS:
        robot.enable("sonar", "ins")
        return Ap2dxBehaviours(robot.spec, BEHAVIOURS[job.strategy], seed=job.seed)
    return Explorer(mapper, robot.spec, method=job.strategy, seed=job.seed)


@lru_cache(maxsize=16)
def find_truth(world: WorldSpec, robot: RobotSpec, start: Pose) -> MapTruth:
    """Return the ground truth of a world's map, which is the same for all seeds."""
    return make_map_truth(world, robot, start)


def add_wheel_errors(world: WorldSpec, seed: int) -> WorldSpec:
    """Return a world whose first robot has wheel errors from the seed, and a laser with less range and more errors."""
    parts = ("left", "right", "separation")
    left, right, between = (round(WHEEL_ERROR * (2 * draw_uniform(seed, world.name, part) - 1), 6) for part in parts)
    first, *others = world.robots
    spec = robot_types(world)[0]
    sensors = tuple(
        replace(sensor, range=LASER_RANGE, mixed_pixels=MIXED_PIXELS) if isinstance(sensor, LaserSpec) else sensor
        for sensor in spec.sensors
    )
    worn = replace(
        first,
        type=replace(spec, sensors=sensors),
        wheel_diameter_error=(left, right),
        wheel_separation_error=between,
        slip_noise=SLIP,
    )
    return world.with_robots(worn, *others)


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and half the width of its 95 % confidence interval."""
    array = np.asarray(values, float)
    spread = float(array.std(ddof=1)) if len(array) > 1 else math.nan
    return float(array.mean()), 1.96 * spread / math.sqrt(len(array))


def show_mean(values: Sequence[float], digits: int) -> str:
    """Format the mean and half the width of its confidence interval."""
    mean, width = mean_interval(values)
    return f"{mean:.{digits}f}" + (f" ± {width:.{digits}f}" if len(values) > 1 else "")
