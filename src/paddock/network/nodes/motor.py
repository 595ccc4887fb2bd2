"""Motor module: the last check of commands before the wheels."""

from __future__ import annotations

import time
from dataclasses import dataclass

from paddock.core.observation import WheelSpeeds
from paddock.core.spec import Seconds, Spec
from paddock.network.nodes.bus import Bus
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.node import Module
from paddock.network.nodes.node_messages import (
    DriveMessage,
    ModuleMessage,
    MotorMessage,
    ReflexStateMessage,
    RefusedMessage,
    ResumeMessage,
    StopMessage,
)
from paddock.network.nodes.safety.reflex import STILL, ClockReading, MotorGate, MotorLimits


@dataclass(frozen=True, kw_only=True, slots=True)
class MotorOptions(Spec):
    """Maximum age of commands, by simulated or wall time, whichever is exceeded first."""

    command_age: Seconds = 0.2  # from sending to execution
    silence: Seconds = 0.3  # after the last valid command until the wheels stop; less if the command's `holds` is less


class MotorModule(Module):
    """Executes the newest valid command, and reports why a command is invalid."""

    upstream = ("REFLEX",)
    listens = ("COORDINATOR",)
    options_class = MotorOptions
    wake_period = 0.02

    def __init__(self, name: str, spec: ModulesSpec, options: MotorOptions, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        self.gate = MotorGate(MotorLimits(command_age=options.command_age, silence=options.silence))
        self.refusals = 0

    def now(self) -> ClockReading:
        """Return the time. In lock-step nothing moves while modules wait, so the wall clock does not count."""
        return ClockReading(self.time, self.time if self.spec.lock_step else time.time())

    def handle(self, message: ModuleMessage) -> None:
        if message.source != "REFLEX":
            return
        if not self.spec.lock_step:
            self.gate.record_transit(message.sent, time.time())
        if isinstance(message, StopMessage):
            self.gate.on_stop(message.epoch)
            self.health.note_latency(message)
            self.turn_wheels(message)
        elif isinstance(message, DriveMessage):
            self.execute(message)
        elif isinstance(message, ReflexStateMessage):
            self.health.note_latency(message)

    def execute(self, message: DriveMessage) -> None:
        """Execute a command, or send the reason for rejecting it."""
        now = self.now()
        sent = ClockReading(message.time, message.time if self.spec.lock_step else message.sent)
        wheels = WheelSpeeds(message.left, message.right)
        holds = min(message.holds, self.spec.stop_times.find_hold(wheels))
        reason = self.gate.on_command(wheels, message.epoch, message.sequence, sent, now, holds)
        if not reason:
            self.turn_wheels(message)
            return
        self.refusals += 1
        self.send(RefusedMessage(time=self.time, reason=reason[:200], epoch=self.gate.epoch or 0))

    def turn_wheels(self, cause: ModuleMessage | None = None) -> None:
        """Send wheel speeds to the coordinator."""
        left, right = wheels = self.gate.on_time(self.now())
        self.send(
            MotorMessage(
                destination="COORDINATOR",
                time=self.time if wheels == STILL else self.gate.measured_at,
                cause=cause.cause if cause else 0.0,
                left=left,
                right=right,
                normalized=False,
            )
        )

    def on_round(self, number: int) -> None:
        self.turn_wheels()

    def on_wake(self, now: float) -> None:
        self.turn_wheels()
        if self.gate.epoch is None:
            self.bus.send(ResumeMessage(destination="REFLEX"))  # like a motor that was just started

    def status(self) -> str:
        left, right = self.gate.wheels
        return f"{left:.2f} {right:.2f} m/s, refused {self.refusals}"
