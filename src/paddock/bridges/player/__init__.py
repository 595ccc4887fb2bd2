"""Player and Stage: Player's protocol, robots in a Player server, a Player server, and worlds of Stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.bridges.player.bridge import PlayerServer
    from paddock.bridges.player.importer import stage_world
    from paddock.bridges.player.link import PlayerRobot, connect_player

__all__ = ["PlayerRobot", "PlayerServer", "connect_player", "stage_world"]

__getattr__ = import_on_demand(__name__)
