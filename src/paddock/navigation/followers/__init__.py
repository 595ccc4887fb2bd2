"""Followers: from a path and what is near to the next twist, within what wheels can do, touching nothing."""

from paddock.navigation.followers.base import Follower
from paddock.navigation.followers.dynamic_window import DynamicWindow
from paddock.navigation.followers.mppi import MPPI
from paddock.navigation.followers.pure_pursuit import PurePursuit
from paddock.navigation.followers.registry import FOLLOWERS, make_follower

__all__ = ["FOLLOWERS", "MPPI", "DynamicWindow", "Follower", "PurePursuit", "make_follower"]
