"""Scan matching: scans of 180 beams, each matched in a map with cells of 5 cm and then drawn into it."""

from __future__ import annotations

import math

import numpy as np

from paddock.bench.local import Bench
from paddock.core.geometry import Pose
from paddock.estimate.range_kernels import expected_ranges
from paddock.mapping import LikelihoodField, Scan, SearchWindow, match_scan, trace_surfaces
from paddock.mapping.scan import transform

ROOM = 15.0  # [m]
SCANS = 50  # on a circle through the room
PERIOD = 0.1  # of a laser [s]
CELL, SIGMA = 0.05, 0.05  # [m]
WINDOW = SearchWindow(0.3, math.radians(10))


def matching() -> Bench:
    """A laser of 180 beams in a room of 15 m: find each scan within ± 0.3 m and ± 10°, then draw it. Steps are scans."""
    angles = np.radians(np.arange(-90.0, 90.0))
    beams = np.column_stack((np.zeros((180, 2)), angles))
    turns = np.linspace(0, 2 * math.pi, SCANS, endpoint=False)
    places = [Pose(ROOM / 2 + 3 * math.cos(a), ROOM / 2 + 3 * math.sin(a), a + math.pi / 2) for a in turns]
    ranges = np.empty((SCANS, 180))
    expected_ranges(np.array(places), beams, room_walls(), 0.0, 30.0, ranges)
    scans = [Scan(k * PERIOD, angles, ranges[k], 30.0) for k in range(SCANS)]
    points = [scan.points() for scan in scans]
    drawn = [transform(trace_surfaces(scan, CELL), place) for scan, place in zip(scans, places, strict=True)]
    field = LikelihoodField.from_points(np.vstack(drawn), CELL, SIGMA)

    def work(steps: int) -> None:
        for k in range(steps):
            x, y, heading = places[k % SCANS]
            match_scan(points[k % SCANS], field, Pose(x + 0.13, y - 0.08, heading + 0.05), WINDOW)
            field.add_points(drawn[k % SCANS])

    return Bench(1, PERIOD, work, 300)


def room_walls() -> np.ndarray:
    """A square room with nine pillars [m], as segments."""
    boxes = [(0.0, 0.0, ROOM)] + [(x, y, 0.6) for x in (3.0, 7.2, 11.4) for y in (3.0, 7.2, 11.4)]
    corners = [[(x, y), (x + side, y), (x + side, y + side), (x, y + side)] for x, y, side in boxes]
    return np.array([[*four[k - 1], *four[k]] for four in corners for k in range(4)], float)
