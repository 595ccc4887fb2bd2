"""Maps from scans: occupancy grids, scan matching, SLAM, localisation in a known map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.perception.mapping.graph_slam import GraphOptions, GraphSlam
    from paddock.perception.mapping.map_files import MapHeader, MapMode, draw_map, import_map, load_map, save_map
    from paddock.perception.mapping.map_localiser import GridRangeModel, MapLocaliser, RangeLikelihood
    from paddock.perception.mapping.mapper import Mapper
    from paddock.perception.mapping.matching import LikelihoodField, ScanMatch, SearchWindow, match_scan, trace_surfaces
    from paddock.perception.mapping.method import MAPPING_METHODS, MappingMethod, MapSetup, MotionStep
    from paddock.perception.mapping.occupancy import (
        FREE,
        LASER,
        OCCUPIED,
        SONAR,
        UNKNOWN,
        BeamModel,
        GridFrame,
        OccupancyGrid,
    )
    from paddock.perception.mapping.particle_slam import ParticleSlam
    from paddock.perception.mapping.pose_graph import PoseEdge, PoseGraph
    from paddock.perception.mapping.quality import MapQuality, MapTruth, assess_map
    from paddock.perception.mapping.scan import RangeReader, Scan
    from paddock.perception.mapping.scan_to_map import ScanToMap, ScanToScan
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
