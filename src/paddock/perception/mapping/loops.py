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

from paddock.core.geometry import Pose, compose, relative
from paddock.perception.mapping.graph_paths import find_shortest_paths
from paddock.perception.mapping.key_scans import COARSE, FINE, REACH, KeyScan, thin_points
from paddock.perception.mapping.likelihood import LikelihoodField
from paddock.perception.mapping.loop_checks import DriftModel
from paddock.perception.mapping.matching import Peak, ScanMatch, SearchWindow, find_peaks, match_scan
from paddock.perception.mapping.motion_step import NO_SPREAD, subtract
from paddock.perception.mapping.pose_graph import PoseEdge, PoseGraph, rotate_covariance
from paddock.perception.mapping.scan import Floats, transform

Nodes = Sequence[int] | NDArray[np.int64]  # numbers of poses of the graph
LOOP_SPREAD = np.diag([0.03, 0.03, math.radians(0.3)]) ** 2  # added to a match, because old poses have errors too
SIGHT = 12.0  # maximum distance of old scans in the field for matching single scans [m]
PULL = 0.02  # of the estimate, see `SearchWindow`
FINE_WINDOW = SearchWindow(0.5, math.radians(4), PULL)  # around the matched pose of a piece
AGREEMENT = SearchWindow(0.3, math.radians(2.5))


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
