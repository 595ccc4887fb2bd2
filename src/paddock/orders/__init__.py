"""Orders: both ends of a text protocol for e-pucks that drive to points. It does not depend on the simulation."""

from paddock.orders.avoidance import AvoidanceStrategy, DistalAvoidance, Manoeuvre, Sight, SteeredAvoidance
from paddock.orders.configuration import HostConfig, OrderRobotSpec, load_host_config, store_calibration
from paddock.orders.conversation import LinkStatistics
from paddock.orders.discovery import SerialFinding, find_order_robots, list_serial_devices
from paddock.orders.firmware import OrderFirmware
from paddock.orders.host import Host
from paddock.orders.host_end import HostTiming, RobotLost
from paddock.orders.line import LineQuality, SimulatedLine
from paddock.orders.odometry_errors import MeasuredMotion, OdometryErrors, measure_distance, measure_turn
from paddock.orders.proximity_threshold import ThresholdCalibration, calibrate_threshold
from paddock.orders.session import OrderEvent, RobotPlan, RobotSession, WalkResult
from paddock.orders.waypoints import Waypoint, format_waypoints, read_waypoints, write_waypoints

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
    "list_serial_devices",
    "load_host_config",
    "measure_distance",
    "measure_turn",
    "read_waypoints",
    "store_calibration",
    "write_waypoints",
]
