"""HealthBoard: how all modules are, from what is heard on the bus."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from paddock.modules.health import LatencyHistogram
from paddock.modules.messages import WATCHERS, HealthMessage, ModuleMessage, PresenceMessage, RefusedMessage


@dataclass
class ModuleHealth:
    """How a module is."""

    name: str
    present: bool = False
    restarts: int = 0
    ended: bool = False  # with the run
    report: HealthMessage | None = None
    sent_at: float = 0.0  # when the newest report was sent, by the wall clock of its host
    heard_at: float = 0.0  # when it came, by `time.monotonic`
    rate: float = 0.0  # rounds per second
    latencies: LatencyHistogram = field(default_factory=LatencyHistogram)

    @property
    def state(self) -> str:
        """In one word."""
        if self.ended:
            return "ended"
        if not self.present:
            return "gone"
        return "silent" if self.report is not None and time.monotonic() - self.heard_at > SILENT else "running"


SILENT = 3.0  # [s] after the last report


class HealthBoard:
    """Collects what modules say about themselves."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleHealth] = {}
        self.refusal = ""  # the newest motion that did not pass, and why

    def __getitem__(self, name: str) -> ModuleHealth:
        if name not in self.modules:
            self.modules[name] = ModuleHealth(name)
        return self.modules[name]

    def take(self, message: ModuleMessage) -> None:
        """A message has come."""
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
            row.present, row.report, row.sent_at, row.heard_at = True, message, message.sent, time.monotonic()
            row.latencies = LatencyHistogram(message.latencies)
