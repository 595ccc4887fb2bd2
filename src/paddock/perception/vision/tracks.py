"""Track spots without an identifier. Identities survive lost pictures if the motion is steady."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.geometry import Point

FORBIDDEN = 1e9  # replaces infinite costs; larger than any sum of finite costs
STEADY = 0.5  # weight of the newest velocity


def assign(costs: ArrayLike) -> list[tuple[int, int]]:
    """Return pairs (row, column) with the least sum of costs. Each row and column occurs once; infinite costs never."""
    table = np.asarray(costs, float)
    if table.size == 0:
        return []
    if len(table) > table.shape[1]:
        return sorted((row, column) for column, row in assign(table.T))
    finite = np.where(np.isfinite(table), table, FORBIDDEN)
    rows, columns = finite.shape
    row_price, column_price = np.zeros(rows + 1), np.zeros(columns + 1)
    owner = np.zeros(columns + 1, int)  # the row of each column, counted from 1; column 0 is where a search starts
    for row in range(1, rows + 1):
        owner[0] = row
        column, before = 0, np.zeros(columns + 1, int)
        least, done = np.full(columns + 1, np.inf), np.zeros(columns + 1, bool)
        while owner[column]:
            done[column] = True
            slack = finite[owner[column] - 1] - row_price[owner[column]] - column_price[1:]
            nearer = ~done[1:] & (slack < least[1:])
            least[1:][nearer], before[1:][nearer] = slack[nearer], column
            following = 1 + int(np.argmin(np.where(done[1:], np.inf, least[1:])))
            step = least[following]
            row_price[owner[done]] += step
            column_price[done] -= step
            least[~done] -= step
            column = following
        while column:  # shift the assignment along the augmenting path
            owner[column] = owner[before[column]]
            column = before[column]
    pairs = [(int(owner[column]) - 1, column - 1) for column in range(1, columns + 1) if owner[column]]
    return sorted(pair for pair in pairs if np.isfinite(table[pair]))


@dataclass(slots=True)
class SpotTrack:
    """A tracked spot."""

    number: int
    time: float  # of the last sighting [s]
    at: Point  # [m]
    velocity: Point = (0.0, 0.0)  # [m/s]
    sightings: int = 1
    brightness: list[tuple[float, float]] = field(default_factory=list)  # time [s], grey level

    def predict(self, time: float) -> Point:
        """Predict the position [m] at constant velocity."""
        passed = time - self.time
        return self.at[0] + self.velocity[0] * passed, self.at[1] + self.velocity[1] * passed


class SpotTracker:
    """Tracks spots from picture to picture by the least total distance to their predicted positions, within a gate.

    Args:
        fastest: maximum speed of a spot [m/s].
        error: standard deviation of a measured position [m].
        timeout: seconds without a sighting after which a track ends.
    """

    def __init__(self, *, fastest: float = 0.3, error: float = 0.005, timeout: float = 2.0) -> None:
        self.fastest, self.error, self.timeout = fastest, error, timeout
        self.tracks: list[SpotTrack] = []
        self._count = 0

    def update(self, time: float, spots: Sequence[Point]) -> list[SpotTrack]:
        """Assign the spots of a picture to tracks. Return the track of each spot, in order."""
        # If the clock went back, for example after a reset, all tracks end.
        self.tracks = [track for track in self.tracks if 0 <= time - track.time <= self.timeout]
        costs = np.full((len(self.tracks), len(spots)), math.inf)
        for i, track in enumerate(self.tracks):
            expected, passed = track.predict(time), time - track.time
            for k, spot in enumerate(spots):
                reachable = math.dist(spot, track.at) <= self.fastest * passed + 3 * self.error
                miss = math.dist(spot, expected)
                if reachable and miss <= 6 * self.error + self.fastest * passed:  # it may have turned around
                    costs[i, k] = miss
        owners = {k: self.tracks[i] for i, k in assign(costs)}
        found = []
        for k, spot in enumerate(spots):
            owner = owners.get(k)
            if owner is None:
                self._count += 1
                owner = SpotTrack(self._count, time, spot)
                self.tracks.append(owner)
            else:
                self._move(owner, time, spot)
            found.append(owner)
        return found

    def _move(self, track: SpotTrack, time: float, spot: Point) -> None:
        passed = time - track.time
        if passed > 0:
            newest = (spot[0] - track.at[0]) / passed, (spot[1] - track.at[1]) / passed
            share = STEADY if track.sightings > 1 else 1.0
            track.velocity = (
                track.velocity[0] + share * (newest[0] - track.velocity[0]),
                track.velocity[1] + share * (newest[1] - track.velocity[1]),
            )
        track.time, track.at, track.sightings = time, spot, track.sightings + 1
