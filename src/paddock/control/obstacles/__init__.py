"""Obstacle classification: whether a detection was caused by a wall, another robot or ambient light."""

from paddock.control.obstacles.classifier import ObstacleClassifier, Verdict
from paddock.control.obstacles.detection import CAUSES, Cause, CauseScores, Detection
from paddock.control.obstacles.means import AmbientLight, CameraPicture, Means, RobotReports, WallMap
from paddock.control.obstacles.sensitivity import measure_sensitivity

__all__ = [
    "CAUSES",
    "AmbientLight",
    "CameraPicture",
    "Cause",
    "CauseScores",
    "Detection",
    "Means",
    "ObstacleClassifier",
    "RobotReports",
    "Verdict",
    "WallMap",
    "measure_sensitivity",
]
