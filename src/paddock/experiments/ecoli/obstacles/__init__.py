"""Obstacle classification: whether a detection was caused by a wall, another robot or ambient light."""

from paddock.experiments.ecoli.obstacles.classifier import Classification, ObstacleClassifier
from paddock.experiments.ecoli.obstacles.detection import CAUSES, Cause, CauseScores, Detection
from paddock.experiments.ecoli.obstacles.evidence import (
    AmbientLight,
    CameraPicture,
    EvidenceSource,
    RobotReports,
    WallMap,
)
from paddock.experiments.ecoli.obstacles.sensitivity import measure_sensitivity

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
