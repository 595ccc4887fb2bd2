"""Modules: loosely coupled processes that together drive a robot."""

from paddock.modules import messages
from paddock.modules.bus import CARRIERS, Bus, open_bus
from paddock.modules.config import ModuleEntry, ModulesSpec, load_modules
from paddock.modules.health_monitor import HealthMonitor, ModuleHealth
from paddock.modules.module import MODULES, Module, start_module
from paddock.modules.planner import PLANNERS
from paddock.modules.recording import BusRecorder, read_recording, replay
from paddock.modules.run import ModuleThreads, run_together
from paddock.modules.supervisor import Supervisor
from paddock.modules.wire import message_schema

__all__ = [
    "CARRIERS",
    "MODULES",
    "PLANNERS",
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
