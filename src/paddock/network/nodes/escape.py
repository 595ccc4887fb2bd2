"""Escape from an obstacle after a stop: back up, then turn to the freer side until there is room ahead."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds
from paddock.perception.mapping.scan import Floats

BACK_DISTANCE = 0.15  # [m] as in AP2DX
BACK_SPEED, TURN_SPEED = 0.1, 0.1  # [m/s] at the rim
ROOM = 0.4  # [m] free distance required ahead of the body, as in AP2DX


class Escape:
    """An escape manoeuvre based on the points that range sensors measure.

    Args:
        outline: outline of the body [m], shape (corners, 2).
        points: obstacle points at the start, in the robot's frame [m], shape (n, 2).
        pose: pose of the robot by odometry.
    """

    def __init__(self, outline: Floats, points: Floats, pose: Pose) -> None:
        self.front, self.half_width = outline[:, 0].max(), np.abs(outline[:, 1]).max()
        self.start = pose
        self.backs = not self.has_room(points)
        ahead = points[points[:, 0] > 0]
        left = np.hypot(*ahead[ahead[:, 1] > 0].T).min(initial=math.inf)
        right = np.hypot(*ahead[ahead[:, 1] <= 0].T).min(initial=math.inf)
        self.side = 1.0 if left >= right else -1.0  # of the turn: 1 left, -1 right

    def has_room(self, points: Floats) -> bool:
        """Return whether the space ahead is free."""
        x, y = points.T
        return not ((x > 0) & (x < self.front + ROOM) & (np.abs(y) < self.half_width + 0.05)).any()

    def act(self, points: Floats, pose: Pose) -> WheelSpeeds | None:
        """Return wheel speeds [m/s]; None when the escape is finished."""
        if self.has_room(points):
            return None
        if self.backs and math.dist(pose[:2], self.start[:2]) < BACK_DISTANCE:
            return WheelSpeeds(-BACK_SPEED, -BACK_SPEED)
        self.backs = False
        return WheelSpeeds(-self.side * TURN_SPEED, self.side * TURN_SPEED)
