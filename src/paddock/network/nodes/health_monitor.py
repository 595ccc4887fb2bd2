"""HealthMonitor: the health of all modules, from the messages on the bus."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from paddock.network.nodes.health import LatencyHistogram
from paddock.network.nodes.node_messages import WATCHERS, HealthMessage, ModuleMessage, PresenceMessage, RefusedMessage


@dataclass
class ModuleHealth:
    """Health of a module."""

    name: str
    present: bool = False
    restarts: int = 0
    crash: str = ""  # the last line that it printed before it crashed
    ended: bool = False  # whether it has ended with the run
    report: HealthMessage | None = None
    sent_at: float = 0.0  # wall time at which the newest report was sent, by the clock of its host
    received_at: float = 0.0  # time at which it was received, by `time.monotonic`
    rate: float = 0.0  # rounds per second
    latencies: LatencyHistogram = field(default_factory=LatencyHistogram)

    @property
    def state(self) -> str:
        """State of the module: "running", "silent", "gone" or "ended"."""
        if self.ended:
            return "ended"
        if not self.present:
            return "gone"
        return "silent" if self.report is not None and time.monotonic() - self.received_at > SILENT else "running"


SILENT = 3.0  # [s] without a report after which a module is silent


class HealthMonitor:
    """Collects the health reports of modules."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleHealth] = {}
        self.refusal = ""  # source and reason of the newest rejected command

    def __getitem__(self, name: str) -> ModuleHealth:
        if name not in self.modules:
            self.modules[name] = ModuleHealth(name)
        return self.modules[name]

    def take(self, message: ModuleMessage) -> None:
        """Update the health of the modules with a received message."""
        if message.source in WATCHERS:
            return
        if isinstance(message, PresenceMessage):
            self[message.source].present = message.present
        elif isinstance(message, RefusedMessage):
            self.refusal = f"{message.source}: {message.reason}"
        elif isinstance(message, HealthMessage):
            row, former = self[message.source], self[message.source].report
            if former is not None and message.sent > row.sent_at and message.rounds >= former.rounds:
                row.rate = (message.rounds - former.rounds) / (message.sent - row.sent_at)
            row.present, row.report, row.sent_at, row.received_at = True, message, message.sent, time.monotonic()
            row.latencies = LatencyHistogram(message.latencies)
