"""Maps from scans: occupancy grids, scan matching, SLAM, localisation in a known map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.perception.mapping.frame import GridFrame
    from paddock.perception.mapping.graph_slam import GraphOptions, GraphSlam
    from paddock.perception.mapping.grid_model import GridRangeModel, RangeLikelihood
    from paddock.perception.mapping.likelihood import LikelihoodField
    from paddock.perception.mapping.map_files import MapHeader, MapMode, load_map, save_map
    from paddock.perception.mapping.map_localiser import MapLocaliser
    from paddock.perception.mapping.map_world import draw_map, import_map
    from paddock.perception.mapping.mapper import Mapper
    from paddock.perception.mapping.matching import ScanMatch, SearchWindow, match_scan
    from paddock.perception.mapping.method import MAPPING_METHODS, MappingMethod, MapSetup
    from paddock.perception.mapping.motion_step import MotionStep
    from paddock.perception.mapping.occupancy import FREE, LASER, OCCUPIED, SONAR, UNKNOWN, BeamModel, OccupancyGrid
    from paddock.perception.mapping.particle_slam import ParticleSlam
    from paddock.perception.mapping.pose_graph import PoseEdge, PoseGraph
    from paddock.perception.mapping.quality import MapQuality, assess_map
    from paddock.perception.mapping.reader import RangeReader
    from paddock.perception.mapping.scan import Scan
    from paddock.perception.mapping.scan_to_map import ScanToMap
    from paddock.perception.mapping.scan_to_scan import ScanToScan
    from paddock.perception.mapping.surfaces import trace_surfaces
    from paddock.perception.mapping.truth import MapTruth
    from paddock.perception.mapping.view import MapView

__all__ = [
    "FREE",
    "LASER",
    "MAPPING_METHODS",
    "OCCUPIED",
    "SONAR",
    "UNKNOWN",
    "BeamModel",
    "GraphOptions",
    "GraphSlam",
    "GridFrame",
    "GridRangeModel",
    "LikelihoodField",
    "MapHeader",
    "MapLocaliser",
    "MapMode",
    "MapQuality",
    "MapSetup",
    "MapTruth",
    "MapView",
    "Mapper",
    "MappingMethod",
    "MotionStep",
    "OccupancyGrid",
    "ParticleSlam",
    "PoseEdge",
    "PoseGraph",
    "RangeLikelihood",
    "RangeReader",
    "Scan",
    "ScanMatch",
    "ScanToMap",
    "ScanToScan",
    "SearchWindow",
    "assess_map",
    "draw_map",
    "import_map",
    "load_map",
    "match_scan",
    "save_map",
    "trace_surfaces",
]

# Imported on demand: every arena refers to maps, but few programs use them.
__getattr__ = import_on_demand(__name__)
