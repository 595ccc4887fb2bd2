"""V-REP and CoppeliaSim: a world as a scene, the legacy remote API and the ZeroMQ remote API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.bridges.coppelia.legacy_bridge import VrepServer
    from paddock.bridges.coppelia.legacy_link import VrepRobot, connect_vrep
    from paddock.bridges.coppelia.zmq_bridge import CoppeliaServer
    from paddock.bridges.coppelia.zmq_link import CoppeliaRobot, connect_coppelia

__all__ = ["CoppeliaRobot", "CoppeliaServer", "VrepRobot", "VrepServer", "connect_coppelia", "connect_vrep"]

__getattr__ = import_on_demand(__name__)
