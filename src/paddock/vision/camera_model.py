"""CameraModel: a lens and where it hangs. It tells the pixel of a point, and the point of a pixel in a known plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.spec import Degrees, Description, Metres, Point, Spec
from paddock.vision.lens import Floats, Lens

Angles = Annotated[tuple[Degrees, Degrees], Description("[about the picture's x, about its y] in degrees")]
DOWN = np.diag([1.0, -1.0, -1.0])  # world to camera, for a camera that looks straight down with x to the right


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraPose(Spec):
    """Where a camera is. Without tilt it looks straight down; without turn the world's x goes right in its picture."""

    at: Point
    height: Metres
    tilt_deg: Angles = (0.0, 0.0)
    turn_deg: Degrees = 0.0  # of the camera about the vertical, counter-clockwise from above

    @property
    def place(self) -> Floats:
        """The lens's centre [m], shape (3)."""
        return np.array([*self.at, self.height])

    @property
    def rotation(self) -> Floats:
        """From the world's frame to the camera's (x right, y down, z ahead), shape (3, 3)."""
        a, b = (math.radians(angle) for angle in self.tilt_deg)
        turn = math.radians(self.turn_deg)
        about_x = np.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])
        about_y = np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
        about_z = np.array([[math.cos(turn), math.sin(turn), 0], [-math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
        rotation: Floats = about_x @ about_y @ DOWN @ about_z
        return rotation

    @classmethod
    def from_rotation(cls, rotation: ArrayLike, place: ArrayLike) -> Self:
        """The pose of a camera with that rotation (world to camera) and place [m]."""
        # R·DOWN = about_x · about_y · (DOWN · about_z · DOWN), whose last factor turns the other way about z.
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
    """All that is needed to measure in a picture."""

    lens: Lens
    pose: CameraPose

    def project(self, points: ArrayLike) -> Floats:
        """The pixels of points x, y, z [m] of the world; NaN where the lens shows none; shape (…, 2)."""
        return self.lens.project((np.asarray(points, float) - self.pose.place) @ self.pose.rotation.T)

    def find_slopes(self, pixels: ArrayLike) -> Floats:
        """How far [m] the rays of pixels go in x and y for each metre that they go down, shape (…, 2).

        Raises:
            SpecError: a pixel looks at the sky, or lies outside of what the lens can show.
        """
        rays = self.lens.find_rays(pixels)
        ahead = np.concatenate([rays, np.ones((*rays.shape[:-1], 1))], axis=-1) @ self.pose.rotation
        return np.asarray(ahead[..., :2] / -ahead[..., 2:])

    def locate(self, pixels: ArrayLike, height: float) -> Floats:
        """The points x, y [m] of the horizontal plane at that height that pixels show, shape (…, 2)."""
        return self.find_slopes(pixels) * (self.pose.height - height) + self.pose.at

    def scale_at(self, x: float, y: float, height: float, *, step: float = 1e-4) -> Floats:
        """How pixels move with a point at that height [pixels per metre], shape (2, 2): columns x and y."""
        points = np.array([[x + step, y, height], [x - step, y, height], [x, y + step, height], [x, y - step, height]])
        right, left, up, down = self.project(points)
        return np.stack([right - left, up - down], axis=-1) / (2 * step)
