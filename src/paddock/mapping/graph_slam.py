"""Graph SLAM: scans are followed in local maps, loops are found and checked, and all poses are solved together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from paddock.core.geometry import Pose, compose
from paddock.mapping.key_scans import KeyScan
from paddock.mapping.loops import LoopFinder, LoopOptions
from paddock.mapping.motion_step import MotionStep
from paddock.mapping.pose_graph import PoseEdge, PoseGraph
from paddock.mapping.scan import AT_CENTRE, Scan
from paddock.mapping.scan_tracker import ScanTracker, TrackerOptions

SURPRISE = 9.0  # squared error of a new loop, in its own deviations, at which the graph is solved at once
PATIENCE = 15  # groups of loops that change little before it is solved anyway
BELIEVED = 16.0  # mean squared error of a group of loops after solving, above which it is taken out again


@dataclass(frozen=True, kw_only=True)
class GraphOptions:
    """What graph SLAM can be told."""

    distance: float = 0.3  # between key scans [m]
    angle: float = math.radians(20)
    tracker: TrackerOptions = field(default_factory=TrackerOptions)
    loops: LoopOptions = field(default_factory=LoopOptions)
    solver: str | None = None  # of `SOLVERS`; None: the best that is installed


class GraphSlam:
    """Poses of all scans so far. `add` scans as they come; `finish` when no more will."""

    def __init__(self, options: GraphOptions | None = None, start: Pose = AT_CENTRE) -> None:
        self.options = options or GraphOptions()
        self.graph = PoseGraph([start])
        self.scans: list[KeyScan] = []  # one for each pose of the graph
        self.solved = 0  # how often the graph was solved
        self.rejected: list[PoseEdge] = []  # loops that did not fit the rest
        self._tracker = ScanTracker(self.options.tracker)
        self._finder = LoopFinder(self.graph, self.scans, self.options.loops)
        self._since = MotionStep()  # the last key scan
        self._searched = 0.0  # where on the way loops were last looked for [m]
        self._pending = 0
        self._places: list[
            tuple[int, Pose]
        ] = []  # of every scan: the pose of the graph before it, and the step from there

    def add(self, scan: Scan, motion: MotionStep) -> Pose:
        """Take a scan, and how the robot has moved since the last one; gives where it is now."""
        self._since = self._since.then(motion)
        step = self._since.pose
        moved = math.hypot(step.x, step.y) >= self.options.distance or abs(step.heading) >= self.options.angle
        if not self.scans or moved:
            self._add_key_scan(KeyScan.of(scan))
        self._places.append((len(self.scans) - 1, self._since.pose))
        return self.pose

    @property
    def pose(self) -> Pose:
        """Of the last scan."""
        return compose(self.graph.poses[-1], self._since.pose)

    def poses(self) -> list[Pose]:
        """Of all scans, as they are estimated now."""
        return [compose(self.graph.poses[k], step) for k, step in self._places]

    def finish(self) -> None:
        """Look for loops at the end of the way, and solve once more."""
        if len(self.scans) > 1:
            self._close_loops()
            self._solve()

    def _add_key_scan(self, scan: KeyScan) -> None:
        tracked = self._tracker.follow(scan, self._since)
        if self.scans:
            self.graph.extend(tracked.step, tracked.covariance)
            self._finder.measure_way()
        self.scans.append(scan)
        self._since = MotionStep()
        if self._finder.travelled[-1] - self._searched >= self.options.loops.every:
            self._close_loops()

    def _close_loops(self) -> None:
        self._searched = self._finder.travelled[-1]
        for loops in self._finder.find(len(self.scans) - 1):
            self._take(loops)

    def _take(self, loops: list[PoseEdge]) -> None:
        """Put a group of loops in; if the graph cannot agree with it, take it out again."""
        self.graph.edges += loops
        errors = [self.graph.squared_error(loop) for loop in loops]
        self._pending += 1
        if max(errors) < SURPRISE and self._pending < PATIENCE:
            return
        before = list(self.graph.poses)
        self._solve()
        if np.mean([self.graph.squared_error(loop) for loop in loops]) > BELIEVED:
            self.graph.edges = [edge for edge in self.graph.edges if not any(edge is loop for loop in loops)]
            self.graph.poses = before
            self.rejected += loops

    def _solve(self) -> None:
        self.graph.solve(self.options.solver)
        self.solved += 1
        self._pending = 0
