"""Maps from scans: occupancy grids, scan matching, SLAM, localisation in a known map."""

from paddock.mapping.frame import GridFrame
from paddock.mapping.scan import Scan

__all__ = ["GridFrame", "Scan"]
