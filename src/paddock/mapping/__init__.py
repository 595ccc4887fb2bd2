"""Maps from scans: occupancy grids, scan matching, SLAM, localisation in a known map."""

from paddock.mapping.frame import GridFrame
from paddock.mapping.mapper import Mapper
from paddock.mapping.method import MAPPING_METHODS, MappingMethod, MapSetup
from paddock.mapping.motion_step import MotionStep
from paddock.mapping.occupancy import FREE, LASER, OCCUPIED, SONAR, UNKNOWN, BeamModel, OccupancyGrid
from paddock.mapping.reader import RangeReader
from paddock.mapping.scan import Scan
from paddock.mapping.view import MapView

__all__ = [
    "FREE",
    "LASER",
    "MAPPING_METHODS",
    "OCCUPIED",
    "SONAR",
    "UNKNOWN",
    "BeamModel",
    "GridFrame",
    "MapSetup",
    "MapView",
    "Mapper",
    "MappingMethod",
    "MotionStep",
    "OccupancyGrid",
    "RangeReader",
    "Scan",
]
