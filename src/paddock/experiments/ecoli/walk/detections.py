"""Numbers of detections of walls, robots and light in experiment 2 by light level, and their classification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import paddock
from paddock.control.behaviours.avoidance import Distal
from paddock.core.geometry import Pose
from paddock.core.jobs import Workers, run_jobs
from paddock.core.observation import Observation, WheelSpeeds
from paddock.experiments.ecoli.obstacles import CAUSES, Cause, Detection, ObstacleClassifier
from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.walk.detection_trials import (
    ConfusionMatrix,
    build_lit_dish,
    find_cause,
    list_positions,
    make_sources,
)
from paddock.experiments.reproductions import Progress
from paddock.perception.estimation import Odometry
from paddock.report import Level, Series, line_chart
from paddock.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = (0.0, 0.1, 0.2, 0.26, 0.3, 0.32, 0.33, 0.34, 0.35, 0.36)  # of the lamp, 1 m away from it [W/m²]
SECONDS = 200.0  # maximum duration of a walk
SPEED = 0.103  # 800 steps/s [m/s]
LINE_COLORS = {"e-puck_2478": "#d1495b", "e-puck_2481": "#e09f3e"}


class OrderWalk:
    """Drives from target to target like the robots of the thesis, and calls `on_detection` for every detection."""

    def __init__(self, robot: str, start: Pose, on_detection: Callable[[float, Observation], None]) -> None:
        self._start, self._targets, self._on_detection = start, published.targets_done(robot), on_detection
        self._drive = Distal(threshold=published.THRESHOLDS_2[robot], speed=SPEED, most_tries=10)
        self.reset()

    def reset(self) -> None:
        """Restart."""
        self._odometry = Odometry(wheel_separation=self._drive.wheel_separation, pose=self._start)
        self._next, self._time = 0, 0.0
        self._drive.reset(self._start, self._targets[0])

    @property
    def done(self) -> bool:
        """Whether all orders were carried out or aborted."""
        return self._next == len(self._targets)

    reason = "all orders are done"

    @property
    def estimated_pose(self) -> Pose:
        """Pose estimated by odometry."""
        return self._odometry.pose

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        pose = self._odometry.update(*observation.encoders.tolist())
        dt, self._time = max(observation.time - self._time, 1e-3), observation.time
        if self.done:
            return WheelSpeeds(0.0, 0.0)
        before, distances = self._drive.detections, observation.proximity.tolist()
        wheels = self._drive.act(distances, pose, dt)
        if self._drive.detections > before:
            self._on_detection(self._drive.ring.find_obstacle(distances, self._drive.threshold), observation)
        if self._drive.state != "driving":
            self._next += 1
            if not self.done:
                self._drive.reset(pose, self._targets[self._next])
        return wheels


@dataclass(frozen=True, kw_only=True, slots=True)
class LitWalk:
    """A walk of all three robots at one light level."""

    level: float  # [W/m²] at 1 m
    seed: int


@dataclass(frozen=True, slots=True)
class CausedDetection:
    """A detection of a walk."""

    robot: str
    cause: Cause  # true cause
    classified: Cause | None  # None: two causes fit equally well


def walk_in_light(walk: LitWalk) -> list[CausedDetection]:
    """Run the orders of the three robots; return all detections with their true and classified causes."""
    world = build_lit_dish(walk.level)
    sources = make_sources(world)
    classifier = ObstacleClassifier(*(sources[name] for name in ("ambient", "map", "link")))
    found: list[CausedDetection] = []
    with paddock.open(world, seed=walk.seed) as arena:
        walkers: dict[str, OrderWalk] = {}

        def note(name: str, side: float, seen: Observation) -> None:
            poses = {other: robot.pose for other, robot in arena.robots.items()}
            estimates = {other: walker.estimated_pose for other, walker in walkers.items()}
            detection = Detection(
                distances=seen.proximity.tolist(),
                side=side,
                threshold=published.THRESHOLDS_2[name],
                pose=estimates[name],
                light=seen.light.tolist(),
                others=list_positions(estimates, name),
            )
            cause = find_cause(poses, name, side, published.THRESHOLDS_2[name])
            found.append(CausedDetection(name, cause, classifier.classify(detection).cause))

        for name, robot in arena.robots.items():
            robot.enable("proximity", "encoders", "light")
            start = robot.pose._replace(heading=0.0)  # the robot assumes a heading of 0
            walkers[name] = OrderWalk(name, start, partial(note, name))
        arena.run(SECONDS, walkers)
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectionCounts:
    """Detections at several light levels, from walks with several seeds."""

    walks: tuple[LitWalk, ...]
    detected: tuple[list[CausedDetection], ...]  # of every walk

    def count(self, robot: str, level: float, *causes: Cause) -> float:
        """Return the mean number of detections of a robot with one of several causes."""
        chosen = [found for walk, found in zip(self.walks, self.detected, strict=True) if walk.level == level]
        return float(np.mean([sum(d.robot == robot and d.cause in causes for d in found) for found in chosen]))

    @property
    def levels(self) -> list[float]:
        """All light levels in increasing order [W/m²]."""
        return sorted({walk.level for walk in self.walks})

    @property
    def confusion(self) -> ConfusionMatrix:
        """Confusion matrix of all detections of all walks."""
        return ConfusionMatrix.of([(d.cause, d.classified) for found in self.detected for d in found])

    @property
    def table(self) -> Table:
        """Table with a row for every light level; published are 3 detections (2 by light) and 11 (7 by light)."""
        robots = list(published.DETECTIONS_2)
        heads = ("level [W/m²]", *(f"{name} {what}" for name in robots for what in ("real", "by light")))
        rows = [
            (f"{level:g}", *(f"{self.count(n, level, *c):.1f}" for n in robots for c in (CAUSES[:2], CAUSES[2:])))
            for level in self.levels
        ]
        printed = [
            str(number)
            for name in robots
            for number in (published.DETECTIONS_2[name] - published.BY_LIGHT_2[name], published.BY_LIGHT_2[name])
        ]
        return Table(heads, (*rows, ("published", *printed)), "mean number of detections in a walk")

    def draw(self) -> Axes:
        """Draw detections by light against the light level, with the published numbers as dashed lines."""
        names = list(LINE_COLORS)
        series = [
            Series(name, LINE_COLORS[name], self.levels, [self.count(name, level, "light") for level in self.levels])
            for name in names
        ]
        levels = [
            Level(f"{name}, published", LINE_COLORS[name], float(published.BY_LIGHT_2[name]), dashed=True)
            for name in names
        ]
        x_name, y_name = "lamp: irradiance at 1 m [W/m²]", "detections by light per walk"
        title, about = "Light detected as an obstacle", "experiment 2 with a lamp next to the dish"
        return line_chart(title, series, x_name=x_name, y_name=y_name, about=about, levels=levels)


def count_detections(
    levels: Sequence[float] = LEVELS,
    *,
    seeds: Sequence[int] = range(5),
    workers: Workers = None,
    progress: Progress | None = None,
) -> DetectionCounts:
    """Run walks at every light level with every seed."""
    walks = tuple(LitWalk(level=level, seed=seed) for level in levels for seed in seeds)
    return DetectionCounts(
        walks=walks, detected=tuple(run_jobs(walk_in_light, walks, workers=workers, progress=progress))
    )
