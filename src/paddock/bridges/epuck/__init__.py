"""The e-puck: its protocols, the driver of real robots, and emulators of its firmware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.bridges.epuck.bridge import EPuckEmulators
    from paddock.bridges.epuck.link import EPuck, connect_epuck

__all__ = ["EPuck", "EPuckEmulators", "connect_epuck"]

__getattr__ = import_on_demand(__name__)
