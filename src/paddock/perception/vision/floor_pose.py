"""SiteSpec: the markers on the floor and on the robots; and the pose of the camera from those on the floor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np

from paddock.core.errors import PaddockError, SpecError
from paddock.core.spec import (
    Degrees,
    Metres,
    MetresOrZero,
    Name,
    Number,
    Point,
    Spec,
    refuse_duplicates,
    spec_from_table,
)
from paddock.core.toml import TomlName, read_toml_file
from paddock.perception.vision.calibration import MARKERS, root_mean_square
from paddock.perception.vision.camera_model import CameraModel, CameraPose, Floats, Lens
from paddock.perception.vision.opencv import import_opencv

MarkerNumber = Annotated[int, Number("a marker's number", low=0, high=MARKERS - 1)]
LEAST_MARKERS = 4
LEAST_AGREEING = 3
FARTHEST_PIXELS = 3.0
MOST_RESIDUAL = 0.4  # [pixels] with the right lens and positions 0.03 to 0.15, also in noisy pictures


@dataclass(frozen=True, kw_only=True, slots=True)
class FloorMarker(Spec):
    """A marker on the floor with the position of its centre. Its top points along the world's y axis, unless turned."""

    marker: MarkerNumber
    at: Point
    turn_deg: Degrees = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkedRobot(Spec):
    """A robot with a marker whose top points ahead, centred above its axle."""

    name: Name
    marker: MarkerNumber
    size: Metres = 0.052
    height: MetresOrZero = 0.055  # height of the marker above the floor


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteSpec(Spec):
    """The markers of a laboratory."""

    floor_size: Metres = 0.08
    floor: tuple[FloorMarker, ...] = ()
    robots: tuple[MarkedRobot, ...] = ()

    def check(self) -> None:
        refuse_duplicates([robot.name for robot in self.robots], "robots[{}].name")
        seen: set[int] = set()
        numbers = {
            **{f"floor[{i}].marker": entry.marker for i, entry in enumerate(self.floor)},
            **{f"robots[{i}].marker": robot.marker for i, robot in enumerate(self.robots)},
        }
        for path, number in numbers.items():
            if number in seen:
                raise SpecError(f"expected different markers, got {number} twice", path=path)
            seen.add(number)

    def floor_corners(self, marker: FloorMarker) -> Floats:
        """Return the corners [m] of a marker on the floor, clockwise from its upper left, shape (4, 3)."""
        turn = np.radians(marker.turn_deg)
        turned = marker_corners(self.floor_size) @ np.array(
            [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
        )
        return np.column_stack([turned + marker.at, np.zeros(4)])


def marker_corners(size: float) -> Floats:
    """Return the corners of a marker around its centre, x right, y up, clockwise from the upper left, shape (4, 2)."""
    half = size / 2
    return np.array([[-half, half], [half, half], [half, -half], [-half, -half]])


def load_site(path: str | Path) -> SiteSpec:
    """Load a site's TOML file."""
    file = Path(path)
    return spec_from_table(SiteSpec, read_toml_file(file), file=TomlName(file))


@dataclass(frozen=True, kw_only=True)
class FloorPose:
    """The pose of a camera and its uncertainty."""

    camera: CameraModel
    rms: float  # reprojection error of the corners [pixels]
    markers: tuple[int, ...]  # markers that agree with the pose
    outliers: tuple[int, ...]  # markers that do not: they were moved, or their positions are wrong
    corner_noise: float  # standard deviation of a corner's x and y [pixels]
    turn_and_shift: Floats  # world to camera: rotation vector [rad] and translation [m], shape (6)
    covariance: Floats  # of `turn_and_shift`, shape (6, 6)

    @property
    def problem(self) -> str:
        """Why measured poses may be farther off than their covariance says; empty if lens and markers fit."""
        if self.rms <= MOST_RESIDUAL:
            return ""
        return (
            f"the lens or the positions of the markers do not fit the picture: the markers on the floor are off by "
            f"{self.rms:.2f} pixels, expected at most {MOST_RESIDUAL:g}; poses may be off by several times their ±"
        )

    def place_covariance(self, x: float, y: float, height: float) -> Floats:
        """Return the covariance of a measured position at a height due to the pose's uncertainty [m²], shape (2, 2)."""
        cv2 = import_opencv("finding the camera's pose")
        lens = self.camera.lens
        point = np.array([[x, y, height]])
        turn, shift = self.turn_and_shift[:3], self.turn_and_shift[3:]
        _, slope = cv2.projectPoints(point, turn, shift, lens.matrix, lens.coefficients)
        to_place = np.linalg.inv(self.camera.scale_at(x, y, height)) @ slope[:, :6]
        return np.asarray(to_place @ self.covariance @ to_place.T)


def find_camera_pose(
    lens: Lens, site: SiteSpec, seen: Mapping[int, Floats], *, tolerance: float = FARTHEST_PIXELS
) -> FloorPose:
    """Estimate the pose of a camera from markers on the floor.

    Args:
        lens: the calibrated lens.
        site: the positions of the markers.
        seen: the corners of markers in a picture, as returned by `find_markers`.
        tolerance: maximum reprojection error of a corner [pixels]; a marker with a larger error is an outlier.
    """
    cv2 = import_opencv("finding the camera's pose")
    known = [marker for marker in site.floor if marker.marker in seen]
    if len(known) < LEAST_MARKERS:
        missing = sorted({marker.marker for marker in site.floor} - set(seen))
        raise PaddockError(
            f"the camera's pose needs at least {LEAST_MARKERS} markers on the floor, found {len(known)}"
            f"{f': {missing} not found' if missing else ''}: uncover them, or add more markers"
        )
    corners = np.array([site.floor_corners(marker) for marker in known])
    pixels = np.array([seen[marker.marker] for marker in known])
    whole = _agreeing(lens, corners, pixels, tolerance)
    if len(whole) < LEAST_AGREEING:
        raise PaddockError(
            "the markers on the floor do not match the site file: expected them at its positions [m], "
            f"only {len(whole)} of {len(known)} agree; is it the right site, or world?"
        )
    points, pixels = corners[whole].reshape(-1, 3), pixels[whole].reshape(-1, 2)
    turn, shift = _solve(lens, points, pixels)
    expected, slope = cv2.projectPoints(points, turn, shift, lens.matrix, lens.coefficients)
    errors = pixels - expected.reshape(-1, 2)
    noise = float(np.sqrt((errors**2).sum() / max(1, errors.size - 6)))
    slope = slope[:, :6]
    rotation, _ = cv2.Rodrigues(turn)
    pose = CameraPose.from_rotation(rotation, -rotation.T @ shift.ravel())
    return FloorPose(
        camera=CameraModel(lens=lens, pose=pose),
        rms=root_mean_square(errors),
        markers=tuple(known[i].marker for i in whole),
        outliers=tuple(marker.marker for i, marker in enumerate(known) if i not in whole),
        corner_noise=noise,
        turn_and_shift=np.concatenate([turn.ravel(), shift.ravel()]),
        covariance=np.linalg.inv(slope.T @ slope) * noise**2,
    )


def _agreeing(lens: Lens, corners: Floats, pixels: Floats, tolerance: float) -> list[int]:
    """Return the largest group of markers that agree with one pose, among the poses of all groups of three."""
    best: tuple[int, float, list[int]] = (0, 0.0, [])
    for trio in combinations(range(len(corners)), LEAST_AGREEING):
        chosen = list(trio)
        turn, shift = _solve(lens, corners[chosen].reshape(-1, 3), pixels[chosen].reshape(-1, 2))
        cv2 = import_opencv("finding the camera's pose")
        expected, _ = cv2.projectPoints(corners.reshape(-1, 3), turn, shift, lens.matrix, lens.coefficients)
        miss = np.hypot(*(pixels.reshape(-1, 2) - expected.reshape(-1, 2)).T).reshape(-1, 4).max(axis=1)
        agree = np.flatnonzero(miss < tolerance).tolist()
        best = max(best, (len(agree), -float(miss[agree].sum()), agree))
    return best[2]


def _solve(lens: Lens, points: Floats, pixels: Floats) -> tuple[Floats, Floats]:
    """Return rotation vector and translation, world to camera, for points of a plane."""
    cv2 = import_opencv("finding the camera's pose")
    _, turn, shift = cv2.solvePnP(points, pixels, lens.matrix, lens.coefficients, flags=cv2.SOLVEPNP_IPPE)
    turn, shift = cv2.solvePnPRefineLM(points, pixels, lens.matrix, lens.coefficients, turn, shift)
    return turn, shift
