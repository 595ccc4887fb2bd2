"""Graph SLAM: scan tracking in local maps, detection and verification of loops, and pose graph optimisation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from paddock.core.geometry import ORIGIN, Pose, compose
from paddock.perception.mapping.false_loops import FalseLoops
from paddock.perception.mapping.key_scans import KeyScan
from paddock.perception.mapping.loop_checks import LoopChecks
from paddock.perception.mapping.loops import LoopFinder, LoopOptions
from paddock.perception.mapping.motion_step import MotionStep
from paddock.perception.mapping.pose_graph import PoseEdge, PoseGraph
from paddock.perception.mapping.scan import Scan
from paddock.perception.mapping.scan_tracker import ScanTracker, TrackerOptions


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
