"""Maps from scans: occupancy grids, scan matching, SLAM, localisation in a known map."""

from paddock.mapping.frame import GridFrame
from paddock.mapping.likelihood import LikelihoodField
from paddock.mapping.matching import ScanMatch, SearchWindow, match_scan
from paddock.mapping.scan import Scan
from paddock.mapping.surfaces import trace_surfaces

__all__ = ["GridFrame", "LikelihoodField", "Scan", "ScanMatch", "SearchWindow", "match_scan", "trace_surfaces"]
