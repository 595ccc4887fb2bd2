"""Four sources of evidence about a detection: ambient light, a map, the other robots' reports, a camera picture."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.named_arrays import as_floats
from paddock.experiments.ecoli.obstacles.detection import LIT, OTHER, WORST, CauseScores, Detection

DAZZLED = 0.5  # score advantage of light if the light sensors are saturated
Floats = NDArray[np.float64]
Rgb = tuple[int, int, int]


class EvidenceSource(ABC):
    """A source of evidence about detections."""

    @abstractmethod
    def score(self, detection: Detection) -> CauseScores | None:
        """Return the score of each cause; None if the detection lacks the input of this source."""


@dataclass(frozen=True, kw_only=True)
class AmbientLight(EvidenceSource):
    """Compares the detection with the ambient light that the same infrared sensors measure without their own lamps."""

    sensitivity: float  # echo caused by 1 W/m² [1/m²]; see `measure_sensitivity`
    full_scale: float = 2.0  # saturation of the light sensors [W/m²]; the actual light may be stronger
    even: float = 0.95  # fraction of the threshold, after removing the light, at which light and objects are equal
    steepness: float = 40.0  # of the transition from light to solid objects, per threshold
    weight: float = 2.0  # this source is more reliable than the others

    def score(self, detection: Detection) -> CauseScores | None:
        if detection.light is None:
            return None
        left = sum(self._remove_light(detection, i) for i in detection.sensors) / detection.threshold
        dazzled = max(float(detection.light[i]) for i in detection.sensors) >= 0.98 * self.full_scale
        if dazzled and left >= self.even:  # either the light is stronger, or there is an object
            return CauseScores(-DAZZLED, -DAZZLED, 0.0)
        solid = self.steepness * (left - self.even)
        light, things = (max(WORST, -math.log1p(math.exp(min(sign * solid, 50.0)))) for sign in (1.0, -1.0))
        return CauseScores(self.weight * things, self.weight * things, self.weight * light)

    def _remove_light(self, detection: Detection, sensor: int) -> float:
        """Return the counts of a sensor in the dark; echoes are inverse squares of distances and add up."""
        assert detection.light is not None
        echo = max(float(detection.distances[sensor]), 1e-3) ** -2 - self.sensitivity * float(detection.light[sensor])
        return detection.ring.find_counts(echo**-0.5) if echo > detection.ring.range**-2 else 0.0


@dataclass(frozen=True, kw_only=True)
class WallMap(EvidenceSource):
    """Compares the measured distance with the distance to the walls of a map, from the estimated pose."""

    walls: Floats  # segments x0, y0, x1, y1 [m], shape (n, 4)
    spread: float = 0.01  # standard deviation of the expected distance, from the uncertain pose [m]
    opening: float = 0.15  # half angle of the fan of rays that represents an uncertain heading [rad]

    def __post_init__(self) -> None:
        object.__setattr__(self, "walls", as_floats("WallMap: walls", self.walls))
        if self.walls.ndim != 2 or self.walls.shape[1] != 4:
            shape = self.walls.shape
            raise PaddockError(f"WallMap: walls: expected segments of shape (n, 4), x0, y0, x1, y1, got {shape}")

    def score(self, detection: Detection) -> CauseScores | None:
        if detection.pose is None:
            return None
        x, y, angle = place_sensor(detection, detection.pose)
        fan = angle + np.linspace(-self.opening, self.opening, 5)
        wall = _fit(float(cast_rays(x, y, fan, self.walls).min()), detection, self.spread)
        return CauseScores(wall=wall, light=LIT if wall > OTHER else OTHER)


@dataclass(frozen=True, kw_only=True)
class RobotReports(EvidenceSource):
    """Compares the measured distance with the distances to the positions that the other robots report."""

    radius: float = 0.037  # of the other robots [m]
    spread: float = 0.012  # standard deviation of the expected distance, from both uncertain poses [m]
    opening: float = 0.3  # maximum angle between a robot's edge and the sensor's axis [rad]

    def score(self, detection: Detection) -> CauseScores | None:
        if detection.pose is None or detection.others is None:
            return None
        x, y, angle = place_sensor(detection, detection.pose)
        expected = math.inf
        for other in detection.others:
            away = math.hypot(other[0] - x, other[1] - y)
            off = abs(math.remainder(math.atan2(other[1] - y, other[0] - x) - angle, math.tau))
            if off < math.asin(min(1.0, self.radius / max(away, 1e-9))) + self.opening:
                expected = min(expected, max(0.0, away - self.radius))
        robot = _fit(expected, detection, self.spread)
        return CauseScores(robot=robot, light=LIT if robot > OTHER else OTHER)


@dataclass(frozen=True, kw_only=True)
class CameraPicture(EvidenceSource):
    """Classifies the colours in the lower part of a picture, which shows the floor unless an object is just ahead.

    The e-puck's camera sees the floor from 6 cm on. An object that hides the floor there is nearer than 6 cm.
    """

    floor: Rgb
    wall: Rgb
    robots: Sequence[Rgb]  # colours of the other robots' bodies
    rows: float = 0.25  # fraction of the picture height that is used, from the lower edge
    columns: float = 0.5  # fraction of the picture width that is used, in the middle
    weight: float = 2.0  # of the logarithms of the fractions of pixels
    doubt: float = 0.02  # fraction of pixels that may have any colour
    _palette: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_palette", np.array([self.floor, self.wall, *self.robots], float))

    def score(self, detection: Detection) -> CauseScores | None:
        if detection.picture is None:
            return None
        height, width = detection.picture.shape[:2]
        first, aside = round(height * (1 - self.rows)), round(width * (1 - self.columns) / 2)
        pixels = detection.picture[first:, aside : width - aside].reshape(-1, 1, 3).astype(float)
        nearest = ((pixels - self._palette) ** 2).sum(axis=2).argmin(axis=1)
        shares = [float(np.mean(chosen)) for chosen in (nearest == 1, nearest > 1, nearest == 0)]
        wall, robot, light = (self.weight * math.log(min(1.0, share + self.doubt)) for share in shares)
        return CauseScores(wall, robot, max(light, 2 * LIT))


def place_sensor(detection: Detection, pose: Pose) -> tuple[float, float, float]:
    """Return the position [m] and direction [rad] of the detecting sensor in the world frame."""
    mx, my, bearing = detection.ring.mounts[detection.sensor]
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    return pose.x + c * mx - s * my, pose.y + s * mx + c * my, pose.heading + bearing


def cast_rays(x: float, y: float, angles: Floats, walls: Floats) -> Floats:
    """Return the distance [m] from a point along each angle to the nearest wall; infinity if there is none."""
    dx, dy = np.cos(angles)[:, None], np.sin(angles)[:, None]
    ex, ey = walls[:, 2] - walls[:, 0], walls[:, 3] - walls[:, 1]
    px, py = walls[:, 0] - x, walls[:, 1] - y
    across = dx * ey - dy * ex
    with np.errstate(divide="ignore", invalid="ignore"):
        along, share = (px * ey - py * ex) / across, (px * dy - py * dx) / across
    hit = (across != 0) & (along >= 0) & (share >= 0) & (share <= 1)
    nearest: Floats = np.where(hit, along, np.inf).min(axis=1, initial=np.inf)
    return nearest


def _fit(expected: float, detection: Detection, spread: float) -> float:
    """Return the score of an expected distance [m]."""
    return max(WORST, -0.5 * ((expected - detection.distance) / spread) ** 2)
