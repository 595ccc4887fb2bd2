"""Teleoperation: a user may drive at any time, and the reflex still prevents collisions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from paddock.core.observation import WheelSpeeds
from paddock.network.nodes.bus import Bus
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.node_messages import ModuleMessage, RoundMessage, TeleopMessage
from paddock.network.nodes.planner import DrivingModule

HOLD = 0.5  # [s] simulated, for which a twist stays valid


class TeleopModule(DrivingModule):
    """Converts twists from users into motion commands. In the meantime the planner's commands are ignored."""

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
        """Store the twist that a user requests [m/s, rad/s]."""
        self.twist, self.until, self.refusal = (linear, angular), self.time + HOLD, ""

    def steer(self) -> None:
        """Send the user's motion to the reflex, once per set of readings."""
        look = self.observe()
        if self.time > self.until:
            return
        if self.update_handshake(self.reader.read(look)):
            self.drive(WheelSpeeds.of_twist(*self.twist, self.spec.robot_spec.drive.wheel_separation))
