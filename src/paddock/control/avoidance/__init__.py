"""Obstacle avoidance on the path to a goal: from distances and an estimated pose to wheel speeds."""

from paddock.control.avoidance.base import DriveState, ObstacleAvoidance
from paddock.control.avoidance.controller import AvoidingController
from paddock.control.avoidance.distal import Distal
from paddock.control.avoidance.planning import Planning
from paddock.control.avoidance.proximal import Proximal
from paddock.control.avoidance.registry import AVOIDANCE, find_avoidance, make_avoidance
from paddock.control.avoidance.ring import EPUCK_RING, ProximityRing

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
