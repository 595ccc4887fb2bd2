"""Wall followers: from distances to wheel speeds, independent of the simulator."""

from paddock.control.behaviours.wall.fuzzy import FuzzyFollower
from paddock.control.behaviours.wall.geometry import GeometryFollower
from paddock.control.behaviours.wall.pid import PidFollower
from paddock.control.behaviours.wall.wall_follower import (
    WALL_FOLLOWERS,
    Follow,
    Side,
    WallFollower,
    follow_wall,
    list_numbers,
    make_wall_follower,
)
from paddock.control.behaviours.wall.wall_ring import WallRing

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
