"""Obstacle classification: whether a detection was caused by a wall, another robot or ambient light."""

from paddock.control.obstacles.classifier import Classification, ObstacleClassifier
from paddock.control.obstacles.detection import CAUSES, Cause, CauseScores, Detection
from paddock.control.obstacles.evidence import AmbientLight, CameraPicture, EvidenceSource, RobotReports, WallMap
from paddock.control.obstacles.sensitivity import measure_sensitivity

__all__ = [
    "CAUSES",
    "AmbientLight",
    "CameraPicture",
    "Cause",
    "CauseScores",
    "Classification",
    "Detection",
    "EvidenceSource",
    "ObstacleClassifier",
    "RobotReports",
    "WallMap",
    "measure_sensitivity",
]
