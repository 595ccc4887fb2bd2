"""Loop closure detection: find places that the robot has visited before.

The latest piece of the path, as one rigid map, is searched for in the map of much earlier scans, within the possible
drift. A piece of twenty metres contains corners and doors where a single scan has two bare walls. A match is accepted
only if it is good and unique, and if the scans of the piece, matched one by one, agree with each other.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose, compose, relative, wrap
from paddock.perception.mapping.matching import (
    COARSE,
    FINE,
    REACH,
    KeyScan,
    LikelihoodField,
    Peak,
    ScanMatch,
    SearchWindow,
    find_peaks,
    match_scan,
    thin_points,
)
from paddock.perception.mapping.method import NO_SPREAD, rotate_covariance, subtract
from paddock.perception.mapping.pose_graph import PoseEdge, PoseGraph
from paddock.perception.mapping.scan import Floats, transform

LOOP_LENGTH = 0.5  # length that a loop adds to a path [m]
SURPRISE = 9.0  # squared normalised error of a new loop above which the graph is solved immediately
MAX_PENDING = 15  # number of groups of loops with small errors after which it is solved in any case
BELIEVED = 16.0  # mean squared error of a group of loops after solving above which it is removed again
Nodes = Sequence[int] | NDArray[np.int64]  # numbers of poses of the graph
LOOP_SPREAD = np.diag([0.03, 0.03, math.radians(0.3)]) ** 2  # added to a match, because old poses have errors too
SIGHT = 12.0  # maximum distance of old scans in the field for matching single scans [m]
PULL = 0.02  # of the estimate, see `SearchWindow`
FINE_WINDOW = SearchWindow(0.5, math.radians(4), PULL)  # around the matched pose of a piece
AGREEMENT = SearchWindow(0.3, math.radians(2.5))


def uncertainty(edge: PoseEdge) -> float:
    """Return the largest position deviation of an edge as a path length [m]; an unconstrained edge is no short cut."""
    xx, xy, yy = edge.covariance[0, 0], edge.covariance[0, 1], edge.covariance[1, 1]
    return 20 * math.sqrt((xx + yy + math.hypot(xx - yy, 2 * xy)) / 2)


def find_shortest_paths(graph: PoseGraph, start: int) -> Floats:
    """Return the lengths of the shortest paths through the edges of a graph from a pose to all poses [m].

    Paths follow the chain of poses and loops. Lengths along the chain are computed at once. Each iteration allows one
    more loop, until no path becomes shorter.
    """
    along = np.array(graph.travelled)
    distances: Floats = np.abs(along - along[start])
    firsts, seconds = (np.array([loop[end] for loop in graph.loops], int) for end in (0, 1))
    lengths = np.array([LOOP_LENGTH + uncertainty(loop) for loop in graph.loops])
    while True:
        shorter = distances.copy()
        np.minimum.at(shorter, seconds, distances[firsts] + lengths)
        np.minimum.at(shorter, firsts, distances[seconds] + lengths)
        forwards = np.minimum.accumulate(shorter - along) + along
        backwards = np.minimum.accumulate((shorter + along)[::-1])[::-1] - along
        shorter = np.minimum(shorter, np.minimum(forwards, backwards))
        if not (shorter < distances - 1e-9).any():
            return distances
        distances = shorter


@dataclass(frozen=True, kw_only=True)
class DriftModel:
    """Maximum error of the estimate after a path through the graph."""

    share: float = 0.035  # of the path length
    least: float = 0.3  # [m]
    turn: float = math.radians(1.2)  # after a metre [rad]; grows with the square root of the path length
    most_distance: float = 25.0  # maximum for any path length [m]
    most_angle: float = math.radians(35)

    def distance(self, path: float) -> float:
        """Return the maximum position error after a path length [m]."""
        return min(self.most_distance, self.least + self.share * path)

    def angle(self, path: float) -> float:
        """Return the maximum heading error [rad] after a path length [m]."""
        return min(self.most_angle, self.turn * math.sqrt(max(path, 1.0)))


class LoopChecks:
    """Accepts or rejects groups of loops for a graph. A group is the result of one loop search."""

    def __init__(self, graph: PoseGraph, drift: DriftModel, supporters: int, solver: str | None) -> None:
        self.graph, self.drift, self.supporters, self.solver = graph, drift, supporters, solver
        self.refused: list[PoseEdge] = []
        self.solved = 0  # number of times the graph was solved
        self._pending = 0

    def offer(self, loops: Sequence[PoseEdge]) -> bool:
        """Add a group of loops if it passes all checks; return whether it does."""
        accepted = len(loops) >= self.supporters and self.within_drift(loops) and self.fits(loops)
        if not accepted:
            self.refused += loops
        return accepted

    def within_drift(self, loops: Sequence[PoseEdge]) -> bool:
        """Return whether most loops of a group move poses by no more than the possible drift."""
        paths = find_shortest_paths(self.graph, loops[0].second)
        allowed = 0
        for loop in loops:
            found = relative(self.graph.poses[loop.first], self.graph.poses[loop.second])
            moved = math.hypot(found.x - loop.step.x, found.y - loop.step.y)
            turned = abs(wrap(found.heading - loop.step.heading))
            path = paths[loop.first]
            # If the search started at the limit of the drift, a match may lie slightly beyond it.
            allowed += moved <= 1.2 * self.drift.distance(path) + 0.5 and turned <= 1.2 * self.drift.angle(path)
        return 2 * allowed > len(loops)

    def fits(self, loops: Sequence[PoseEdge]) -> bool:
        """Return whether the graph agrees with a group after solving; if not, restore the previous graph."""
        before, believed = list(self.graph.poses), len(self.graph.loops)
        self.graph.loops += loops
        self._pending += 1
        if max(map(self.graph.squared_error, loops)) < SURPRISE and self._pending < MAX_PENDING:
            return True
        self.solve()
        if np.mean([self.graph.squared_error(loop) for loop in loops]) <= BELIEVED:
            return True
        self.graph.poses = before
        del self.graph.loops[believed:]
        return False

    def solve(self) -> None:
        """Solve the graph with all accepted loops."""
        self.graph.solve(self.solver)
        self.solved += 1
        self._pending = 0


@dataclass(frozen=True, kw_only=True)
class LoopOptions:
    """Options of the search for loops and of their acceptance."""

    every: float = 4.0  # path length between two searches [m]
    piece: float = 20.0  # path length of the map that is searched for [m]
    gap: float = 10.0  # minimum path length between that piece and old scans [m]
    drift: DriftModel = field(default_factory=DriftModel)
    least_coarse: float = 0.5  # minimum score of the piece
    least_fine: float = 0.5  # minimum score of a scan in it
    spacing: float = 2.0  # of the scans matched one by one [m]
    agreement: SearchWindow = AGREEMENT  # between these scans
    sharp: float = 6.0  # drift up to which the piece is searched for in a finer field [m]
    tracked: float = 1.0  # drift up to which the scans are matched directly at their poses in the graph [m]
    supporters: int = 4  # minimum number of agreeing scans; they must also be more than half


class LoopFinder:
    """Searches a growing graph for loops."""

    def __init__(self, graph: PoseGraph, scans: Sequence[KeyScan], options: LoopOptions | None = None) -> None:
        self.graph, self.scans, self.options = graph, scans, options or LoopOptions()
        self._undecided: list[tuple[range, NDArray[np.int64]]] = []  # pieces with several matches, and the old poses

    def find(self, latest: int) -> list[list[PoseEdge]]:
        """Find groups of consistent loops between the piece that ends at a pose and older scans."""
        way, length = self.graph.travelled, self.options.piece
        piece = range(bisect_left(way, way[latest] - length), latest + 1)
        if way[latest] - way[piece[0]] < length / 2:
            return []
        return self.search(piece, np.arange(len(self.long_before(piece))))

    def decide(self) -> list[list[PoseEdge]]:
        """Find loops of pieces with several matches, after the possible drift in the graph has become smaller.

        In a corridor that was last seen long ago, doors look alike. Once both ends are known, one match is left.
        """
        waiting, self._undecided = self._undecided, []
        groups = []
        for piece, old in waiting:
            drift = self.options.drift.distance(float(find_shortest_paths(self.graph, piece[-1])[old].min()))
            if drift <= self.options.sharp / 2:
                groups += self.search(piece, old)
            else:
                self._undecided.append((piece, old))
        return groups

    def long_before(self, piece: range) -> range:
        """Return the old poses at which a loop with a piece may end."""
        way = self.graph.travelled
        return range(bisect_right(way, way[piece[0]] - self.options.gap))

    def search(self, piece: range, old: NDArray[np.int64]) -> list[list[PoseEdge]]:
        """Find loops between a piece and some old poses."""
        drift, latest = self.options.drift, piece[-1]
        paths = find_shortest_paths(self.graph, latest)[old]
        drifts = np.array([drift.distance(each) for each in paths])
        near = self.distances(old, [self.graph.poses[latest]]) < drifts + REACH / 2 if len(old) else np.zeros(0, bool)
        groups = []
        while near.any():  # poses with less drift are searched separately, in a smaller window
            known = near & (drifts <= 1.5 * drifts[near].min() + 0.5)
            window = SearchWindow(float(drifts[known].max()), drift.angle(float(paths[known].max())), PULL)
            if loops := self.match_piece(piece, old[known], window):
                groups.append(loops)
            near &= ~known
        return groups

    def distances(self, nodes: Nodes, places: Sequence[Pose]) -> Floats:
        """Return the distances from poses of the graph to the nearest of some positions [m]."""
        at, to = (np.array([pose[:2] for pose in poses]) for poses in ([self.graph.poses[k] for k in nodes], places))
        least: Floats = np.hypot(*(at[:, None] - to).transpose(2, 0, 1)).min(1)
        return least

    def match_piece(self, piece: range, known: NDArray[np.int64], window: SearchWindow) -> list[PoseEdge]:
        """Return loops from a piece to old poses of similar drift, if the match is unique."""
        poses, latest = self.graph.poses, piece[-1]
        if window.distance <= self.options.tracked:
            return self.verify(piece, known, poses[latest], window)
        outline = [transform(self.scans[k].outline, relative(poses[latest], poses[k])) for k in piece]
        points = thin_points(np.vstack(outline), 1.5 * COARSE)
        if not len(points):
            return []
        near = self.distances(self.long_before(piece), [poses[k] for k in piece[::-4]]) < window.distance + REACH / 2
        cell = COARSE if window.distance > self.options.sharp else COARSE / 2
        drawn = self.draw_field(np.flatnonzero(near), cell)
        turn = cell / max(math.sqrt((points**2).sum() / len(points)), cell)
        apart = SearchWindow(1.0, math.radians(10))
        peaks = find_peaks(points, drawn, poses[latest], window, turn, least=self.options.least_coarse, apart=apart)
        if len(peaks) > 1 and window.distance > self.options.sharp:
            self._undecided.append((piece, known))
            return []
        if not peaks:
            return []
        return self.verify(piece, known, peaks[0].pose, FINE_WINDOW, spread_to_rival(peaks))

    def draw_field(self, nodes: Iterable[int], cell: float) -> LikelihoodField:
        """Create the field of the scans of some poses, at their current estimates."""
        drawn = [
            transform(self.scans[k].surface if cell < COARSE else self.scans[k].outline, self.graph.poses[k])
            for k in nodes
        ]
        return LikelihoodField.from_points(thin_points(np.vstack(drawn), cell), cell, cell)

    def verify(
        self, piece: range, old: NDArray[np.int64], place: Pose, window: SearchWindow, rival: Floats = NO_SPREAD
    ) -> list[PoseEdge]:
        """Match scans of the piece one by one around the matched pose; return no loops unless they agree."""
        poses, latest, options = self.graph.poses, piece[-1], self.options
        tried: dict[int, Pose] = {}
        last = math.inf
        for k in reversed(piece):
            if abs(last - self.graph.travelled[k]) < options.spacing:
                continue
            guess = compose(place, relative(poses[latest], poses[k]))
            if self.distances(old, [guess]).min() < options.spacing:
                tried[k], last = guess, self.graph.travelled[k]
        if len(tried) < options.supporters:
            return []
        around = old[self.distances(old, list(tried.values())) < SIGHT].tolist()
        drawn = self.draw_field(around, FINE)
        matches = {k: match_scan(self.scans[k].points, drawn, guess, window) for k, guess in tried.items()}
        good = {k: match for k, match in matches.items() if match.score >= options.least_fine}
        agreeing = self.agree(good, latest)
        if len(agreeing) < options.supporters or 2 * len(agreeing) <= len(tried):
            return []
        return [self.to_loop(k, good[k], rival, around) for k in agreeing]

    def agree(self, matches: dict[int, ScanMatch], latest: int) -> list[int]:
        """Return the largest set of matches that give the same latest pose, up to the drift within the piece."""
        poses = self.graph.poses
        limit = np.diag(
            [self.options.agreement.distance, self.options.agreement.distance, self.options.agreement.angle]
        )
        ends = {k: compose(match.pose, relative(poses[k], poses[latest])) for k, match in matches.items()}

        def fits(k: int, other: int) -> bool:
            error = subtract(ends[k], ends[other])
            spread = matches[k].covariance + matches[other].covariance + (limit / 3) ** 2
            return bool(error @ np.linalg.solve(spread, error) < 11.3)  # chi², 3 dimensions, 99 %

        return max(([k for k in ends if fits(k, middle)] for middle in ends), key=len, default=[])

    def to_loop(self, k: int, match: ScanMatch, rival: Floats, old: Sequence[int]) -> PoseEdge:
        """Create an edge from the nearest old pose to a scan."""
        nearest = old[int(self.distances(old, [match.pose]).argmin())]
        at = self.graph.poses[nearest]
        covariance = rotate_covariance(match.covariance + rival, at.heading) + LOOP_SPREAD
        return PoseEdge(nearest, k, relative(at, match.pose), covariance, True)


def spread_to_rival(peaks: Sequence[Peak]) -> Floats:
    """Return the covariance that a second peak adds to the first, for example along a corridor."""
    if len(peaks) < 2:
        return NO_SPREAD
    offset = subtract(peaks[1].pose, peaks[0].pose)
    spread: Floats = np.outer(offset, offset)
    return spread
