"""Navigation on maps: cost maps, path planners, path followers, frontiers, exploration."""

from paddock.core.geometry import rectangle
from paddock.navigation.costmap import CostMap, Inflation
from paddock.navigation.distance_transform import transform_distance
from paddock.navigation.drive_limits import DriveLimits, Twist
from paddock.navigation.dstar_lite import DStarLite
from paddock.navigation.exploration import EXPLORATION, ExplorationMethod, Situation
from paddock.navigation.explorer import Explorer
from paddock.navigation.followers import FOLLOWERS, MPPI, DynamicWindow, Follower, PurePursuit, make_follower
from paddock.navigation.footprint import Footprint
from paddock.navigation.frontiers import Frontier, find_frontiers
from paddock.navigation.grid_search import SearchTree, search_grid
from paddock.navigation.navigator import Navigator
from paddock.navigation.path_driver import PathDriver
from paddock.navigation.paths import path_length, resample, smooth_path
from paddock.navigation.recovery import RECOVERIES, Recovery, RecoverySequence

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
    "Inflation",
    "Navigator",
    "PathDriver",
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
