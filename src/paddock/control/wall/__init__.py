"""Wall followers: from distances to wheel speeds, independent of the simulator."""

from paddock.control.wall.base import Follow, Side, WallFollower, follow_wall
from paddock.control.wall.fuzzy import FuzzyFollower
from paddock.control.wall.geometry import GeometryFollower
from paddock.control.wall.pid import PidFollower
from paddock.control.wall.registry import WALL_FOLLOWERS, list_numbers, make_wall_follower
from paddock.control.wall.ring import WallRing

__all__ = [
    "WALL_FOLLOWERS",
    "Follow",
    "FuzzyFollower",
    "GeometryFollower",
    "PidFollower",
    "Side",
    "WallFollower",
    "WallRing",
    "follow_wall",
    "list_numbers",
    "make_wall_follower",
]
