"""Teleoperation: a person drives, at any time, and the reflex still protects."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from paddock.core.observation import WheelSpeeds
from paddock.modules.bus import Bus
from paddock.modules.config import ModulesSpec
from paddock.modules.messages import ModuleMessage, RoundMessage, TeleopMessage
from paddock.modules.planner import DrivingModule

HOLD = 0.5  # [s] simulated, for which a twist holds


class TeleopModule(DrivingModule):
    """Turns twists that people send into motions. While it does, the planner's motions do not count."""

    delayed: ClassVar[tuple[str, ...]] = ()
    listens: ClassVar[tuple[str, ...]] = ("SENSOR", "REFLEX")

    def __init__(self, name: str, spec: ModulesSpec, options: Any, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        self.twist, self.until = (0.0, 0.0), -math.inf

    def handle(self, message: ModuleMessage) -> None:
        if isinstance(message, TeleopMessage):
            self.take(message.linear, message.angular)
        elif isinstance(message, RoundMessage) and message.source == "SENSOR":
            self.steer()
        else:
            super().handle(message)

    def take(self, linear: float, angular: float) -> None:
        """A person wants this twist [m/s, rad/s]."""
        self.twist, self.until, self.refusal = (linear, angular), self.time + HOLD, ""

    def steer(self) -> None:
        """Ask the reflex for the person's motion, after each look."""
        look = self.look()
        if self.time > self.until:
            return
        if self.shake_hands(self.reader.read(look)):
            linear, angular = self.twist
            half = angular * self.spec.robot_spec.drive.wheel_separation / 2
            self.drive(WheelSpeeds(linear - half, linear + half))
