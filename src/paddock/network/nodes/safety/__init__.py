"""Safety: pure state machines that protect a robot independent of its other modules, and exhaustive state searches."""

from paddock.network.nodes.safety.handshake import search_handshake
from paddock.network.nodes.safety.motor_gate import ClockReading, MotorGate, MotorLimits
from paddock.network.nodes.safety.original import search_original
from paddock.network.nodes.safety.protective_field import ClosingRule, ProtectiveField, RobotShape
from paddock.network.nodes.safety.reflex import STILL, Gate, Reflex, ReflexLimits, Refuse, Relay, StopOrder
from paddock.network.nodes.safety.search import StateSearch, search_states
from paddock.network.nodes.safety.stop_times import StopTimes

__all__ = [
    "STILL",
    "ClockReading",
    "ClosingRule",
    "Gate",
    "MotorGate",
    "MotorLimits",
    "ProtectiveField",
    "Reflex",
    "ReflexLimits",
    "Refuse",
    "Relay",
    "RobotShape",
    "StateSearch",
    "StopOrder",
    "StopTimes",
    "search_handshake",
    "search_original",
    "search_states",
]
