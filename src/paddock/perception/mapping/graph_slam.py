"""Graph SLAM: scan tracking in local maps, detection and verification of loops, and pose graph optimisation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose, compose, relative
from paddock.perception.mapping.loops import LoopChecks, LoopFinder, LoopOptions, find_shortest_paths
from paddock.perception.mapping.matching import FINE, REACH, KeyScan, LikelihoodField, SearchWindow, match_scan
from paddock.perception.mapping.method import MappingMethod, MapSetup, MotionStep, fuse, rotate_covariance
from paddock.perception.mapping.occupancy import GridFrame, OccupancyGrid
from paddock.perception.mapping.pose_graph import PoseEdge, PoseGraph
from paddock.perception.mapping.scan import Floats, Scan, transform

LEAST_SPREAD = np.diag([0.01, 0.01, math.radians(0.15)]) ** 2  # limit of accuracy of matching in cells


@dataclass(frozen=True, kw_only=True)
class TrackerOptions:
    """Options of scan tracking."""

    sigma: float = 0.05  # of the field [m]
    scans: int = 15  # number of scans at the start of a local map; it is rebuilt at twice this number
    least: float = 0.4  # score below which only odometry is used
    most_distance: float = 0.6  # maximum search distance [m]
    most_angle: float = 0.5  # maximum search angle [rad]
    pull: float = 0.05  # see `SearchWindow`
    doubt: float = 100.0  # factor on the covariance of odometry in a match: its scale error is the same in every step


class TrackedStep(NamedTuple):
    """A step between two key scans, in the frame of the first."""

    step: Pose
    covariance: Floats
    score: float  # of the match; 0 without a match


class ScanTracker:
    """Tracks scans in a local map of the latest ones, in its own frame."""

    def __init__(self, options: TrackerOptions | None = None) -> None:
        self.options = options or TrackerOptions()
        self.pose = ORIGIN
        self._recent: list[tuple[KeyScan, Pose]] = []
        self._field: LikelihoodField | None = None

    def follow(self, scan: KeyScan, motion: MotionStep) -> TrackedStep:
        """Return the corrected step to a scan; the first step is not corrected."""
        found = self._correct(scan, motion)
        self.pose = compose(self.pose, found.step)
        self._remember(scan)
        return found

    def _correct(self, scan: KeyScan, motion: MotionStep) -> TrackedStep:
        spread = motion.covariance + LEAST_SPREAD
        if self._field is None or not len(scan.points):
            return TrackedStep(motion.pose, spread, 0.0)
        options, guess = self.options, compose(self.pose, motion.pose)
        deviations = np.sqrt(np.diag(spread))
        distance = min(options.most_distance, 0.1 + 3 * float(deviations[:2].max()))
        angle = min(options.most_angle, 0.03 + 3 * float(deviations[2]))
        match = match_scan(scan.points, self._field, guess, SearchWindow(distance, angle, options.pull))
        if match.score < options.least:
            return TrackedStep(motion.pose, spread, match.score)
        # The steps by odometry and by the match, in the frame of the first pose, weighted by their covariances.
        seen, matched = relative(self.pose, match.pose), rotate_covariance(match.covariance, self.pose.heading)
        step, covariance = fuse(motion.pose, spread, seen, matched, options.doubt * spread)
        return TrackedStep(step, covariance + LEAST_SPREAD, match.score)

    def _remember(self, scan: KeyScan) -> None:
        self._recent.append((scan, self.pose))
        if self._field is not None and len(self._recent) < 2 * self.options.scans:
            self._field.add_points(transform(scan.surface, self.pose))
            return
        self._recent = self._recent[-self.options.scans :]
        half = REACH + self.options.scans * 0.5
        x, y, _ = self.pose
        frame = GridFrame.around(x - half, y - half, x + half, y + half, FINE)
        self._field = LikelihoodField(frame, self.options.sigma)
        for each, pose in self._recent:
            self._field.add_points(transform(each.surface, pose))


class FalseLoops:
    """Generates groups of false loops until they are a given share of all loops."""

    def __init__(self, share: float, seed: int) -> None:
        if not 0 <= share < 1:
            raise PaddockError(f"false loops: expected a share of 0 … 1, got {share:g}")
        self.share, self._random = share, np.random.default_rng(seed)
        self.true, self.made = 0, 0

    def make_groups(self, loops: Sequence[PoseEdge]) -> list[list[PoseEdge]]:
        """Return false groups to add after a true one: single loops, and groups of loops that agree with each other.

        A group relates the same scans to another, random earlier part of the path.
        """
        self.true += len(loops)
        groups: list[list[PoseEdge]] = []
        while self.made < self.share * (self.true + self.made):
            size = 1 if self._random.random() < 0.5 else len(loops)
            groups.append(self._move(loops[:size]))
            self.made += size
        return groups

    def _move(self, loops: Sequence[PoseEdge]) -> list[PoseEdge]:
        lowest, highest = min(loop.first for loop in loops), max(loop.first for loop in loops)
        shift = int(self._random.integers(-lowest, max(1, loops[0].second - 40 - highest)))
        x, y, turn = self._random.uniform(-1, 1, 3) * (1.0, 1.0, 0.3)
        moved = []
        for loop in loops:
            step = Pose(loop.step.x + x, loop.step.y + y, loop.step.heading + turn)
            moved.append(loop._replace(first=min(max(0, loop.first + shift), loop.second - 1), step=step))
        return moved


@dataclass(frozen=True, kw_only=True)
class GraphOptions:
    """Options of graph SLAM."""

    distance: float = 0.3  # between key scans [m]
    angle: float = math.radians(10)
    tracker: TrackerOptions = field(default_factory=TrackerOptions)
    loops: LoopOptions = field(default_factory=LoopOptions)
    false_loops: float = 0.0  # share of artificial false loops, to test whether they are rejected
    seed: int = 0  # of the false loops
    solver: str | None = None  # name in `SOLVERS`; None: the best installed one


class GraphSlam:
    """Estimates the poses of all scans. Call `add` for each scan, and `finish` after the last one."""

    def __init__(self, options: GraphOptions | None = None, start: Pose = ORIGIN) -> None:
        self.options = options or GraphOptions()
        self.graph = PoseGraph([start])
        self.scans: list[KeyScan] = []  # one for each pose of the graph
        self._tracker = ScanTracker(self.options.tracker)
        loops = self.options.loops
        self._finder = LoopFinder(self.graph, self.scans, loops)
        self.checks = LoopChecks(self.graph, loops.drift, loops.supporters, self.options.solver)
        self.false_loops = FalseLoops(self.options.false_loops, self.options.seed)
        self._since = MotionStep()  # since the last key scan
        self._searched = 0.0  # path length at the last loop search [m]
        self._places: list[tuple[int, Pose]] = []  # of all scans: the previous pose of the graph, and the step from it

    def add(self, scan: Scan, motion: MotionStep) -> Pose:
        """Add a scan and the motion since the last one; return the current pose."""
        self._since = self._since.then(motion)
        step = self._since.pose
        moved = math.hypot(step.x, step.y) >= self.options.distance or abs(step.heading) >= self.options.angle
        if not self.scans or moved:
            self._add_key_scan(KeyScan.of(scan))
        self._places.append((len(self.scans) - 1, self._since.pose))
        return self.pose

    @property
    def pose(self) -> Pose:
        """Pose of the last scan."""
        return compose(self.graph.poses[-1], self._since.pose)

    def poses(self) -> list[Pose]:
        """Return the current estimates of the poses of all scans."""
        return [compose(self.graph.poses[k], step) for k, step in self._places]

    def finish(self) -> None:
        """Search for loops at the end of the path, and solve the graph again."""
        if len(self.scans) > 1:
            self._close_loops()
            self.checks.solve()
            while groups := self._finder.decide():
                self._offer(groups)
                self.checks.solve()

    def _add_key_scan(self, scan: KeyScan) -> None:
        tracked = self._tracker.follow(scan, self._since)
        if self.scans:
            self.graph.extend(tracked.step, tracked.covariance)
        self.scans.append(scan)
        self._since = MotionStep()
        if self.graph.travelled[-1] - self._searched >= self.options.loops.every:
            self._close_loops()

    def _close_loops(self) -> None:
        self._searched = self.graph.travelled[-1]
        solved = self.checks.solved
        self._offer(self._finder.find(len(self.scans) - 1))
        if self.checks.solved > solved:
            self._offer(self._finder.decide())

    def _offer(self, groups: list[list[PoseEdge]]) -> None:
        for loops in groups:
            self.checks.offer(loops)
            for group in self.false_loops.make_groups(loops):
                self.checks.offer(group)


class GraphMapping(MappingMethod):
    """Estimates the poses of all scans, optimised together when a loop is found."""

    needs_rays = True

    def __init__(self, setup: MapSetup, *, live: bool = True, **options: Any) -> None:
        """Create the method.

        Args:
            setup: common settings of mapping methods.
            live: whether the map is updated with each scan; False: only by `finish`.
            options: options of `GraphOptions`.
        """
        self.live, self.options = live, GraphOptions(seed=setup.seed, **options)
        super().__init__(setup)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Restart at a pose with an empty map."""
        super().reset(pose, covariance)
        self.slam = GraphSlam(self.options, pose)
        self._scans: list[Scan] = []
        self._drawn = 0  # value of `checks.solved` when the map was drawn

    def add(self, scan: Scan, step: MotionStep) -> None:
        """Add a scan and the motion since the last one."""
        keys = len(self.slam.scans)
        self.pose = self.slam.add(scan, step)
        self._scans.append(scan)
        if self.live and len(self.slam.scans) > keys:
            self.covariance = self.spread()
        if self.live and self._drawn == self.slam.checks.solved:
            self.draw(scan, self.pose)
        elif self.live:
            self.draw_all()

    def finish(self) -> list[Pose]:
        """Search for loops again, draw the map, and return the poses of all scans."""
        self.slam.finish()
        self.pose = self.slam.pose
        self.draw_all()
        return self.slam.poses()

    def draw_all(self) -> None:
        """Draw the map from the current poses."""
        self.grid = OccupancyGrid(self.setup.resolution)
        for scan, pose in zip(self._scans, self.slam.poses(), strict=True):
            self.draw(scan, pose)
        self._drawn = self.slam.checks.solved

    def spread(self) -> Floats:
        """Return the covariance due to drift on the shortest path through the graph to the first pose."""
        drift = self.options.loops.drift
        path = float(find_shortest_paths(self.slam.graph, 0)[-1])
        deviations = np.array([drift.distance(path), drift.distance(path), drift.angle(path)]) / 3
        return np.diag(deviations**2)
