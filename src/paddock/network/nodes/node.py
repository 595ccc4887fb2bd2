"""Module: a part of a robot's controller that communicates by messages only, and the loop that runs it."""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec

from paddock.core.errors import PaddockError
from paddock.core.registry import Registry
from paddock.core.spec import Spec
from paddock.core.user_code import error_location, explain_error
from paddock.network.nodes.bus import Bus, open_bus
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.faulty_bus import FaultyBus
from paddock.network.nodes.health import Health
from paddock.network.nodes.node_messages import (
    EVERYONE,
    HealthMessage,
    ModuleMessage,
    PresenceMessage,
    ResumeMessage,
    RoundMessage,
)

OF_NO_ROUND = (HealthMessage, PresenceMessage, ResumeMessage)
EVERY_MODULE = ("ALL",)
LINGER = 2.0  # wall seconds after the last round during which neighbours may still request it again
CLOCK_BACK = 1.0  # [s] simulated: a message older than the previous ones by more than this means an arena reset
NUMBER = re.compile(r"[\d.]+")  # in status texts, whose words are logged when they change
ASK_AGAIN = 0.5  # wall seconds to wait for a round before neighbours are asked to repeat theirs

log = logging.getLogger("paddock.modules")


class RoundMerger:
    """Sorts the messages of several neighbours into a fixed order.

    Args:
        name: name of the module.
        upstream: neighbours that must finish a round before the module starts it.
        delayed: neighbours that must finish the previous round before.
    """

    def __init__(self, name: str, upstream: Sequence[str], delayed: Sequence[str] = ()) -> None:
        self.name, self.upstream, self.delayed = name, tuple(upstream), tuple(delayed)
        self.done: int | None = None  # the last round; None: any round may be the first
        self._open: dict[str, list[ModuleMessage]] = {source: [] for source in (*upstream, *delayed)}
        self._whole: dict[str, dict[int, list[ModuleMessage]]] = {source: {} for source in (*upstream, *delayed)}

    def put(self, message: ModuleMessage) -> Iterator[ModuleMessage]:
        """Add a message and yield the messages to handle now: those of a complete round, with the neighbours' ends."""
        if message.source not in self._open or isinstance(message, OF_NO_ROUND):
            yield message
            return
        waiting = self._open[message.source]
        waiting.append(message)
        if not isinstance(message, RoundMessage):
            return
        count = message.counts.get(EVERYONE, 0) + message.counts.get(self.name, 0)
        waiting[:] = [each for each in waiting if each.sent >= message.since]  # earlier ones were sent again
        del waiting[: -count - 1]
        if len(waiting) == count + 1 and (self.done is None or message.number >= self.done):
            self._whole[message.source][message.number] = list(waiting)
        waiting.clear()
        while self.upstream and (number := self._next()) is not None:
            yield from self._release(number)

    def _next(self) -> int | None:
        """Return the number of the next round if it is complete."""
        if self.done is not None:
            number = self.done + 1
        elif all(self._whole[source] for source in self.upstream):
            number = max(min(self._whole[source]) for source in self.upstream)
        else:
            return None
        there = all(number in self._whole[source] for source in self.upstream)
        before = self.done is None or all(number - 1 in self._whole[source] for source in self.delayed)
        return number if there and before else None

    def _release(self, number: int) -> Iterator[ModuleMessage]:
        self.done = number
        for source in self.delayed:
            yield from self._whole[source].get(number - 1, ())[:-1]
        for source in self.upstream:
            yield from self._whole[source][number]
        for source, rounds in self._whole.items():
            oldest = number if source in self.delayed else number + 1
            self._whole[source] = {k: messages for k, messages in rounds.items() if k >= oldest}


MODULES: Registry[type[Module]] = Registry(
    "module",
    group="paddock.module_kinds",
    builtin={
        name: f"paddock.network.nodes.{name}:{name.capitalize()}Module"
        for name in ("coordinator", "sensor", "mapper", "planner", "reflex", "motor", "teleop", "monitor")
    },
    base="paddock.network.nodes.node:Module",
)
"""Module classes by their names in a configuration."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoOptions(Spec):
    """Empty options, for a module without options."""


class Module:
    """Base class of all modules.

    `upstream`, `delayed` and `listens` are the names of modules whose messages it receives. In lock-step it waits for
    the messages of `upstream` in the same round and of `delayed` from the previous round. It handles messages of
    `listens` whenever they arrive.
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
        self.sent: list[ModuleMessage] = []  # messages sent in this round
        self.round = -1
        self.end_at = math.inf  # when to end, after the last round

    def send(self, message: ModuleMessage) -> None:
        """Send a message as a part of the current round."""
        if not self.sent:
            self.began = time.time()
        self.sent.append(message)
        self.bus.send(message)

    def handle(self, message: ModuleMessage) -> None:
        """Handle a received message."""

    def on_round(self, number: int) -> None:
        """React to a round; called after all its messages were handled."""

    def on_wake(self, now: float) -> None:
        """React to elapsed wall time; called every `wake_period`, but not in lock-step."""

    def discard_state(self) -> None:
        """Discard the stored state of a previous module."""

    def on_resume(self) -> None:
        """Restore the state of a previous module that was killed; called at the start."""

    def on_neighbour_started(self, name: str) -> None:
        """React to the start of a module that listens to this one and has no state yet."""

    def status(self) -> str:
        """Return a short status text for users."""
        return ""

    def close(self) -> None:
        """Release all resources."""

    # ---- running

    @classmethod
    def sources(cls, spec: ModulesSpec) -> frozenset[str] | None:
        """Return the names of the modules of a configuration that it listens to; None for all."""
        return None if cls.listens == EVERY_MODULE else frozenset((*cls.upstream, *cls.delayed, *cls.listens))

    def run(self) -> None:
        """Handle messages until the run is over or `ended` is set."""
        upstream, delayed = (
            [name for name in names if name in self.spec.names] for names in (self.upstream, self.delayed)
        )
        merger = RoundMerger(self.name, upstream, delayed)
        self.on_resume()
        if self.round >= 0:
            log.info("%s resumes after round %d", self.name, self.round)
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
            if now >= ask_at:  # at the start, and in lock-step after a message was lost
                ask_at = now + ASK_AGAIN if self.spec.lock_step else math.inf
                for source in neighbours:
                    known = max(-1, self.round - (source in delayed))
                    self.bus.send(ResumeMessage(destination=source, number=known))
            if now >= wake_at:
                wake_at = now + self.wake_period
                self.wake(time.time())

    def wake(self, now: float) -> None:
        """Run the periodic tasks: `on_wake`, unless in lock-step, and the health report when it is due."""
        if not self.spec.lock_step:
            self.on_wake(now)
        if self.health.is_due(now):
            self.send_health()

    _logged = ""  # words of the status that was logged last

    def send_health(self) -> HealthMessage:
        """Send the health report of this module to all modules."""
        report = self.health.report(self.bus, self.status())
        if (words := NUMBER.sub("", report.status)) != self._logged:
            self._logged = words
            log.info("%s at %.1f s: %s", self.name, self.time, report.status)
        self.bus.send(report)
        return report

    def _take(self, message: ModuleMessage) -> None:
        self.health.received += 1
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
            self.restart()
        self.time = max(self.time, message.time)
        self.handle(message)
        if isinstance(message, RoundMessage) and message.last and not self.upstream:
            self.ended.set()
        if isinstance(message, RoundMessage) and message.source == self._last_in_round:
            self.round = message.number
            self.on_round(message.number)
            self.finish_round(message)
            if message.last:
                self.send_health()
                self.end_at = time.monotonic() + (LINGER if self.spec.lock_step else 0.0)

    def restart(self) -> None:
        """Return to the initial state, because the arena was reset."""
        log.info("%s begins anew: the arena was reset", self.name)
        ended, health = self.ended, self.health
        self.__init__(self.name, self.spec, self.options, self.bus)  # type: ignore[misc]
        self.ended, self.health = ended, health
        self.discard_state()

    @cached_property
    def _last_in_round(self) -> str | None:
        """Module whose end of a round ends this module's round: the last one upstream in lock-step, else the first."""
        upstream = [name for name in self.upstream if name in self.spec.names]
        return upstream[-1 if self.spec.lock_step else 0] if upstream else None

    def finish_round(self, message: RoundMessage) -> None:
        """Announce the end of the module's round to all modules."""
        counts = dict(Counter(part.destination for part in self.sent))
        since = self.began if self.sent else time.time()
        self.send(msgspec.structs.replace(message, destination=EVERYONE, counts=counts, since=since))
        self.finished, self.sent = self.sent, []
        self.health.rounds += 1

    began = 0.0  # wall time of the first message of this round [s]
    finished: list[ModuleMessage] = []  # noqa: RUF012 (the last round's messages; replaced, never changed)

    def repeat(self, message: ResumeMessage) -> None:
        """Send the last round again, if the requesting module has not received all of it."""
        if self.spec.lock_step and self.round > message.number and self.finished:
            *parts, end = self.finished
            since = time.time()
            for part in (*parts, msgspec.structs.replace(end, since=since)):
                self.bus.send(part)


@contextmanager
def locate_errors() -> Iterator[None]:
    """Raise an error that occurs in a user's file as one message with its location there."""
    try:
        yield
    except Exception as error:
        if (where := error_location(error)) is None:
            raise
        raise PaddockError(f"{where}: {explain_error(error)}") from error


def start_module(kind: str, spec: ModulesSpec) -> Module:
    """Create a module of a configuration and join the bus."""
    entry = spec.entry(kind)
    cls = MODULES.get(entry.code or kind, folder=spec.folder or None)
    options = entry.read_options(cls.options_class)
    name = kind.upper()
    bus = open_bus(spec.bus, name, hears=cls.sources(spec), lossless=spec.lock_step)
    if entry.faults is not None:
        bus = FaultyBus(bus)
    try:
        with locate_errors():
            return cls(name, spec, options, bus)
    except BaseException:
        bus.close()
        raise
