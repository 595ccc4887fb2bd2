"""The legacy remote API of V-REP and CoppeliaSim: packets, messages and commands without I/O."""

from paddock.bridges.coppelia.legacy.caller import Caller, Control
from paddock.bridges.coppelia.legacy.messages import Block, LegacyRequest, parse_message
from paddock.bridges.coppelia.legacy.packets import PacketJoiner, split_packets
from paddock.bridges.coppelia.legacy.session import LegacySession
from paddock.bridges.coppelia.legacy.table import CALLS
from paddock.bridges.coppelia.scene.simulator import LegacySimulator

__all__ = [
    "CALLS",
    "Block",
    "Caller",
    "Control",
    "LegacyRequest",
    "LegacySession",
    "LegacySimulator",
    "PacketJoiner",
    "parse_message",
    "split_packets",
]
