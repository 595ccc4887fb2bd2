"""Player's wire protocol: messages and payloads without I/O."""

from paddock.player.interfaces import PlayerInterface
from paddock.player.layout import XdrLayout
from paddock.player.messages import MessageType, PlayerAddress, PlayerMessage, PlayerSplitter, pack_banner

__all__ = [
    "MessageType",
    "PlayerAddress",
    "PlayerInterface",
    "PlayerMessage",
    "PlayerSplitter",
    "XdrLayout",
    "pack_banner",
]
