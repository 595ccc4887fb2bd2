"""Orders: both ends of a text protocol for e-pucks that drive to points. It does not depend on the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand
from paddock.experiments.ecoli.waypoint_robots.configuration import (
    HostConfig,
    OrderRobotSpec,
    load_host_config,
    store_calibration,
)
from paddock.experiments.ecoli.waypoint_robots.conversation import LinkStatistics
from paddock.experiments.ecoli.waypoint_robots.discovery import (
    SerialFinding,
    find_order_robots,
    list_paired_devices,
    list_serial_devices,
)
from paddock.experiments.ecoli.waypoint_robots.driving import (
    AvoidanceStrategy,
    DistalAvoidance,
    Manoeuvre,
    Sight,
    SteeredAvoidance,
)
from paddock.experiments.ecoli.waypoint_robots.firmware import OrderFirmware
from paddock.experiments.ecoli.waypoint_robots.host import Host
from paddock.experiments.ecoli.waypoint_robots.host_end import HostTiming, RobotLost
from paddock.experiments.ecoli.waypoint_robots.motion import (
    MeasuredMotion,
    OdometryErrors,
    measure_distance,
    measure_turn,
)
from paddock.experiments.ecoli.waypoint_robots.order_session import (
    OrderEvent,
    ReportedDetection,
    RobotPlan,
    RobotSession,
    WalkResult,
)
from paddock.experiments.ecoli.waypoint_robots.port import LineQuality, SimulatedLine
from paddock.experiments.ecoli.waypoint_robots.proximity_threshold import ThresholdCalibration, calibrate_threshold
from paddock.experiments.ecoli.waypoint_robots.waypoints import (
    Waypoint,
    format_waypoints,
    read_waypoints,
    write_waypoints,
)

if TYPE_CHECKING:
    from paddock.experiments.ecoli.waypoint_robots.bridge import OrderRobots

__all__ = [
    "AvoidanceStrategy",
    "DistalAvoidance",
    "Host",
    "HostConfig",
    "HostTiming",
    "LineQuality",
    "LinkStatistics",
    "Manoeuvre",
    "MeasuredMotion",
    "OdometryErrors",
    "OrderEvent",
    "OrderFirmware",
    "OrderRobotSpec",
    "OrderRobots",
    "ReportedDetection",
    "RobotLost",
    "RobotPlan",
    "RobotSession",
    "SerialFinding",
    "Sight",
    "SimulatedLine",
    "SteeredAvoidance",
    "ThresholdCalibration",
    "WalkResult",
    "Waypoint",
    "calibrate_threshold",
    "find_order_robots",
    "format_waypoints",
    "list_paired_devices",
    "list_serial_devices",
    "load_host_config",
    "measure_distance",
    "measure_turn",
    "read_waypoints",
    "store_calibration",
    "write_waypoints",
]

__getattr__ = import_on_demand(__name__)
