"""The legacy remote API of V-REP and CoppeliaSim: packets, messages and commands without I/O."""

from paddock.coppelia.legacy.caller import Caller, Control
from paddock.coppelia.legacy.messages import Block, LegacyRequest, parse_message
from paddock.coppelia.legacy.packets import PacketJoiner, split_packets
from paddock.coppelia.legacy.session import LegacySession
from paddock.coppelia.legacy.table import CALLS
from paddock.coppelia.simulator import LegacySimulator

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
