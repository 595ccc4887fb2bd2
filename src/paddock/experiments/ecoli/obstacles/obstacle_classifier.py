"""ObstacleClassifier: decides whether a detection was caused by a wall, another robot or ambient light."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paddock.control.behaviours.avoidance import EPUCK_RING, ProximityRing
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose
from paddock.core.observation import as_floats

Cause = Literal["wall", "robot", "light"]
CAUSES: tuple[Cause, ...] = ("wall", "robot", "light")
WORST = -8.0  # lowest score, because any source may sometimes be wrong
OTHER = -2.5  # score of causes about which a source has no information
LIT = -1.0  # score of light if a solid object is detected as well: the light may have exceeded the threshold
DAZZLED = 0.5  # score advantage of light if the light sensors are saturated
Floats = NDArray[np.float64]
Rgb = tuple[int, int, int]
CLEAR = 0.1  # minimum score difference between the two best causes; below it the cause is unknown
LIT_SHARE = 0.5  # of the light on the brightest sensor; sensors with less light are not used
CLIPPED = 0.98  # of the light sensors' full scale
DARK, FULL_SCALE = 4095.0, 2.0  # counts of the e-puck's light sensors without light, and the light [W/m²] of 0 counts


class CauseScores(NamedTuple):
    """Score of each cause: logarithm of its likelihood, at most 0."""

    wall: float = OTHER
    robot: float = OTHER
    light: float = OTHER


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Detection:
    """The data of a robot at the time of a detection by its proximity sensors; unavailable data is None."""

    distances: Sequence[float]  # of all sensors [m]
    side: float  # -1 right, 1 left
    threshold: float  # exceeded by the sum of the counts of this side's two sensors
    pose: Pose | None = None  # estimated
    light: Sequence[float] | None = None  # ambient light on the same sensors [W/m²]
    others: Sequence[Point] | None = None  # positions reported by the other robots [m]
    picture: NDArray[np.uint8] | None = None  # of the camera, pointed at the detection; [row, column, rgb]
    ring: ProximityRing = EPUCK_RING

    @property
    def sensors(self) -> tuple[int, ...]:
        """Indices of the two sensors on the side of the detection."""
        return self.ring.right if self.side < 0 else self.ring.left

    @property
    def sensor(self) -> int:
        """Index of the one of both sensors with the shorter distance."""
        return min(self.sensors, key=lambda i: self.distances[i])

    @property
    def distance(self) -> float:
        """Distance measured by that sensor [m]."""
        return float(self.distances[self.sensor])


class EvidenceSource(ABC):
    """A source of evidence about detections."""

    @abstractmethod
    def score(self, detection: Detection) -> CauseScores | None:
        """Return the score of each cause; None if the detection lacks the input of this source."""


@dataclass(frozen=True, kw_only=True)
class AmbientLight(EvidenceSource):
    """Compares the detection with the ambient light that the same infrared sensors measure without their own lamps."""

    sensitivity: float  # echo caused by 1 W/m² [1/m²]; see `measure_sensitivity`
    full_scale: float = FULL_SCALE  # saturation of the light sensors [W/m²]; the actual light may be stronger
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
        assert detection.light is not None
        distance, light = float(detection.distances[sensor]), float(detection.light[sensor])
        return remove_light(distance, light, self.sensitivity, detection.ring)


def remove_light(distance: float, light: float, sensitivity: float, ring: ProximityRing = EPUCK_RING) -> float:
    """Return the counts of a sensor in the dark; echoes are inverse squares of distances and add up.

    Args:
        distance: measured by the sensor [m].
        light: on the sensor [W/m²].
        sensitivity: echo caused by 1 W/m² [1/m²].
        ring: the sensors.
    """
    echo = max(distance, 1e-3) ** -2 - sensitivity * light
    return ring.find_counts(echo**-0.5) if echo > ring.range**-2 else 0.0


def find_light(counts: Sequence[float]) -> list[float]:
    """Return the light [W/m²] for raw readings of an e-puck's light sensors."""
    return [FULL_SCALE * (1.0 - float(number) / DARK) for number in counts]


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Classification:
    """The most probable cause of a detection."""

    cause: Cause | None  # None: two causes fit equally well
    scores: CauseScores  # sums over all sources

    @property
    def probabilities(self) -> dict[Cause, float]:
        """Probability of each cause, assuming equal prior probabilities."""
        weights = [math.exp(score - max(self.scores)) for score in self.scores]
        return {cause: weight / sum(weights) for cause, weight in zip(CAUSES, weights, strict=True)}


class ObstacleClassifier:
    """Adds up the scores of several sources of evidence. Sources whose input is missing are left out.

    A single source separates only some causes. A map, for example, separates walls from other causes. The cause may
    then be None.
    """

    def __init__(self, *sources: EvidenceSource) -> None:
        if not sources:
            raise PaddockError("ObstacleClassifier: expected at least one source of evidence, such as WallMap(walls=…)")
        self.sources: Sequence[EvidenceSource] = sources

    def classify(self, detection: Detection) -> Classification:
        """Return the most probable cause of a detection."""
        found = [scores for source in self.sources if (scores := source.score(detection)) is not None]
        total = CauseScores(*(sum(column) for column in zip(*found, strict=True))) if found else CauseScores()
        ranked = sorted(zip(total, CAUSES, strict=True), reverse=True)
        clear = ranked[0][0] - ranked[1][0] >= CLEAR
        return Classification(cause=ranked[0][1] if clear else None, scores=total)


def measure_sensitivity(
    distances: ArrayLike, light: ArrayLike, *, ring: ProximityRing = EPUCK_RING, full_scale: float = FULL_SCALE
) -> float:
    """Return the echo caused by 1 W/m² [1/m²], for `AmbientLight`.

    A solid object in front of a sensor can only increase its echo. The lowest ratio of echo and light is therefore
    used. It is sufficient that one of the brighter sensors detects light only.

    Args:
        distances: sensor readings while the robot is stationary [m], shape (reading, sensor); 25 readings suffice.
        light: light on the same sensors in the same readings [W/m²], same shape.
        ring: the sensors.
        full_scale: saturation of the light sensors [W/m²].

    Raises:
        PaddockError: no sensor receives enough light, or all that do are saturated.
    """
    tables = as_floats("measure_sensitivity: distances", distances), as_floats("measure_sensitivity: light", light)
    seen, lit = (np.median(np.atleast_2d(table), axis=0) for table in tables)
    if seen.shape != lit.shape or not (np.isfinite(seen).all() and np.isfinite(lit).all()):
        raise PaddockError(
            "measure_sensitivity: expected finite distances and light of the same sensors, shape (reading, sensor), "
            f"got {np.shape(distances)} and {np.shape(light)}"
        )
    usable = (seen < ring.range) & (lit > 0) & (lit < CLIPPED * full_scale)
    usable &= lit >= LIT_SHARE * lit.max(initial=0.0, where=usable)
    if not usable.any():
        raise PaddockError(
            f"measure_sensitivity: the light causes no echo within {ring.range:g} m on any sensor, the maximum is "
            f"{lit.max():.2g} W/m²: turn the robot towards a lamp, and keep below {full_scale:g} W/m²"
        )
    return float((np.maximum(seen[usable], 1e-3) ** -2 / lit[usable]).min())
