"""Safety: pure state machines that protect a robot independent of its other modules, and exhaustive state searches."""

from paddock.modules.safety.handshake import search_handshake
from paddock.modules.safety.motor_gate import ClockReading, MotorGate, MotorLimits
from paddock.modules.safety.original import search_original
from paddock.modules.safety.protective_field import ClosingRule, ProtectiveField, RobotShape
from paddock.modules.safety.reflex import STILL, Gate, Reflex, ReflexLimits, Refuse, Relay, StopOrder
from paddock.modules.safety.search import StateSearch, search_states
from paddock.modules.safety.stop_times import StopTimes

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
