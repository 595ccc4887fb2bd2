"""Track spots without an identifier. Identities survive lost pictures if the motion is steady."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from paddock.core.geometry import Point
from paddock.perception.vision.assignment import assign

STEADY = 0.5  # weight of the newest velocity


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
