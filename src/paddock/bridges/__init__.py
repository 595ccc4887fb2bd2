"""Bridges: servers that let programs written for other simulators or robots drive robots in a Paddock world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.bridges.common.bridge import BRIDGES, Bridge, OpenBridges
    from paddock.bridges.coppelia.zmq_bridge import CoppeliaServer
    from paddock.bridges.epuck.bridge import EPuckEmulators
    from paddock.experiments.ecoli.waypoint_robots.bridge import OrderRobots
    from paddock.experiments.ecoli.overhead_camera.bridge import OverheadCameras
    from paddock.bridges.player.bridge import PlayerServer
    from paddock.bridges.ros2.bridge import RosBridge
    from paddock.bridges.ros2.hub import RosOptions
    from paddock.bridges.ros2.rosbridge import RosbridgeServer
    from paddock.bridges.usarsim.bridge import UsarSimServer
    from paddock.bridges.coppelia.legacy_bridge import VrepServer

__all__ = [
    "BRIDGES",
    "Bridge",
    "CoppeliaServer",
    "EPuckEmulators",
    "OpenBridges",
    "OrderRobots",
    "OverheadCameras",
    "PlayerServer",
    "RosBridge",
    "RosOptions",
    "RosbridgeServer",
    "UsarSimServer",
    "VrepServer",
]

# Import each bridge on demand, so that a server loads only the bridges that it uses.
__getattr__ = import_on_demand(
    __name__,
    {
        "base": ("BRIDGES", "Bridge", "OpenBridges"),
        "coppelia": ("CoppeliaServer",),
        "epuck": ("EPuckEmulators",),
        "orders": ("OrderRobots",),
        "overhead": ("OverheadCameras",),
        "player": ("PlayerServer",),
        "ros2": ("RosBridge",),
        "ros2_hub": ("RosOptions",),
        "rosbridge": ("RosbridgeServer",),
        "usarsim": ("UsarSimServer",),
        "vrep": ("VrepServer",),
    },
)
