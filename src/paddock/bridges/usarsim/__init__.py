"""USARSim: its text protocol, robots in a USARSim server, and a USARSim server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.bridges.usarsim.bridge import UsarSimServer
    from paddock.bridges.usarsim.link import UsarSimRobot, connect_usarsim

__all__ = ["UsarSimRobot", "UsarSimServer", "connect_usarsim"]

__getattr__ = import_on_demand(__name__)
