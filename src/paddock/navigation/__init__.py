"""Ways through maps: cost maps, planners, followers, frontiers, exploration."""

from paddock.navigation.distance_transform import transform_distance
from paddock.navigation.dstar_lite import DStarLite
from paddock.navigation.grid_search import SearchTree, search_grid

__all__ = ["DStarLite", "SearchTree", "search_grid", "transform_distance"]
