"""Sensor module: validates the robot's readings and publishes them."""

from __future__ import annotations

from typing import Any

import msgspec

from paddock.network.nodes.bus import Bus
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.node import Module
from paddock.network.nodes.node_messages import EVERYONE, ModuleMessage
from paddock.network.nodes.readings import ObservationBuilder, SensorMessage


class SensorModule(Module):
    """Publishes valid readings of the robot's devices in order, and counts invalid ones."""

    upstream = ("COORDINATOR",)

    def __init__(self, name: str, spec: ModulesSpec, options: Any, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        self.builder, self.odd = ObservationBuilder(spec.robot_spec), 0

    def handle(self, message: ModuleMessage) -> None:
        if not isinstance(message, SensorMessage) or message.source != "COORDINATOR":
            return
        if not self.builder.take(message):
            self.odd += 1
            return
        cause = message.cause or message.sent
        self.send(msgspec.structs.replace(message, destination=EVERYONE, cause=cause))

    def status(self) -> str:
        return f"{self.odd} invalid readings" if self.odd else ""
