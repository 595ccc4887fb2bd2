"""Figures for the checks."""

import numpy as np

RADIUS = 0.037  # of an e-puck [m]


def end_gap(trace, world):
    """Distance of the robot's front from the wall at the end [m]."""
    return world.bounds[2] - trace.pose[-1, 0] - RADIUS


def final_distance(trace):
    """Distance that the robot drove in the last two seconds of the run [m]; NaN for a shorter run."""
    last = trace.pose[trace.time >= 28.0, :2]
    return np.hypot(*np.diff(last, axis=0).T).sum() if len(last) else np.nan
