"""A mistake that shows with some seeds only: in a corner both sides see a wall, and the robot swings to and fro."""

import numpy as np

SPEED = 0.1
FROM_RIGHT = SPEED * np.array([2.4, 1.4, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
FROM_LEFT = FROM_RIGHT[::-1]


def act(observation):
    nearness = 1.0 - np.minimum(observation.proximity, 0.07) / 0.07
    return SPEED - FROM_RIGHT @ nearness, SPEED - FROM_LEFT @ nearness
