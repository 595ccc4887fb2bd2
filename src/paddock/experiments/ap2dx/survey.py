"""Runs in which a robot explores and maps a world, judged against what is there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import paddock
from paddock.arena import map_truth_of, mapper_of, odometry_of
from paddock.core.chance import chance
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.experiments.ap2dx.behaviours import Ap2dxBehaviours
from paddock.experiments.ap2dx.constants import FINAL, REPORT
from paddock.mapping import MapQuality, MapTruth, Mapper, assess_map
from paddock.navigation import Explorer
from paddock.robots import RobotSpec
from paddock.worlds import WorldSpec

Floats = NDArray[np.float64]
WHEEL_ERROR, SLIP = 0.01, 0.02  # wheels are off by up to 1 %, and slip by 2 % of each tick's travel
LOOK_PERIOD = 5.0  # [s] between two looks at the coverage
BEHAVIOURS = {"behaviours, report": REPORT, "behaviours, final": FINAL}


@dataclass(frozen=True)
class SurveyJob:
    """A run to make."""

    world: WorldSpec
    seed: int
    strategy: str = "tour"  # how frontiers are chosen, or a set of AP2DX's behaviours
    mapping: str = "scan-to-map"
    seconds: float = 600.0


@dataclass(frozen=True)
class Survey:
    """What came of a run. Lengths in metres, angles in radians, times in simulated seconds."""

    job: SurveyJob
    seconds: float  # until it stopped by itself, or was stopped
    finished: bool  # whether it stopped by itself
    path: float  # length
    contacts: int  # ticks with a contact
    coverage: Floats  # time, share of the reachable space that is mapped; shape (n, 2)
    quality: MapQuality
    position_error: float  # root mean square, against the truth
    heading_error: float
    reckoning_error: float  # of dead reckoning at the end
    area: float  # that can be reached [m²]

    def time_to(self, share: float) -> float:
        """When a share of the reachable space was mapped; infinity: never."""
        reached = self.coverage[self.coverage[:, 1] >= share, 0]
        return float(reached[0]) if len(reached) else math.inf


def run_survey(job: SurveyJob) -> Survey:
    """Explore a world by a robot whose wheels are off, and judge its map and its pose."""
    world = wear_wheels(job.world, job.seed)
    arena = paddock.open(world, seed=job.seed)
    robot = next(iter(arena.robots.values()))
    spec, start = robot.spec, robot.pose
    truth = map_truth_of(world, spec, start)
    mapper = mapper_of(robot, method=job.mapping, pose=start, seed=job.seed)
    robot.enable("encoders", "laser", "sonar", "ins")
    surveyor = Surveyor(mapper, choose_driver(job, mapper, spec), truth, robot.spec, start)
    episode = arena.run(job.seconds, surveyor, until=lambda _: surveyor.done, every=0.2)
    trace = episode.trace
    errors = trace.estimated_pose[1:-1] - trace.pose[1:-1]
    turns = [wrap(error) for error in errors[:, 2]]
    return Survey(
        job=job,
        seconds=float(trace.time[-1]),
        finished=surveyor.done,
        path=float(np.hypot(*np.diff(trace.pose[:, :2], axis=0).T).sum()),
        contacts=int((trace.contacts > 0).sum()),
        coverage=np.array(surveyor.coverage),
        quality=assess_map(mapper.grid, truth),
        position_error=float(np.sqrt(np.nanmean(np.hypot(errors[:, 0], errors[:, 1]) ** 2))),
        heading_error=float(np.sqrt(np.nanmean(np.square(turns)))),
        reckoning_error=math.dist(surveyor.reckoned[:2], trace.pose[-1, :2]),
        area=float(truth.reachable.sum()) * truth.frame.resolution**2,
    )


class Surveyor:
    """A controller that drives as another says, keeps a map, and looks how much of the world it knows."""

    def __init__(
        self, mapper: Mapper, drive: Callable[[Observation], WheelSpeeds], truth: MapTruth, spec: RobotSpec, start: Pose
    ) -> None:
        self.mapper, self.driver, self.truth = mapper, drive, truth
        self.odometry = odometry_of(spec, start)
        self.coverage: list[tuple[float, float]] = []
        self.look_at = 0.0
        self.cells = truth.frame.centres(np.argwhere(truth.reachable))

    @property
    def estimate(self) -> object:
        return self.mapper.estimate

    @property
    def done(self) -> bool:
        return bool(getattr(self.driver, "done", False))

    @property
    def reckoned(self) -> Pose:
        """Where dead reckoning takes the robot to be."""
        return self.odometry.pose

    def act(self, observation: Observation) -> object:
        """As the driver says."""
        self.odometry.update(*observation.encoders)
        if not isinstance(self.driver, Explorer):
            self.mapper.update(observation)
        if observation.time >= self.look_at:
            self.look_at += LOOK_PERIOD
            self.coverage.append((observation.time, self.share_mapped()))
        return self.driver.act(observation)

    def share_mapped(self) -> float:
        """Of all cells in which the robot can be, those that its map calls free."""
        grid = self.mapper.grid
        cells = grid.frame.cells(self.cells)
        inside = ((cells >= 0) & (cells < grid.frame.shape)).all(axis=1)
        rows, columns = cells[inside].T
        return float((grid.states()[rows, columns] == 0).sum() / len(cells))


def choose_driver(job: SurveyJob, mapper: Mapper, spec: RobotSpec) -> object:
    """What drives the robot, by the name of a strategy."""
    if job.strategy in BEHAVIOURS:
        return Ap2dxBehaviours(spec, BEHAVIOURS[job.strategy], seed=job.seed)
    return Explorer(mapper, spec, method=job.strategy, seed=job.seed)


def wear_wheels(world: WorldSpec, seed: int) -> WorldSpec:
    """A world whose first robot has wheels that are off, by the seed."""
    left, right, separation = (WHEEL_ERROR * (2 * chance(seed, world.name, key) - 1) for key in ("left", "right", "between"))
    first, *others = world.robots
    worn = replace(first, wheel_diameter_error=(left, right), wheel_separation_error=separation, slip_noise=SLIP)
    return world.with_robots(worn, *others)
