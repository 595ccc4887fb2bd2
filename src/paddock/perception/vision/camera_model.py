"""CameraModel: a lens and its pose. Maps points to pixels, and pixels to points of a known horizontal plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.errors import SpecError
from paddock.core.spec import Degrees, Description, Metres, Point, Spec
from paddock.perception.vision.lens import Floats, Lens

Angles = Annotated[tuple[Degrees, Degrees], Description("[about the picture's x, about its y] in degrees")]
DOWN = np.diag([1.0, -1.0, -1.0])  # world to camera, for a camera that looks straight down with x to the right


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
