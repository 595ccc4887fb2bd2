"""Braitenberg's explorer: each sensor slows down the wheel on the other side, so that the robot turns away.

In a corner both sides detect a wall, and the robot would oscillate. So it keeps turning to the side that it chose
first, until the path ahead is free.
"""

import numpy as np

SPEED = 0.1
#                              ps0  ps1  ps2  ps3  ps4  ps5  ps6  ps7
FROM_RIGHT = SPEED * np.array([1.6, 1.2, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0])
FROM_LEFT = FROM_RIGHT[::-1]


class Controller:
    def __init__(self):
        self.turning = 0.0  # 1 left, -1 right, 0 not at all

    def act(self, observation):
        nearness = 1.0 - np.minimum(observation.proximity, 0.07) / 0.07
        right, left = FROM_RIGHT @ nearness, FROM_LEFT @ nearness
        if nearness[[0, 1, 6, 7]].max() < 0.15:
            self.turning = 0.0
        elif not self.turning and min(nearness[0], nearness[7]) > 0.2:
            self.turning = 1.0 if right > left else -1.0
        if self.turning:
            return -0.6 * SPEED * self.turning, 0.6 * SPEED * self.turning
        return SPEED - right, SPEED - left
