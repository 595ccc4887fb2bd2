"""How often each avoidance gets robots to their goals in five scenes, how long it takes and how far they drive."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import paddock
from paddock.control.avoidance import AVOIDANCE, AvoidingController, make_avoidance
from paddock.core.chance import chance
from paddock.episodes import Trace
from paddock.experiments.ecoli_walk.avoidance_scenes import SCENES, AvoidanceScene, build_scene
from paddock.experiments.pool import run_jobs
from paddock.metrics import ContactTime, Distance
from paddock.report.sheets import Sheet

TOLERANCE = 0.05  # a robot has arrived if it truly is this near to its goal [m]: its own limit of 2 cm and its odometry
SEEDS = range(100)


@dataclass(frozen=True, kw_only=True, slots=True)
class SceneJob:
    """All that decides a run."""

    scene: str
    avoidance: str
    seed: int
    keep_traces: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SceneRun:
    """What came of it."""

    job: SceneJob
    arrived: bool  # all robots, in time, in truth
    seconds: float  # until the last one was done
    path_ratio: float  # way of all robots over the straight way
    contact_time: float  # of all robots [s]
    traces: tuple[Trace, ...] = ()


def drive_scene(job: SceneJob) -> SceneRun:
    """Let all robots of a scene drive to their goals with the same avoidance."""
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
        path_ratio=sum(figure["distance"] for figure in figures) / scene.straight_way,
        contact_time=sum(figure["contact_time"] for figure in figures),
        traces=tuple(episode.robots[robot].trace for robot in scene.goals) if job.keep_traces else (),
    )


def make_controller(scene: AvoidanceScene, robot: str, job: SceneJob) -> AvoidingController:
    """A controller for one robot of a scene."""
    avoidance = make_avoidance(job.avoidance, chance=partial(chance, job.seed, robot), patience=scene.seconds)
    return AvoidingController(avoidance, scene.start_of(robot), scene.goals[robot])
