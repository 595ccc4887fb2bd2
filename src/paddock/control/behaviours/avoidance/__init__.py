"""Obstacle avoidance on the path to a goal: from distances and an estimated pose to wheel speeds."""

from paddock.control.behaviours.avoidance.avoidance_strategy import (
    AVOIDANCE,
    AvoidingController,
    DriveState,
    ObstacleAvoidance,
    find_avoidance,
    make_avoidance,
)
from paddock.control.behaviours.avoidance.planning import Planning
from paddock.control.behaviours.avoidance.proximity_ring import EPUCK_RING, ProximityRing
from paddock.control.behaviours.avoidance.reactive import Distal, Proximal

__all__ = [
    "AVOIDANCE",
    "EPUCK_RING",
    "AvoidingController",
    "Distal",
    "DriveState",
    "ObstacleAvoidance",
    "Planning",
    "Proximal",
    "ProximityRing",
    "find_avoidance",
    "make_avoidance",
]
