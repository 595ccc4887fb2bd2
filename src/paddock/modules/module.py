"""Module: a part of a robot's controller that talks to others only by messages, and what runs one."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

from paddock.core.registry import Registry
from paddock.core.spec import Spec
from paddock.modules.bus import Bus, open_bus
from paddock.modules.config import ModulesSpec
from paddock.modules.health import Health
from paddock.modules.messages import ModuleMessage, ResumeMessage, RoundMessage
from paddock.modules.rounds import RoundMerger

MODULES: Registry[type[Module]] = Registry(
    "module",
    group="paddock.modules",
    builtin={
        name: f"paddock.modules.{name}:{name.capitalize()}Module"
        for name in ("coordinator", "sensor", "mapper", "planner", "reflex", "motor", "teleop", "monitor")
    },
    base="paddock.modules.module:Module",
)
"""Module classes by the name that a configuration uses."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoOptions(Spec):
    """Of a module that has none."""


class Module(ABC):
    """What all modules have.

    `upstream`, `delayed` and `listens` are the names of modules whose messages it wants: those that it must have heard
    in a round, those whose answers it takes in the round after, and those whose messages it handles whenever they come.
    """

    upstream: ClassVar[tuple[str, ...]] = ()
    delayed: ClassVar[tuple[str, ...]] = ()
    listens: ClassVar[tuple[str, ...]] = ()
    options_class: ClassVar[type[Spec]] = NoOptions
    wake_period: ClassVar[float] = 0.05  # wall seconds between two calls of `on_wake`

    def __init__(self, name: str, spec: ModulesSpec, options: Any, bus: Bus) -> None:
        self.name, self.spec, self.options, self.bus = name, spec, options, bus
        self.health = Health()
        self.time = 0.0  # simulated, of the newest message [s]
        self.ended = threading.Event()
        self.said: list[ModuleMessage] = []  # in this round
        self.round = -1

    def send(self, message: ModuleMessage) -> None:
        """Send a message as a part of the present round."""
        self.said.append(message)
        self.bus.send(message)

    @abstractmethod
    def handle(self, message: ModuleMessage) -> None:
        """A message has come."""

    def on_round(self, number: int) -> None:
        """All messages of a round have been handled: what follows from them?"""

    def on_wake(self, now: float) -> None:
        """Some wall time has passed; not in lock-step."""

    def on_resume(self) -> None:
        """The module was started, and may go on where one before it was killed."""

    def status(self) -> str:
        """What people should know, in a few words."""
        return ""

    def close(self) -> None:
        """Give back what it holds."""

    # ---- running

    @classmethod
    def sources(cls, present: frozenset[str]) -> frozenset[str]:
        """The names of modules that it listens to, of those that there are."""
        return frozenset((*cls.upstream, *cls.delayed, *cls.listens)) & present

    def run(self) -> None:
        """Handle messages until the run is over or `ended` is set."""
        present = self.spec.names
        merger = RoundMerger(
            self.name,
            [source for source in self.upstream if source in present],
            [source for source in self.delayed if source in present],
        )
        self.on_resume()
        merger.done = self.round if self.round >= 0 else None
        self.bus.send(ResumeMessage(number=self.round))
        wake_at = time.monotonic()
        while not self.ended.is_set():
            message = self.bus.receive(max(0.0, wake_at - time.monotonic()))
            if message is not None:
                for ready in merger.put(message) if self.spec.lock_step else (message,):
                    self._take(ready)
            elif (now := time.monotonic()) >= wake_at:
                wake_at = now + self.wake_period
                self.wake(time.time())

    def wake(self, now: float) -> None:
        """Some wall time has passed."""
        if not self.spec.lock_step:
            self.on_wake(now)
        if self.health.is_due(now):
            self.bus.send(self.health.report(self.bus, self.status()))

    def _take(self, message: ModuleMessage) -> None:
        self.health.note(message)
        if isinstance(message, ResumeMessage):
            self.repeat(message)
            return
        self.time = max(self.time, message.time)
        if not isinstance(message, RoundMessage):
            self.handle(message)
        elif self._begins_round(message):
            self.round = message.number
            self.on_round(message.number)
            self.finish_round(message)
            if message.last:
                self.ended.set()

    def _begins_round(self, message: RoundMessage) -> bool:
        """In lock-step the merger gives one such message for each round; else the first neighbour's is taken."""
        return self.spec.lock_step or (bool(self.upstream) and message.source == self.upstream[0])

    def finish_round(self, message: RoundMessage) -> None:
        """Tell everyone that nothing follows in this round."""
        counts = Counter(said.destination for said in self.said)
        marker = RoundMessage(number=message.number, time=message.time, cause=message.cause, last=message.last)
        self.send(_with_counts(marker, counts))
        self.finished, self.said = self.said, []
        self.health.rounds += 1

    finished: list[ModuleMessage] = []  # noqa: RUF012 (the last round's messages; replaced, never changed)

    def repeat(self, message: ResumeMessage) -> None:
        """A module was started: say the last round again, if it has not heard of it."""
        if self.spec.lock_step and self.round > message.number:
            for said in self.finished:
                self.bus.send(said)


def _with_counts(marker: RoundMessage, counts: Counter[str]) -> RoundMessage:
    import msgspec

    return msgspec.structs.replace(marker, counts=dict(counts))


def start_module(kind: str, spec: ModulesSpec) -> Module:
    """Join the bus as a module of a configuration."""
    entry = spec.entry(kind)
    cls = MODULES.get(entry.code or kind, folder=spec.folder or None)
    options = entry.read_options(cls.options_class)
    name = kind.upper()
    hears = None if "*" in cls.listens else cls.sources(spec.names | {"*"}) | spec.names  # resume comes from anyone
    bus = open_bus(spec.bus, name, hears=hears, lossless=spec.lock_step)
    try:
        return cls(name, spec, options, bus)
    except BaseException:
        bus.close()
        raise
