"""Path followers: compute the next twist from a path and the local map, within the wheels' limits, collision-free."""

from paddock.control.navigation.followers.dynamic_window import DynamicWindow
from paddock.control.navigation.followers.mppi import MPPI
from paddock.control.navigation.followers.path_follower import Follower
from paddock.control.navigation.followers.path_follower_registry import FOLLOWERS, make_follower
from paddock.control.navigation.followers.pure_pursuit import PurePursuit

__all__ = ["FOLLOWERS", "MPPI", "DynamicWindow", "Follower", "PurePursuit", "make_follower"]
