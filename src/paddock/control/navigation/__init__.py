"""Navigation on maps: cost maps, path planners, path followers, frontiers, exploration."""

from paddock.control.navigation.costmap import CostMap, Inflation, transform_distance
from paddock.control.navigation.dstar_lite import DStarLite
from paddock.control.navigation.exploration import EXPLORATION, ExplorationMethod, Explorer, Situation
from paddock.control.navigation.followers import FOLLOWERS, Follower, PurePursuit, make_follower
from paddock.control.navigation.frontiers import Frontier, find_frontiers
from paddock.control.navigation.goal_policy import GoalPolicy, PolicyFollower
from paddock.control.navigation.grid_search import SearchTree, search_grid
from paddock.control.navigation.navigator import Navigator
from paddock.control.navigation.path_driver import RECOVERIES, PathDriver, Recovery, RecoverySequence
from paddock.control.navigation.path_points import path_length, resample, smooth_path
from paddock.control.navigation.predicting_followers import MPPI, DynamicWindow
from paddock.control.navigation.vehicle import DriveLimits, Footprint, Twist
from paddock.core.geometry import rectangle

__all__ = [
    "EXPLORATION",
    "FOLLOWERS",
    "MPPI",
    "RECOVERIES",
    "CostMap",
    "DStarLite",
    "DriveLimits",
    "DynamicWindow",
    "ExplorationMethod",
    "Explorer",
    "Follower",
    "Footprint",
    "Frontier",
    "GoalPolicy",
    "Inflation",
    "Navigator",
    "PathDriver",
    "PolicyFollower",
    "PurePursuit",
    "Recovery",
    "RecoverySequence",
    "SearchTree",
    "Situation",
    "Twist",
    "find_frontiers",
    "make_follower",
    "path_length",
    "rectangle",
    "resample",
    "search_grid",
    "smooth_path",
    "transform_distance",
]
