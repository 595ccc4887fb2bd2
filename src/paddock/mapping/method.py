"""MappingMethod: how steps and scans become a pose and a map. Methods are registered by name."""

from __future__ import annotations

from dataclasses import dataclass

from paddock.core.geometry import Pose
from paddock.core.registry import Registry
from paddock.estimate.motion_model import Floats
from paddock.mapping.motion_step import NO_SPREAD, MotionStep
from paddock.mapping.occupancy import OccupancyGrid
from paddock.mapping.scan import AT_CENTRE, Scan


@dataclass(frozen=True, kw_only=True)
class MapSetup:
    """What every method is given."""

    resolution: float = 0.05  # side of a cell [m]
    opening: float = 0.0  # of a sonar's cone [rad]; 0: a laser's rays
    seed: int = 0  # decides all that is drawn


class MappingMethod:
    """Dead reckoning: poses as the wheels tell them, and a map drawn there. Other methods correct the pose first."""

    def __init__(self, setup: MapSetup) -> None:
        self.setup = setup
        self.reset(AT_CENTRE, NO_SPREAD)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Begin anew at a pose, with an empty map."""
        self.pose, self.covariance = pose, covariance  # of the robot when the last scan was taken
        self.particles: Floats | None = None  # x, y [m], heading [rad], weight; shape (n, 4)
        self.grid = OccupancyGrid(self.setup.resolution)

    def add(self, scan: Scan, step: MotionStep) -> None:
        """Take a scan, and how the robot has moved since the last one."""
        self.pose, self.covariance = self.locate(scan, *step.after(self.pose, self.covariance))
        self.draw(scan, self.pose)

    def locate(self, scan: Scan, guess: Pose, covariance: Floats) -> tuple[Pose, Floats]:
        """Where a scan was taken, and how sure that is, given what the wheels say."""
        return guess, covariance

    def draw(self, scan: Scan, pose: Pose) -> None:
        """Put a scan into the map."""
        if self.setup.opening > 0:
            self.grid.add_cones(scan, pose, self.setup.opening)
        else:
            self.grid.add_scan(scan, pose)


MAPPING_METHODS: Registry[type[MappingMethod]] = Registry(
    "mapping method",
    group="paddock.mapping_methods",
    base=MappingMethod,
    builtin={
        "odometry": "paddock.mapping.method:MappingMethod",
        "scan-to-scan": "paddock.mapping.scan_to_scan:ScanToScan",
        "scan-to-map": "paddock.mapping.scan_to_map:ScanToMap",
        "particles": "paddock.mapping.particle_slam:ParticleSlam",
        "graph": "paddock.mapping.graph_method:GraphMapping",
    },
)
