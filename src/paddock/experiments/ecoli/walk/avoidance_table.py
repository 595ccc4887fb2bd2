"""Success rate, time and path length of each avoidance in five scenes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import paddock
from paddock.arena.episodes import Trace
from paddock.arena.metrics import ContactTime, Distance
from paddock.control.behaviours.avoidance import AvoidingController, make_avoidance
from paddock.core.jobs import Workers, run_jobs
from paddock.core.keyed_random import draw_uniform
from paddock.experiments.ecoli.walk.avoidance_scenes import SCENES, AvoidanceScene, build_scene
from paddock.experiments.reproductions import Progress
from paddock.experiments.reproductions.rows import Row, at_least, require_seeds
from paddock.report.sheets import Sheet

TOLERANCE = 0.05  # maximum true distance from the goal [m]: the robot's own limit of 2 cm plus its odometry error
SEEDS = range(100)
AVOIDANCES = ("distal", "proximal", "planning")
OURS = "planning"
WANTED = 0.98  # fraction of runs in which ours must arrive, in every scene
LEAST_SEEDS = 50  # with fewer, one run that fails is more than the claim permits


@dataclass(frozen=True, kw_only=True, slots=True)
class SceneJob:
    """The parameters of a run."""

    scene: str
    avoidance: str
    seed: int
    keep_traces: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SceneRun:
    """The result of a run."""

    job: SceneJob
    arrived: bool  # whether all robots arrived in time, by ground truth
    seconds: float  # until the last robot was done
    path_ratio: float  # path length of all robots over the straight distance
    contact_time: float  # of all robots [s]
    traces: tuple[Trace, ...] = ()


def drive_scene(job: SceneJob) -> SceneRun:
    """Drive all robots of a scene to their goals with the same avoidance."""
    scene = build_scene(job.scene, job.seed)
    with paddock.open(scene.world, seed=job.seed) as arena:
        for robot in arena.robots.values():
            robot.enable("proximity", "encoders")
        controllers = {robot: make_controller(scene, robot, job) for robot in scene.goals}
        every = 0.1 if job.keep_traces else scene.seconds
        episode = arena.run(scene.seconds, controllers, every=every, metrics=[Distance(), ContactTime()])
        away = [math.dist(arena[robot].pose[:2], goal) for robot, goal in scene.goals.items()]
    reached = all(controller.avoidance.state == "reached" for controller in controllers.values())
    figures = [episode.robots[robot].metrics for robot in scene.goals]
    return SceneRun(
        job=job,
        arrived=reached and max(away) <= TOLERANCE,
        seconds=episode.seconds,
        path_ratio=sum(figure["distance"] for figure in figures) / scene.straight_distance,
        contact_time=sum(figure["contact_time"] for figure in figures),
        traces=tuple(episode.robots[robot].trace for robot in scene.goals) if job.keep_traces else (),
    )


def make_controller(scene: AvoidanceScene, robot: str, job: SceneJob) -> AvoidingController:
    """Create the controller of one robot of a scene."""
    known = {"bounds": scene.world.bounds} if job.avoidance == OURS else {}  # bounds of the room, in the goal's frame
    draw = partial(draw_uniform, job.seed, robot)
    avoidance = make_avoidance(job.avoidance, draw=draw, timeout=scene.seconds, **known)
    return AvoidingController(avoidance, scene.start_of(robot), scene.goals[robot])


@dataclass(frozen=True, kw_only=True, slots=True)
class AvoidanceTable:
    """All runs, with their statistics."""

    runs: tuple[SceneRun, ...]

    def find_runs(self, scene: str, avoidance: str) -> list[SceneRun]:
        """Return the runs of one cell of the table."""
        return [run for run in self.runs if (run.job.scene, run.job.avoidance) == (scene, avoidance)]

    def success(self, scene: str, avoidance: str) -> float:
        """Return the fraction of runs in which all robots arrived."""
        return float(np.mean([run.arrived for run in self.find_runs(scene, avoidance)]))

    @property
    def sheet(self) -> Sheet:
        """Table with a row for every scene and avoidance."""
        heads = ("scene", "avoidance", "arrived", "time [s]", "path ratio", "contact [s]", "longest [s]")
        about = "means over the runs that arrived; the path ratio is the path length over the straight distance"
        cells = [(scene, avoidance) for scene in SCENES for avoidance in AVOIDANCES]
        return Sheet(heads, tuple(self._cells(*cell) for cell in cells if self.find_runs(*cell)), about)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Claims: ours arrives in every scene."""
        return tuple(self._row(scene) for scene in SCENES if self.find_runs(scene, OURS))

    def _row(self, scene: str) -> Row:
        row = at_least(scene, f"{OURS}: arrived [%]", 100 * self.success(scene, OURS), 100 * WANTED)
        return require_seeds(row, len(self.find_runs(scene, OURS)), LEAST_SEEDS)

    def _cells(self, scene: str, avoidance: str) -> tuple[str, ...]:
        runs = self.find_runs(scene, avoidance)
        arrived = [run for run in runs if run.arrived]
        figures = [
            _mean([run.seconds for run in arrived], 1),
            _mean([run.path_ratio for run in arrived], 2),
            _mean([run.contact_time for run in arrived], 2),
            f"{max(run.seconds for run in arrived):.1f}" if arrived else "-",
        ]
        return (scene, avoidance, f"{100 * len(arrived) / len(runs):.0f} %", *figures)


def _mean(values: Sequence[float], digits: int) -> str:
    return f"{float(np.mean(values)):.{digits}f}" if values else "-"


def run_table(
    seeds: Sequence[int] = SEEDS,
    *,
    scenes: Sequence[str] = tuple(SCENES),
    avoidances: Sequence[str] = AVOIDANCES,
    workers: Workers = None,
    progress: Progress | None = None,
) -> AvoidanceTable:
    """Drive every scene with every avoidance and seed.

    Args:
        seeds: seeds of the scenes; the avoidance was tuned on 0 … 49.
        scenes: names of the scenes.
        avoidances: names of the avoidances.
        workers: number of processes; None: one per core.
        progress: called after every run.
    """
    jobs = list_jobs(seeds, scenes=scenes, avoidances=avoidances)
    return AvoidanceTable(runs=tuple(run_jobs(drive_scene, jobs, workers=workers, progress=progress)))


def list_jobs(
    seeds: Sequence[int], *, scenes: Sequence[str] = tuple(SCENES), avoidances: Sequence[str] = AVOIDANCES
) -> list[SceneJob]:
    """Return the jobs of every scene with every avoidance and seed, the longest first."""
    return [
        SceneJob(scene=scene, avoidance=avoidance, seed=seed)
        for scene in reversed(scenes)
        for avoidance in avoidances
        for seed in seeds
    ]
