"""Simulated network faults for tests: lost messages, late messages and cut links."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from paddock.core.seeds import draw_uniform
from paddock.core.spec import Number, Share, Spec
from paddock.network.nodes.bus import Bus, Post
from paddock.network.nodes.node_messages import PresenceMessage

POLL = 0.05  # [s]
Wait = Annotated[float, Number("seconds", low=0, high=60)]


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkFaults(Spec):
    """Faults of a module's link, in both directions."""

    loss: Share = 0.0  # share of lost messages
    delay: Wait = 0.0  # of each message, in wall time
    cut: Wait = 0.0  # time during which no message passes
    lasts: Wait = 5.0  # duration of loss and delay
    seed: int = 0


class FaultyBus(Bus):
    """A module's connection to the bus, with faults that `begin` starts."""

    def __init__(self, inner: Bus) -> None:
        super().__init__(inner.url, inner.name, hears=inner.hears, lossless=inner.lossless)
        self.inner, self.faults, self.since = inner, LinkFaults(), 0.0
        self._late: list[tuple[float, int, Post, bool]] = []
        self._numbers = itertools.count()
        self._changed, self._closed = threading.Condition(), threading.Event()
        for work in (self._take_in, self._deliver):
            threading.Thread(target=work, name=f"faults of {inner.name}", daemon=True).start()

    def begin(self, faults: LinkFaults | Path) -> None:
        """Start faults, given directly or as a TOML file."""
        if isinstance(faults, Path):
            faults = LinkFaults.from_toml(faults.read_text(encoding="utf-8"), file=faults.name)
        self.faults, self.since = faults, time.monotonic()

    def carry(self, posts: Sequence[Post]) -> None:
        """Deliver the messages that the faulty link lets through."""
        for post in posts:
            self._pass(post, out=True)

    def _take_in(self) -> None:
        while not self._closed.is_set():
            for post in self.inner.inbox.get_all(POLL):
                if isinstance(post[0], PresenceMessage):
                    self.inbox.put([post])
                else:
                    self._pass(post, out=False)

    def _pass(self, post: Post, *, out: bool) -> None:
        """Pass an outgoing or incoming message on immediately, late or never."""
        faults, age, number = self.faults, time.monotonic() - self.since, next(self._numbers)
        bad = age < faults.lasts
        if age < faults.cut or (bad and faults.loss and draw_uniform(faults.seed, number, 0) < faults.loss):
            return
        if bad and faults.delay:
            with self._changed:
                heapq.heappush(self._late, (time.monotonic() + faults.delay, number, post, out))
                self._changed.notify()
        else:
            self._hand_over(post, out)

    def _hand_over(self, post: Post, out: bool) -> None:
        if out:
            self.inner.carry([post])
        else:
            self.inbox.put([post])

    def _deliver(self) -> None:
        while not self._closed.is_set():
            with self._changed:
                now = time.monotonic()
                if not self._late or self._late[0][0] > now:
                    self._changed.wait(min(POLL, self._late[0][0] - now) if self._late else POLL)
                    continue
                _, _, post, out = heapq.heappop(self._late)
            self._hand_over(post, out)

    def close(self) -> None:
        """Leave the bus."""
        self._closed.set()
        self.inner.close()
