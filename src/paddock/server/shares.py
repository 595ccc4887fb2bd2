"""Shares: the server's time, divided among tokens. Who has used up its share waits until the others had theirs.

A share belongs to a token, with all its connections; before they say who they are, to an address. Whatever is done for
a connection is charged to its share, by switching the ledger to it; what the clock does, and what is done for those in
the lock, is charged to nobody. A share may run into debt by one piece of work. It is then held: nothing is read from
its connections and its streams skip, until the debt is paid back. While time is plentiful, debts are paid back as time
passes: a share has a turn, then the others have theirs. While it is scarce, each share earns the same part of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from typing import Protocol

from paddock.core.limits import ClassLimits
from paddock.server.access import Grant

TURN = 0.005  # seconds that a share may use at a time
RECENT = 0.25  # seconds; who used time within them counts as active
WINDOW = 0.05  # seconds over which the load is measured
SOON = 0.001  # seconds
OUTSIDE = 0.125  # the part of the time for all outside the lock together, while those inside go as fast as they can
BUSY = 0.5  # load above which time is scarce


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
        self.balance = TURN  # seconds in hand; below 0 is a debt
        self.used = 0.0  # seconds so far
        self.held = False
        self.connections: dict[Holdable, None] = {}
        self._paid = 0.0  # when it was last paid
        self._seen = 0.0  # `used` when it was last looked at
        self._active = 0.0  # when it was last seen to have used some
        self.readmitted = 0.0  # when time may wait for its programs again
        self._mark = (-1, 0.0)  # a tick, and `used` when it began
        self._bytes = 0.0  # uploads that are still to be worked off
        self._uploaded = 0.0  # when the last one came

    def is_active(self, now: float) -> bool:
        """Whether it has used time recently."""
        if self.used != self._seen:
            self._seen, self._active = self.used, now
        return now - self._active < RECENT

    def pay(self, now: float, rate: float) -> None:
        """Earn a part of the time since the last payment; no more than a turn is kept."""
        self.balance = min(TURN, self.balance + (now - self._paid) * rate)
        self._paid = now

    def used_in(self, tick: int) -> float:
        """Seconds used since it was first asked about this tick."""
        if self._mark[0] != tick:
            self._mark = tick, self.used
        return self.used - self._mark[1]

    def wait_for_upload(self, size: int, limits: ClassLimits, now: float) -> float:
        """Seconds until so many bytes may be uploaded; 0 counts them as uploaded."""
        rate, most = 1000 * limits.upload_kb_per_s, 1000 * limits.upload_kb
        self._bytes = max(0.0, self._bytes - (now - self._uploaded) * rate)
        self._uploaded = now
        if self._bytes + size > most:
            return (self._bytes + size - most) / rate
        self._bytes += size
        return 0.0


class Shares:
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
        """Shares without connections and debts are not kept: strangers may come from anywhere."""
        now = self._now()
        self._all = {key: share for key, share in self._all.items() if share.connections or share.is_active(now)}

    # ---- charging

    def switch(self, share: Share) -> Share:
        """Charge a share from now on; whom it was before."""
        now, before = self._now(), self._current
        elapsed = now - self._since
        before.used += elapsed
        before.balance -= elapsed
        self._current, self._since = share, now
        return before

    @property
    def current(self) -> Share:
        return self._current

    def is_over(self, share: Share) -> bool:
        """Whether a share has had its turn; then it is held."""
        if share is self._current:
            self.switch(share)
        if share.held:
            return True
        if share.balance > 0 or share is self.clock:
            return False
        self._measure()
        share.pay(self._since, self._rate(share))
        if share.balance > 0:
            return False
        self._hold(share)
        return True

    def _measure(self) -> None:
        now, idle = self._since, self.nobody.used
        if now - self._measured > WINDOW:
            self.load = 1.0 - (idle - self._idle) / (now - self._measured)
            self._measured, self._idle = now, idle

    def _rate(self, share: Share) -> float:
        """What a share earns per second. Where time is scarce, a part is left over that is as large as each of theirs.

        Those in the lock need not care for the others, nor anybody for strangers.
        """
        first, now = self._first(), self._now()
        rivals = first - {share}
        if share in first:
            scarce = self.load > BUSY
        else:
            active = {other for other in self._all.values() if not other.is_strange and other.is_active(now)}
            if first and self._flat_out():
                return OUTSIDE / len(active - first | {share})
            rivals |= active - {share}
            scarce = self.load > BUSY
        return 1.0 / (len(rivals) + 2) if rivals and scarce else 1.0

    # ---- holding

    def _hold(self, share: Share) -> None:
        share.held = True
        for connection in share.connections:
            connection.hold("share")
        self._call_later(max(0.0, -share.balance / self._rate(share)), lambda: self._release(share))

    def _release(self, share: Share) -> None:
        now = self._now()
        self._measure()
        rate = self._rate(share)
        share.pay(now, rate)
        if share.balance <= 0:  # more of the others are active by now
            self._call_later(max(SOON, -share.balance / rate), lambda: self._release(share))
            return
        share.held = False
        for connection in list(share.connections):
            connection.release("share")
