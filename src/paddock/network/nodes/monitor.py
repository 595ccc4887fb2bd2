"""Monitor: listens to all modules and records their health; it sends no commands."""

from __future__ import annotations

from typing import Any

from paddock.network.nodes.bus import Bus
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.health_monitor import HealthMonitor
from paddock.network.nodes.node import EVERY_MODULE, Module
from paddock.network.nodes.node_messages import ModuleMessage


class MonitorModule(Module):
    """Keeps the health of all modules. It ends with the coordinator."""

    listens = EVERY_MODULE

    def __init__(self, name: str, spec: ModulesSpec, options: Any, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        self.health_monitor = HealthMonitor()

    def handle(self, message: ModuleMessage) -> None:
        self.health_monitor.take(message)
