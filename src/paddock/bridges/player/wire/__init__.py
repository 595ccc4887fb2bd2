"""Player's wire protocol: messages and payloads without I/O."""

from paddock.bridges.player.wire.interfaces import PlayerInterface
from paddock.bridges.player.wire.layout import XdrLayout
from paddock.bridges.player.wire.messages import MessageType, PlayerAddress, PlayerMessage, PlayerSplitter, pack_banner

__all__ = [
    "MessageType",
    "PlayerAddress",
    "PlayerInterface",
    "PlayerMessage",
    "PlayerSplitter",
    "XdrLayout",
    "pack_banner",
]
