"""Safety: pure state machines that protect a robot independent of its other modules, and exhaustive state searches."""

from paddock.network.nodes.safety.handshake import StateSearch, search_handshake, search_states
from paddock.network.nodes.safety.original import search_original
from paddock.network.nodes.safety.protective_field import ClosingRule, ProtectiveField, RobotShape, StopTimes
from paddock.network.nodes.safety.reflex import (
    STILL,
    ClockReading,
    Gate,
    MotorGate,
    MotorLimits,
    Reflex,
    ReflexLimits,
    Refuse,
    Relay,
    StopOrder,
)

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
