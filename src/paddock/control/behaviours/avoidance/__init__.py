"""Obstacle avoidance on the path to a goal: from distances and an estimated pose to wheel speeds."""

from paddock.control.behaviours.avoidance.avoidance_registry import AVOIDANCE, find_avoidance, make_avoidance
from paddock.control.behaviours.avoidance.avoidance_strategy import DriveState, ObstacleAvoidance
from paddock.control.behaviours.avoidance.controller import AvoidingController
from paddock.control.behaviours.avoidance.distal import Distal
from paddock.control.behaviours.avoidance.planning import Planning
from paddock.control.behaviours.avoidance.proximal import Proximal
from paddock.control.behaviours.avoidance.ring import EPUCK_RING, ProximityRing

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
