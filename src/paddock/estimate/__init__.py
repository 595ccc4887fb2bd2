"""Estimation: what a robot can know about itself from its own sensors."""

from paddock.estimate.odometry import AngleUnwrapper, Odometry, compass_bearing

__all__ = ["AngleUnwrapper", "Odometry", "compass_bearing"]
