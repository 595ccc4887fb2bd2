"""The legacy remote API of V-REP and CoppeliaSim: packets, messages and commands without I/O."""

from paddock.coppelia.legacy.messages import Block, LegacyRequest, parse_message
from paddock.coppelia.legacy.packets import PacketJoiner, split_packets
from paddock.coppelia.legacy.session import LegacySession
from paddock.coppelia.legacy.simulator import Caller, Control, LegacySimulator
from paddock.coppelia.legacy.table import CALLS

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
