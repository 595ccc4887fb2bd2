"""MappingMethod: base class of methods that estimate a pose and a map; registered by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose
from paddock.core.registry import Registry
from paddock.perception.estimation.motion_model import Floats
from paddock.perception.mapping.motion_step import NO_SPREAD, MotionStep
from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.scan import Scan


@dataclass(frozen=True, kw_only=True)
class MapSetup:
    """Common settings of mapping methods."""

    resolution: float = 0.05  # side of a cell [m]
    opening: float = 0.0  # of a sonar's cone [rad]; 0: a laser's rays
    seed: int = 0  # of all random numbers


class MappingMethod:
    """Dead reckoning: the pose is that of odometry. Other methods correct the pose before they update the map."""

    needs_rays: ClassVar[bool] = False  # whether it cannot use the cones of sonars
    match_covariance: Floats | None = None  # of the pose by the last scan alone; None: it was not matched

    def __init__(self, setup: MapSetup) -> None:
        if self.needs_rays and setup.opening > 0:
            raise PaddockError(f"{type(self).__name__}: expected a laser's rays, got cones: use method 'odometry'")
        self.setup = setup
        self.reset(ORIGIN, NO_SPREAD)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Restart at a pose with an empty map."""
        self.pose, self.covariance = pose, covariance  # of the robot at the time of the last scan
        self.particles: Floats | None = None  # x, y [m], heading [rad], weight; shape (n, 4)
        self.grid = OccupancyGrid(self.setup.resolution)

    def add(self, scan: Scan, step: MotionStep) -> None:
        """Add a scan and the motion since the last one."""
        self.pose, self.covariance = self.locate(scan, *step.after(self.pose, self.covariance))
        self.draw(scan, self.pose)

    def locate(self, scan: Scan, guess: Pose, covariance: Floats) -> tuple[Pose, Floats]:
        """Return the pose of a scan and its covariance, given those by odometry."""
        return guess, covariance

    def draw(self, scan: Scan, pose: Pose) -> None:
        """Add a scan to the map."""
        if self.setup.opening > 0:
            self.grid.add_cones(scan, pose, self.setup.opening)
        else:
            self.grid.add_scan(scan, pose)


MAPPING_METHODS: Registry[type[MappingMethod]] = Registry(
    "mapping method",
    group="paddock.mapping_methods",
    base=MappingMethod,
    builtin={
        "odometry": "paddock.perception.mapping.method:MappingMethod",
        "scan-to-scan": "paddock.perception.mapping.scan_to_scan:ScanToScan",
        "scan-to-map": "paddock.perception.mapping.scan_to_map:ScanToMap",
        "particles": "paddock.perception.mapping.particle_slam:ParticleSlam",
        "graph": "paddock.perception.mapping.graph_method:GraphMapping",
    },
)
