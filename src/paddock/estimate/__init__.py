"""Estimation: what a robot can know about itself from its own sensors."""

from paddock.estimate.odometry import Odometry, Unwrapped, compass_bearing

__all__ = ["Odometry", "Unwrapped", "compass_bearing"]
