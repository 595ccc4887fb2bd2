"""What the checks measure."""

import numpy as np
from paddock.exercises import follow_line

NEAR = 0.05  # [m] from the line: farther away no way counts


def laps(trace, world):
    """How many times the robot went round along the line, in either direction; ways beside the line do not count."""
    line = follow_line(trace, world)
    near = line.away < NEAR
    return abs(np.diff(line.laps)[near[1:] & near[:-1]].sum())
