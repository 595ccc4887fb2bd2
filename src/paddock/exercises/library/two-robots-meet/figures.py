"""What the checks measure."""

import numpy as np
from paddock.exercises import follow_line


def rounds(trace, world):
    """How many rounds the robot went along the line, in the direction in which it looked at the start."""
    line = follow_line(trace, world)
    return line.laps[-1] if abs(line.heading[0]) < np.pi / 2 else -line.laps[-1]


def passes(episode, world):
    """How often the two robots passed each other. They begin half a round apart, and drive towards each other."""
    one, other = (follow_line(record.trace, world).laps for record in episode.robots.values())
    driven = abs(one[-1] - other[-1])  # by both together; after half a round they meet, then after every whole one
    return np.floor(driven + 0.5 - 0.05)
