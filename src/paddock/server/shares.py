"""ShareLedger: the server's time, divided among tokens. Who has used up its share waits until the others had theirs.

A share belongs to a token, with all its connections; before they say who they are, to an address. Whatever is done for
a connection is charged to its share, by switching the ledger to it; what the clock does, and the steps of those in the
lock, is charged to nobody. A share may run into debt by one piece of work. It is then held: nothing is read from
its connections and its streams skip, until the debt is paid back. While time is plentiful, debts are paid back as time
passes: a share has a turn, then the others have theirs. While it is scarce, each share earns the same part of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Protocol

from paddock.core.limits import ClassLimits
from paddock.server.access import Grant

TURN = 0.005  # seconds that a share may use at a time
WELCOME = 0.2  # seconds that a token has at first: to look around, and to be heard of
RECENT = 0.25  # seconds; who used time within them counts as active
WINDOW = 0.05  # seconds over which the load is measured
SOON = 0.001  # seconds
OUTSIDE = 0.125  # the part of the time for all but the steps of those in the lock, while they go as fast as they can
BUSY = 0.5  # load above which time is scarce
LULL = 2.0  # seconds in which a load is forgotten


class Holdable(Protocol):
    """A connection, as far as shares know it."""

    def hold(self, why: str) -> None:
        """Nothing is read any more."""

    def release(self, why: str) -> None:
        """Reading goes on, unless there is another reason not to."""


class Share:
    """What one token, or the strangers at one address, use of the server."""

    def __init__(self, name: str, *, is_strange: bool = False) -> None:
        self.name, self.is_strange = name, is_strange
        self.balance = TURN if is_strange else WELCOME  # seconds in hand; below 0 is a debt
        self.used = 0.0  # seconds so far
        self.held = False
        self.connections: dict[Holdable, None] = {}
        self._paid = 0.0  # when it was last paid
        self._seen = 0.0  # `used` when it was last looked at
        self._active = 0.0  # when it was last seen to have used some
        self.readmitted = 0.0  # when time may wait for its programs again
        self._streamed = (-1, 0.0)  # a tick, and CPU seconds for its streams
        self._counted = (-1, 0)  # a tick, and requests in it
        self._bytes = 0.0  # uploads that are still to be worked off
        self._uploaded = 0.0  # when the last one came

    def is_active(self, now: float) -> bool:
        """Whether it has used time recently."""
        if self.used != self._seen:
            self._seen, self._active = self.used, now
        return now - self._active < RECENT

    def pay(self, now: float, rate: float) -> None:
        """Earn a part of the time since the last payment; no more than a turn is saved up."""
        self.balance = max(self.balance, min(TURN, self.balance + (now - self._paid) * rate))
        self._paid = now

    def add_streamed(self, tick: int, seconds: float) -> float:
        """Note CPU time for streams in this tick; all of it so far."""
        self._streamed = tick, seconds + (self._streamed[1] if self._streamed[0] == tick else 0.0)
        return self._streamed[1]

    def count_request(self, tick: int) -> int:
        """How many requests there were in this tick, with the present one."""
        self._counted = tick, self._counted[1] + 1 if self._counted[0] == tick else 1
        return self._counted[1]

    def wait_for_upload(self, size: int, limits: ClassLimits, now: float) -> float:
        """Seconds until so many bytes may be uploaded; 0 counts them as uploaded."""
        rate, most = 1000 * limits.upload_kb_per_s, 1000 * limits.upload_kb
        self._bytes = max(0.0, self._bytes - (now - self._uploaded) * rate)
        self._uploaded = now
        if self._bytes + size > most:
            return (self._bytes + size - most) / rate
        self._bytes += size
        return 0.0


class ShareLedger:
    """The ledger: at any moment, one share is charged, or nobody is.

    Args:
        call_later: has a function called after some seconds.
        first: the shares of those in the lock.
        flat_out: whether those in the lock use all the time there is.
        now: the time in seconds.
    """

    def __init__(
        self,
        call_later: Callable[[float, Callable[[], object]], object],
        first: Callable[[], set[Share]],
        flat_out: Callable[[], bool],
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._call_later, self._first, self._flat_out, self._now = call_later, first, flat_out, now
        self._all: dict[Hashable, Share] = {}
        self.nobody = Share("nobody")  # the loop sleeps
        self.clock = Share("clock")
        self._current, self._since = self.nobody, now()
        self.load = 0.0  # the part of the time in which something was done, as last measured
        self._measured, self._idle = self._since, 0.0

    def of_grant(self, grant: Grant, address: str) -> Share:
        """The share of a token. One without a name is handed to many: each address has a share of its own."""
        if grant.name:
            return self._find(("token", grant.name), grant.name)
        return self._find((grant.role, address), f"{grant.role} at {address}")

    def of_address(self, address: str) -> Share:
        """The share of those who have not said who they are."""
        return self._find(address, f"strangers at {address}", is_strange=True)

    def _find(self, key: Hashable, name: str, *, is_strange: bool = False) -> Share:
        found = self._all.get(key)
        if found is None:
            found = self._all[key] = Share(name, is_strange=is_strange)
            found.pay(self._now(), 0.0)
        return found

    def __iter__(self) -> Iterator[Share]:
        return iter(self._all.values())

    def forget_unused(self) -> None:
        """Shares of addresses without connections are not kept: strangers may come from anywhere."""
        now = self._now()
        unused = [
            key
            for key, share in self._all.items()
            if share.is_strange and not share.connections and not share.held and not share.is_active(now)
        ]
        for key in unused:
            del self._all[key]

    # ---- charging

    def switch(self, share: Share) -> Share:
        """Charge a share from now on; whom it was before."""
        now, before = self._now(), self._current
        elapsed = now - self._since
        before.used += elapsed
        before.balance -= elapsed
        self._current, self._since = share, now
        return before

    def blame(self, share: Share) -> None:
        """Charge a share, also for what was done since the last switch: it is known only now whose work that was."""
        self._current = share

    @property
    def current(self) -> Share:
        return self._current

    def is_over(self, share: Share) -> bool:
        """Whether a share has had its turn; then it is held, if only until the others had theirs."""
        if share is self._current:
            self.switch(share)
        if share.held:
            return True
        if share.balance > 0 or share is self.clock:
            return False
        self._measure_load()
        rivals, rate = self._terms(share)
        share.pay(self._since, rate)
        if not rivals:  # nobody would have the time instead
            share.balance = max(share.balance, 0.0)
            return False
        share.held = True
        for connection in share.connections:
            connection.hold("share")
        self._call_later(max(0.0, -share.balance / rate), lambda: self._release(share))
        return True

    def _release(self, share: Share) -> None:
        rate = self._terms(share)[1]
        share.pay(self._now(), rate)
        if share.balance <= 0:  # more of the others are active by now
            self._call_later(max(SOON, -share.balance / rate), lambda: self._release(share))
            return
        share.held = False
        for connection in list(share.connections):
            connection.release("share")

    def _measure_load(self) -> None:
        """Those who are held lower it, so that it is forgotten slowly."""
        now, idle = self._since, self.nobody.used
        elapsed = now - self._measured
        if elapsed > WINDOW:
            self.load = max(1.0 - (idle - self._idle) / elapsed, self.load * math.exp(-elapsed / LULL))
            self._measured, self._idle = now, idle

    def _terms(self, share: Share) -> tuple[set[Share], float]:
        """The rivals of a share, and what it earns per second.

        Where time is scarce, a part is left over that is as large as each of theirs. Those in the lock need not care
        for the others, nor anybody for strangers. Steps that go as fast as they can leave a small part for all else.
        """
        first, now = self._first(), self._now()
        active = {other for other in self._all.values() if not other.is_strange and other.is_active(now)}
        if first - {share} and self._flat_out():
            return first - {share}, OUTSIDE / len(active | {share})
        if share in first:
            active &= first
        rivals = (first | active) - {share}
        if not rivals or self.load < BUSY:
            return rivals, 1.0
        return rivals, OUTSIDE if share.is_strange else 1.0 / (len(rivals) + 2)
