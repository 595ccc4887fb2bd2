"""Surveys: runs in which a robot with worn wheels explores and maps a world, judged against what is there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import paddock
from paddock.arena import Robot, map_truth_of, mapper_of
from paddock.core.chance import chance
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.experiments.ap2dx.behaviours import Ap2dxBehaviours
from paddock.experiments.ap2dx.constants import FINAL, REPORT
from paddock.mapping import Mapper, MapQuality, MapTruth, MapView, assess_map
from paddock.metrics import ContactTime, Distance
from paddock.navigation import Explorer
from paddock.robots import RobotSpec
from paddock.sensors.laser import LaserSpec
from paddock.worlds import WorldSpec
from paddock.worlds.placement import robot_types

Floats = NDArray[np.float64]
WHEEL_ERROR, SLIP = 0.01, 0.02  # wheels are off by up to 1 %, and slip by 2 % of each tick's travel
LASER_RANGE = 8.0  # [m] as a SICK LMS200 has it that measures in millimetres
MIXED_PIXELS = 0.5  # of the beams at depth edges; ranges have the noise of the robot's type, 1 cm
DECISION_PERIOD, LOOK_PERIOD = 0.1, 1.0  # [s] between two decisions, and between two looks at the coverage
BEHAVIOURS = {"behaviours, report": REPORT, "behaviours, final": FINAL}


@dataclass(frozen=True)
class SurveyJob:
    """A run to make."""

    world: WorldSpec
    seed: int
    strategy: str = "tour"  # how frontiers are chosen, or a set of AP2DX's behaviours
    seconds: float = 600.0
    mapping: str = "scan-to-map"
    beside: tuple[str, ...] = ()  # methods of mapping that see the same, and do not steer


@dataclass(frozen=True)
class MappingResult:
    """How well a method knew the robot's pose and the world. Lengths in metres, angles in radians."""

    position_error: float  # root mean square, against the truth, not aligned
    heading_error: float
    quality: MapQuality


@dataclass(frozen=True)
class Survey:
    """What came of a run. Lengths in metres, times in simulated seconds."""

    job: SurveyJob
    seconds: float  # until it stopped by itself, or was stopped
    finished: bool  # whether it stopped by itself
    path: float  # length
    contacts: int  # how often one began, of all ticks
    coverage: Floats  # time, share of the reachable space that is mapped; shape (n, 2)
    results: Mapping[str, MappingResult]  # by method, the one that steered first
    reckoning_error: float  # of dead reckoning at the end
    area: float  # that can be reached [m²]
    trail: Floats = field(repr=False)  # true poses, shape (n, 3)
    view: MapView = field(repr=False)  # of the map that it steered by

    @property
    def result(self) -> MappingResult:
        """Of the method that steered."""
        return self.results[self.job.mapping]

    def time_to(self, share: float) -> float:
        """When a share of the reachable space was mapped; infinity: never."""
        reached = self.coverage[self.coverage[:, 1] >= share, 0]
        return float(reached[0]) if len(reached) else math.inf

    def path_to(self, share: float) -> float:
        """Length of the way until a share was mapped [m]; infinity: never."""
        time = self.time_to(share)
        if math.isinf(time):
            return math.inf
        steps = np.hypot(*np.diff(self.trail[:, :2], axis=0).T)
        return float(steps[: round(time / self.seconds * len(steps))].sum())


class SurveyDriver(Protocol):
    """What steers in a survey."""

    def act(self, observation: Observation) -> WheelSpeeds:
        """Wheel speeds for what was seen."""


def run_survey(job: SurveyJob) -> Survey:
    """Explore a world by a robot whose wheels are off, and evaluate its maps and its pose."""
    arena = paddock.open(wear_robot(job.world, job.seed), seed=job.seed)
    robot = next(iter(arena.robots.values()))
    truth = find_truth(job.world, robot.spec, robot.pose)
    methods = (job.mapping, *job.beside)
    mappers = {name: mapper_of(robot, method=name, pose=robot.pose, seed=job.seed) for name in methods}
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
    """A controller that drives as another says, keeps maps, and looks how much of the world is known."""

    def __init__(self, robot: Robot, driver: SurveyDriver, mappers: Mapping[str, Mapper], truth: MapTruth) -> None:
        """
        Args:
            robot: its true pose is what estimates are compared with.
            driver: what steers. An Explorer keeps its own mapper up to date.
            mappers: by method, the one that the driver uses first.
            truth: what can be known.
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
        """Whether the driver has nothing more to do."""
        return bool(getattr(self.driver, "done", False))

    def act(self, observation: Observation) -> WheelSpeeds:
        """As the driver says, ten times a second."""
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
        """Note how far all estimates are off."""
        true = self.robot.pose
        for name, mapper in self.mappers.items():
            x, y, heading = mapper.estimate.pose
            self.errors[name].append((x - true.x, y - true.y, wrap(heading - true.heading)))

    def look(self, time: float) -> None:
        """Note how much is mapped."""
        self.coverage.append((time, self.find_share_mapped()))

    def find_share_mapped(self) -> float:
        """Of all cells in which the robot can be, those that its map calls free."""
        grid = self.main.grid
        cells = grid.frame.cells(self._cells)
        inside = ((cells >= 0) & (cells < grid.frame.shape)).all(axis=1)
        rows, columns = cells[inside].T
        return float((grid.states()[rows, columns] == 0).sum() / len(cells))

    def evaluate(self, method: str) -> MappingResult:
        """Its errors over the whole run, and its map at the end."""
        errors = np.array(self.errors[method])
        position = float(np.sqrt((errors[:, :2] ** 2).sum(axis=1).mean()))
        heading = float(np.sqrt((errors[:, 2] ** 2).mean()))
        return MappingResult(position, heading, assess_map(self.mappers[method].grid, self.truth))


def choose_driver(job: SurveyJob, mapper: Mapper, robot: Robot) -> SurveyDriver:
    """What drives the robot, by the name of a strategy; its sensors are enabled."""
    if job.strategy in BEHAVIOURS:
        robot.enable("sonar", "ins")
        return Ap2dxBehaviours(robot.spec, BEHAVIOURS[job.strategy], seed=job.seed)
    return Explorer(mapper, robot.spec, method=job.strategy, seed=job.seed)


@lru_cache(maxsize=16)
def find_truth(world: WorldSpec, robot: RobotSpec, start: Pose) -> MapTruth:
    """What can be known of a world; it is the same for all seeds."""
    return map_truth_of(world, robot, start)


def wear_robot(world: WorldSpec, seed: int) -> WorldSpec:
    """A world whose first robot has wheels that are off, by the seed, and a laser that sees less far and less well."""
    parts = ("left", "right", "separation")
    left, right, between = (round(WHEEL_ERROR * (2 * chance(seed, world.name, part) - 1), 6) for part in parts)
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
    """Mean, and half the width of its 95 % confidence interval."""
    array = np.asarray(values, float)
    spread = float(array.std(ddof=1)) if len(array) > 1 else math.nan
    return float(array.mean()), 1.96 * spread / math.sqrt(len(array))


def show_mean(values: Sequence[float], digits: int) -> str:
    """Mean and half the width of its interval, as a text."""
    mean, width = mean_interval(values)
    return f"{mean:.{digits}f}" + (f" ± {width:.{digits}f}" if len(values) > 1 else "")
