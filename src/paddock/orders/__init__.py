"""Orders: a language for e-pucks that drive to points, both ends of it. It knows no simulation."""

from paddock.orders.avoidance import AvoidanceStrategy, DistalAvoidance, Manoeuvre, Sight, SteeredAvoidance
from paddock.orders.firmware import OrderFirmware
from paddock.orders.host import Host
from paddock.orders.host_end import HostTiming, RobotLost
from paddock.orders.line import LineQuality, SimulatedLine
from paddock.orders.session import OrderEvent, RobotPlan, RobotSession, WalkResult
from paddock.orders.talk import LinkStatistics
from paddock.orders.waypoints import Waypoint, read_waypoints, write_waypoints

__all__ = [
    "AvoidanceStrategy",
    "DistalAvoidance",
    "Host",
    "HostTiming",
    "LineQuality",
    "LinkStatistics",
    "Manoeuvre",
    "OrderEvent",
    "OrderFirmware",
    "RobotLost",
    "RobotPlan",
    "RobotSession",
    "Sight",
    "SimulatedLine",
    "SteeredAvoidance",
    "WalkResult",
    "Waypoint",
    "read_waypoints",
    "write_waypoints",
]
