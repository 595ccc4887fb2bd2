"""Path followers: compute the next twist from a path and the local map, within the wheels' limits, collision-free."""

from paddock.navigation.followers.base import Follower
from paddock.navigation.followers.dynamic_window import DynamicWindow
from paddock.navigation.followers.mppi import MPPI
from paddock.navigation.followers.pure_pursuit import PurePursuit
from paddock.navigation.followers.registry import FOLLOWERS, make_follower

__all__ = ["FOLLOWERS", "MPPI", "DynamicWindow", "Follower", "PurePursuit", "make_follower"]
