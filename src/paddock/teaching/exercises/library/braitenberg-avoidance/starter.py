"""Braitenberg's explorer: each sensor slows down the wheel on the other side."""

import numpy as np

SPEED = 0.09  # [m/s] where nothing is near
#                       ps0  ps1  ps2  ps3  ps4  ps5  ps6  ps7: clockwise from the right of the nose
FROM_RIGHT = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
FROM_LEFT = FROM_RIGHT[::-1]


def act(observation):
    """Read the sensors and return the speeds of the left and the right wheel [m/s]. Called 25 times per second."""
    nearness = 1.0 - observation.proximity / 0.07  # 0 nothing there … 1 touching
    return SPEED - FROM_RIGHT @ nearness, SPEED - FROM_LEFT @ nearness
