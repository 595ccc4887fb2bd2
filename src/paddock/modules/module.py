"""Module: a part of a robot's controller that talks to others only by messages, and what runs one."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec

from paddock.core.registry import Registry
from paddock.core.spec import Spec
from paddock.modules.bus import Bus, open_bus
from paddock.modules.config import ModulesSpec
from paddock.modules.faults import FaultyBus
from paddock.modules.health import Health
from paddock.modules.messages import EVERYONE, HealthMessage, ModuleMessage, ResumeMessage, RoundMessage
from paddock.modules.rounds import RoundMerger

MODULES: Registry[type[Module]] = Registry(
    "module",
    group="paddock.module_kinds",
    builtin={
        name: f"paddock.modules.{name}:{name.capitalize()}Module"
        for name in ("coordinator", "sensor", "mapper", "planner", "reflex", "motor", "teleop", "monitor")
    },
    base="paddock.modules.module:Module",
)
"""Module classes by the name that a configuration uses."""
EVERY_MODULE = ("ALL",)
LINGER = 2.0  # wall seconds after the last round in which neighbours may still ask for it
CLOCK_BACK = 1.0  # [s] simulated: so much earlier than what was heard before, and the arena was reset
ASK_AGAIN = 0.5  # wall seconds to wait for a round before neighbours are asked to say theirs again


@dataclass(frozen=True, kw_only=True, slots=True)
class NoOptions(Spec):
    """Of a module that has none."""


class Module:
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
        self.end_at = math.inf  # when to end, after the last round

    def send(self, message: ModuleMessage) -> None:
        """Send a message as a part of the present round."""
        if not self.said:
            self.began = time.time()
        self.said.append(message)
        self.bus.send(message)

    def handle(self, message: ModuleMessage) -> None:
        """A message has come."""

    def on_round(self, number: int) -> None:
        """All messages of a round have been handled: what follows from them?"""

    def on_wake(self, now: float) -> None:
        """Some wall time has passed; not in lock-step."""

    def forget(self) -> None:
        """Leave what a module before this one has kept."""

    def on_resume(self) -> None:
        """The module was started, and may go on where one before it was killed."""

    def on_neighbour_started(self, name: str) -> None:
        """A module that hears this one was started, and knows nothing."""

    def status(self) -> str:
        """What people should know, in a few words."""
        return ""

    def close(self) -> None:
        """Give back what it holds."""

    # ---- running

    @classmethod
    def sources(cls, spec: ModulesSpec) -> frozenset[str] | None:
        """The names of modules of a configuration that it listens to; None: all."""
        return None if cls.listens == EVERY_MODULE else frozenset((*cls.upstream, *cls.delayed, *cls.listens))

    def run(self) -> None:
        """Handle messages until the run is over or `ended` is set."""
        upstream, delayed = (
            [name for name in names if name in self.spec.names] for names in (self.upstream, self.delayed)
        )
        merger = RoundMerger(self.name, upstream, delayed)
        self.on_resume()
        merger.done = done = self.round if self.round >= 0 else None
        neighbours = (*upstream, *delayed)
        wake_at = ask_at = time.monotonic()
        while not self.ended.is_set():
            waiting = self.bus.receive_all(max(0.0, wake_at - time.monotonic()))
            with self.bus.together():
                for message in waiting:
                    for ready in merger.put(message) if self.spec.lock_step else (message,):
                        self._take(ready)
            now = time.monotonic()
            if now >= self.end_at:
                return
            if merger.done != done:
                done, ask_at = merger.done, now + ASK_AGAIN
            if now >= ask_at:  # at the start, and in lock-step when a message was lost
                ask_at = now + ASK_AGAIN if self.spec.lock_step else math.inf
                for source in neighbours:
                    known = max(-1, self.round - (source in delayed))
                    self.bus.send(ResumeMessage(destination=source, number=known))
            if now >= wake_at:
                wake_at = now + self.wake_period
                self.wake(time.time())

    def wake(self, now: float) -> None:
        """Some wall time has passed."""
        if not self.spec.lock_step:
            self.on_wake(now)
        if self.health.is_due(now):
            self.tell_health()

    def tell_health(self) -> HealthMessage:
        """Tell everyone how this module is."""
        report = self.health.report(self.bus, self.status())
        self.bus.send(report)
        return report

    def _take(self, message: ModuleMessage) -> None:
        self.health.note(message)
        if isinstance(message, ResumeMessage):
            self.repeat(message)
            if message.number < 0:
                self.on_neighbour_started(message.source)
            return
        if (
            isinstance(message, RoundMessage)
            and message.source == (self._last_in_round or "SENSOR")
            and message.time < self.time - CLOCK_BACK
        ):
            self.begin_again()
        self.time = max(self.time, message.time)
        self.handle(message)
        if isinstance(message, RoundMessage) and message.last and not self.upstream:
            self.ended.set()
        if isinstance(message, RoundMessage) and message.source == self._last_in_round:
            self.round = message.number
            self.on_round(message.number)
            self.finish_round(message)
            if message.last:
                self.tell_health()
                self.end_at = time.monotonic() + (LINGER if self.spec.lock_step else 0.0)

    def begin_again(self) -> None:
        """The arena was reset: know nothing, as a module that was just started."""
        ended, health = self.ended, self.health
        self.__init__(self.name, self.spec, self.options, self.bus)  # type: ignore[misc]
        self.ended, self.health = ended, health
        self.forget()

    @cached_property
    def _last_in_round(self) -> str | None:
        """Whose end of a round is the module's own: in lock-step the last neighbour's, else nobody waits for others."""
        upstream = [name for name in self.upstream if name in self.spec.names]
        return upstream[-1 if self.spec.lock_step else 0] if upstream else None

    def finish_round(self, message: RoundMessage) -> None:
        """Tell everyone that nothing follows in this round."""
        counts = dict(Counter(said.destination for said in self.said))
        since = self.began if self.said else time.time()
        self.send(msgspec.structs.replace(message, destination=EVERYONE, counts=counts, since=since))
        self.finished, self.said = self.said, []
        self.health.rounds += 1

    began = 0.0  # wall time of the first message of this round [s]
    finished: list[ModuleMessage] = []  # noqa: RUF012 (the last round's messages; replaced, never changed)

    def repeat(self, message: ResumeMessage) -> None:
        """A module was started, or misses something: say the last round again, if it has not heard all of it."""
        if self.spec.lock_step and self.round > message.number and self.finished:
            *parts, end = self.finished
            since = time.time()
            for said in (*parts, msgspec.structs.replace(end, since=since)):
                self.bus.send(said)


def start_module(kind: str, spec: ModulesSpec) -> Module:
    """Join the bus as a module of a configuration."""
    entry = spec.entry(kind)
    cls = MODULES.get(entry.code or kind, folder=spec.folder or None)
    options = entry.read_options(cls.options_class)
    name = kind.upper()
    bus = open_bus(spec.bus, name, hears=cls.sources(spec), lossless=spec.lock_step)
    if entry.faults is not None:
        bus = FaultyBus(bus)
    try:
        return cls(name, spec, options, bus)
    except BaseException:
        bus.close()
        raise
