"""Obstacle classification: whether a detection was caused by a wall, another robot or ambient light."""

from paddock.experiments.ecoli.obstacles.obstacle_classifier import (
    CAUSES,
    AmbientLight,
    CameraPicture,
    Cause,
    CauseScores,
    Classification,
    Detection,
    EvidenceSource,
    ObstacleClassifier,
    RobotReports,
    WallMap,
    find_light,
    measure_sensitivity,
    remove_light,
)

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
    "find_light",
    "measure_sensitivity",
    "remove_light",
]
