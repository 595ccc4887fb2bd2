"""CameraModel: lens and pose of a camera, from points in the world to pixels and back."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paddock.core.errors import SpecError
from paddock.core.spec import Degrees, Description, Metres, Number, Point, Spec

Floats = NDArray[np.float64]
Pixels = Annotated[int, Number("pixels", low=16, high=8192)]
PixelLength = Annotated[float, Number("pixels", above=0, limit=1e6)]
PixelPlace = Annotated[float, Number("pixels", limit=1e6)]
Coefficient = Annotated[float, Number("a coefficient", limit=100)]
ROUNDS = 30  # iterations of Newton's method; three are enough except at the edge of a strongly distorting lens
CLOSE = 1e-10  # tolerance of the iteration [in units of the focal length]
Angles = Annotated[tuple[Degrees, Degrees], Description("[about the picture's x, about its y] in degrees")]
DOWN = np.diag([1.0, -1.0, -1.0])  # world to camera, for a camera that looks straight down with x to the right


@dataclass(frozen=True, kw_only=True, slots=True)
class Lens(Spec):
    """A lens with its sensor, in OpenCV's convention: (0, 0) is the middle of the upper left pixel, y points down."""

    size: Annotated[tuple[Pixels, Pixels], Description("[width, height] in pixels")]
    focal: Annotated[tuple[PixelLength, PixelLength], Description("[fx, fy] in pixels")]
    centre: Annotated[tuple[PixelPlace, PixelPlace], Description("[cx, cy] in pixels")]
    k1: Coefficient = 0.0  # radial
    k2: Coefficient = 0.0
    p1: Coefficient = 0.0  # tangential
    p2: Coefficient = 0.0

    @property
    def matrix(self) -> Floats:
        """The camera matrix, shape (3, 3)."""
        return np.array([[self.focal[0], 0, self.centre[0]], [0, self.focal[1], self.centre[1]], [0, 0, 1.0]])

    @property
    def coefficients(self) -> Floats:
        """k1, k2, p1, p2."""
        return np.array([self.k1, self.k2, self.p1, self.p2])

    @property
    def widest(self) -> float:
        """Tangent of the angle from the axis beyond which the distortion folds back to the centre; inf if never."""
        # The radius r + k1 r³ + k2 r⁵ grows while 1 + 3 k1 r² + 5 k2 r⁴ > 0.
        roots = np.roots([5 * self.k2, 3 * self.k1, 1.0])
        found = [root.real for root in np.atleast_1d(roots) if abs(root.imag) < 1e-12 and root.real > 0]
        return math.sqrt(min(found)) if found else math.inf

    def scale_to(self, size: tuple[int, int]) -> Self:
        """Return the same lens for pictures of another size (width, height) with the same aspect ratio.

        Raises:
            SpecError: the aspect ratio differs, so that a part of the lens's view is cut off.
        """
        if size == self.size:
            return self
        (width, height), (old_width, old_height) = size, self.size
        if abs(width * old_height - height * old_width) > max(self.size):  # more than half a pixel's rounding
            raise SpecError(
                f"the lens was calibrated with pictures of {old_width} × {old_height} pixels, these have "
                f"{width} × {height}, another aspect ratio: set the camera to the calibrated size, or calibrate again"
            )
        across, down = width / old_width, height / old_height
        return replace(
            self,
            size=size,
            focal=(self.focal[0] * across, self.focal[1] * down),
            centre=((self.centre[0] + 0.5) * across - 0.5, (self.centre[1] + 0.5) * down - 0.5),
        )

    def check_size(self, picture: NDArray[np.uint8]) -> None:
        """Raise an error if a picture does not have the size of this lens."""
        size = picture.shape[1], picture.shape[0]
        if size != self.size:
            raise SpecError(
                f"a picture of {size[0]} × {size[1]} pixels, but the lens is for {self.size[0]} × {self.size[1]}: "
                f"use lens.scale_to({size}) and estimate the camera's pose with it"
            )

    def project(self, directions: ArrayLike) -> Floats:
        """Return the pixels of directions or points in the camera's frame (x right, y down, z ahead), shape (…, 2).

        Points behind the camera or beyond its widest angle give NaN.
        """
        d = np.asarray(directions, float)
        with np.errstate(divide="ignore", invalid="ignore"):
            flat = d[..., :2] / d[..., 2:]
        flat = np.where((d[..., 2:] > 0) & (np.hypot(flat[..., :1], flat[..., 1:]) < self.widest), flat, np.nan)
        return np.asarray(self.distort(flat) * self.focal + self.centre)

    def find_rays(self, pixels: ArrayLike) -> Floats:
        """Return the directions of pixels as x and y at z = 1, shape (…, 2).

        Raises:
            SpecError: a pixel has no direction, because the distortion is too strong for the picture size.
        """
        wanted = (np.asarray(pixels, float) - self.centre) / self.focal
        rays = wanted.copy()
        worst = 0.0
        for _ in range(ROUNDS):
            error = self.distort(rays) - wanted
            worst = float(np.abs(error).max(initial=0.0))
            if worst < CLOSE:
                break
            rays -= _solve(self.distortion_slope(rays), error)
        if not worst < CLOSE or np.hypot(rays[..., 0], rays[..., 1]).max(initial=0.0) >= self.widest:
            raise SpecError(
                "the distortion folds the picture's edge: expected a weaker k1 and k2, or a longer focal length",
                path="k1",
            )
        return rays

    def distort(self, flat: Floats) -> Floats:
        """Apply the distortion to points of the plane z = 1, shape (…, 2)."""
        x, y = flat[..., 0], flat[..., 1]
        square = x * x + y * y
        radial = 1 + square * (self.k1 + square * self.k2)
        return np.stack(
            [
                x * radial + 2 * self.p1 * x * y + self.p2 * (square + 2 * x * x),
                y * radial + self.p1 * (square + 2 * y * y) + 2 * self.p2 * x * y,
            ],
            axis=-1,
        )

    def distortion_slope(self, flat: Floats) -> Floats:
        """Return the derivative of `distort`, shape (…, 2, 2)."""
        x, y = flat[..., 0], flat[..., 1]
        square = x * x + y * y
        radial = 1 + square * (self.k1 + square * self.k2)
        growth = 2 * self.k1 + 4 * self.k2 * square
        cross = growth * x * y + 2 * self.p1 * x + 2 * self.p2 * y
        slope = np.empty((*flat.shape[:-1], 2, 2))
        slope[..., 0, 0] = radial + growth * x * x + 2 * self.p1 * y + 6 * self.p2 * x
        slope[..., 0, 1] = slope[..., 1, 0] = cross
        slope[..., 1, 1] = radial + growth * y * y + 6 * self.p1 * y + 2 * self.p2 * x
        return slope


def _solve(matrices: Floats, vectors: Floats) -> Floats:
    """Solve many systems of two linear equations."""
    a, b, c, d = matrices[..., 0, 0], matrices[..., 0, 1], matrices[..., 1, 0], matrices[..., 1, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1 / (a * d - b * c)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([(d * x - b * y) * scale, (a * y - c * x) * scale], axis=-1)


def rotate_about_axes(*angles_deg: float) -> tuple[Floats, Floats, Floats]:
    """Return the rotations about the axes x, y and z by angles [degrees], shape (3, 3) each."""
    (a, b, c), (sa, sb, sc) = ([f(math.radians(angle)) for angle in angles_deg] for f in (math.cos, math.sin))
    about_x, about_y = [[1, 0, 0], [0, a, -sa], [0, sa, a]], [[b, 0, sb], [0, 1, 0], [-sb, 0, b]]
    return np.array(about_x), np.array(about_y), np.array([[c, -sc, 0], [sc, c, 0], [0, 0, 1]])


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraPose(Spec):
    """Pose of a camera. Without tilt it looks straight down; without turn the world's x axis points right."""

    at: Point
    height: Metres
    tilt_deg: Angles = (0.0, 0.0)
    turn_deg: Degrees = 0.0  # rotation about the vertical, counter-clockwise from above

    @property
    def place(self) -> Floats:
        """Position of the lens's centre [m], shape (3)."""
        return np.array([*self.at, self.height])

    @property
    def rotation(self) -> Floats:
        """Rotation from the world's frame to the camera's (x right, y down, z ahead), shape (3, 3)."""
        about_x, about_y, about_z = rotate_about_axes(*self.tilt_deg, -self.turn_deg)
        rotation: Floats = about_x @ about_y @ DOWN @ about_z
        return rotation

    @classmethod
    def from_rotation(cls, rotation: ArrayLike, place: ArrayLike) -> Self:
        """Return the pose with a rotation (world to camera) and a position [m]."""
        # R·DOWN = about_x · about_y · (DOWN · about_z · DOWN); the last factor is the inverse rotation about z.
        m = np.asarray(rotation, float) @ DOWN
        x, y, z = (float(value) for value in np.asarray(place, float).ravel())
        return cls(
            at=(x, y),
            height=z,
            tilt_deg=(
                math.degrees(math.atan2(-m[1, 2], m[2, 2])),
                math.degrees(math.asin(min(1.0, max(-1.0, m[0, 2])))),
            ),
            turn_deg=math.degrees(math.atan2(-m[0, 1], m[0, 0])),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraModel(Spec):
    """Lens and pose of a camera, for measurements in its pictures."""

    lens: Lens
    pose: CameraPose

    def project(self, points: ArrayLike) -> Floats:
        """Return the pixels of points x, y, z [m] of the world, shape (…, 2); NaN outside the lens's view."""
        return self.lens.project((np.asarray(points, float) - self.pose.place) @ self.pose.rotation.T)

    def find_slopes(self, pixels: ArrayLike) -> Floats:
        """Return the horizontal distance in x and y [m] per metre of descent along the rays of pixels, shape (…, 2).

        Raises:
            SpecError: the ray of a pixel points upwards, or the pixel is outside the lens's view.
        """
        rays = self.lens.find_rays(pixels)
        ahead = np.concatenate([rays, np.ones((*rays.shape[:-1], 1))], axis=-1) @ self.pose.rotation
        if not (ahead[..., 2] < 0).all():
            raise SpecError("a part of the picture shows the horizon: expected less tilt", path="tilt_deg")
        return np.asarray(ahead[..., :2] / -ahead[..., 2:])

    def locate(self, pixels: ArrayLike, height: float) -> Floats:
        """Return the points x, y [m] of pixels in the horizontal plane at a height [m], shape (…, 2)."""
        return self.find_slopes(pixels) * (self.pose.height - height) + self.pose.at

    def scale_at(self, x: float, y: float, height: float, *, step: float = 1e-4) -> Floats:
        """Return the derivative of the pixel by the point's x and y at a height [pixels per metre], shape (2, 2)."""
        points = np.array([[x + step, y, height], [x - step, y, height], [x, y + step, height], [x, y - step, height]])
        right, left, up, down = self.project(points)
        return np.stack([right - left, up - down], axis=-1) / (2 * step)
