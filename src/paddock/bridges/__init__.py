"""Bridges: servers that let programs written for other simulators or robots drive robots in a Paddock world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.bridges.base import BRIDGES, Bridge, OpenBridges
    from paddock.bridges.coppelia import CoppeliaServer
    from paddock.bridges.epuck import EPuckEmulators
    from paddock.bridges.orders import OrderRobots
    from paddock.bridges.overhead import OverheadCameras
    from paddock.bridges.player import PlayerServer
    from paddock.bridges.ros2 import RosBridge
    from paddock.bridges.ros2_hub import RosOptions
    from paddock.bridges.rosbridge import RosbridgeServer
    from paddock.bridges.usarsim import UsarSimServer
    from paddock.bridges.vrep import VrepServer

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
