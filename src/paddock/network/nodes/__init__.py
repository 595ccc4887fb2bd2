"""Modules: loosely coupled processes that together drive a robot."""

from paddock.network.nodes import node_messages as messages
from paddock.network.nodes.bus import TRANSPORTS, Bus, message_schema, open_bus
from paddock.network.nodes.bus_recorder import BusRecorder, read_recording, replay
from paddock.network.nodes.config import ModuleEntry, ModulesSpec, load_modules
from paddock.network.nodes.health_monitor import HealthMonitor, ModuleHealth
from paddock.network.nodes.node import MODULES, Module, start_module
from paddock.network.nodes.planner import PLANNERS
from paddock.network.nodes.process import ModuleThreads, run_together
from paddock.network.nodes.supervisor import Supervisor

__all__ = [
    "MODULES",
    "PLANNERS",
    "TRANSPORTS",
    "Bus",
    "BusRecorder",
    "HealthMonitor",
    "Module",
    "ModuleEntry",
    "ModuleHealth",
    "ModuleThreads",
    "ModulesSpec",
    "Supervisor",
    "load_modules",
    "message_schema",
    "messages",
    "open_bus",
    "read_recording",
    "replay",
    "run_together",
    "start_module",
]
