"""Bridges: programs written for other simulators or robots drive robots of a Paddock world, and the reverse.

One folder per language: its wire format, link, bridge and importers. Its `provides.toml` registers them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.bridges.common.bridge import BRIDGES, Bridge, OpenBridges

__all__ = ["BRIDGES", "Bridge", "OpenBridges"]

__getattr__ = import_on_demand(__name__)
