"""ShareLedger: divides the server's CPU time among tokens. A token that has used up its share waits for the others.

A share belongs to a token with all its connections; before the handshake, to an IP address. All work for a connection
is charged to its share, by switching the ledger to that share. The work of the clock, and the steps of clients in the
lock, are charged to no share. A balance may become negative by one piece of work. The share is then held: the server
does not read from its connections, and its streams skip ticks, until the balance is positive again. Under low load a
balance recovers at the rate of wall time: a share has a turn, then the others have theirs. Under high load, each share
earns the same fraction of the time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Protocol

from paddock.core.user_limits import ClassLimits
from paddock.network.server.access import Grant

TURN = 0.005  # seconds that a share may use at a time
WELCOME = 0.2  # initial balance of a token in seconds, for the requests after connecting
RECENT = 0.25  # seconds; a share that used time within them counts as active
WINDOW = 0.05  # seconds over which the load is measured
SOON = 0.001  # seconds
OUTSIDE = 0.125  # fraction of the time for all other work while clients in the lock run as fast as possible
BUSY = 0.5  # load above which the time is divided
LULL = 2.0  # time constant in seconds with which the measured load decays


class Holdable(Protocol):
    """A connection that can be paused."""

    def hold(self, why: str) -> None:
        """Pause reading."""

    def release(self, why: str) -> None:
        """Resume reading, unless another reason remains."""


class Share:
    """Use of the server by one token, or by the unauthenticated clients at one address."""

    def __init__(self, name: str, *, is_unauthenticated: bool = False) -> None:
        self.name, self.is_unauthenticated = name, is_unauthenticated
        self.balance = TURN if is_unauthenticated else WELCOME  # seconds that may still be used; negative after overuse
        self.used = 0.0  # seconds used so far
        self.held = False
        self.connections: dict[Holdable, None] = {}
        self._paid = 0.0  # time of the last payment
        self._seen = 0.0  # `used` at the last check
        self._active = 0.0  # time of the last detected use
        self.readmitted = 0.0  # time from which its programs may join the lock again
        self._streamed = (-1, 0.0)  # a tick, and CPU seconds for its streams
        self._counted = (-1, 0)  # a tick, and requests in it
        self._bytes = 0.0  # uploaded bytes above the allowed rate
        self._uploaded = 0.0  # time of the last upload

    def is_active(self, now: float) -> bool:
        """Whether it has used time recently."""
        if self.used != self._seen:
            self._seen, self._active = self.used, now
        return now - self._active < RECENT

    def pay(self, now: float, rate: float) -> None:
        """Add a fraction of the time since the last payment to the balance, up to one turn."""
        self.balance = max(self.balance, min(TURN, self.balance + (now - self._paid) * rate))
        self._paid = now

    def add_streamed(self, tick: int, seconds: float) -> float:
        """Add CPU time for streams in this tick; return the sum in this tick."""
        self._streamed = tick, seconds + (self._streamed[1] if self._streamed[0] == tick else 0.0)
        return self._streamed[1]

    def count_request(self, tick: int) -> int:
        """Count a request, and return the number of requests in this tick."""
        self._counted = tick, self._counted[1] + 1 if self._counted[0] == tick else 1
        return self._counted[1]

    def wait_for_upload(self, size: int, limits: ClassLimits, now: float) -> float:
        """Return the seconds until `size` bytes may be uploaded; if 0, count them as uploaded."""
        rate, most = 1000 * limits.upload_kb_per_s, 1000 * limits.upload_kb
        self._bytes = max(0.0, self._bytes - (now - self._uploaded) * rate)
        self._uploaded = now
        if self._bytes + size > most:
            return (self._bytes + size - most) / rate
        self._bytes += size
        return 0.0


class ShareLedger:
    """Charges the elapsed time to the current share.

    Args:
        call_later: schedules a function after some seconds.
        first: returns the shares of the clients in the lock.
        unpaced: returns whether the clock runs as fast as possible.
        now: returns the time in seconds.
    """

    def __init__(
        self,
        call_later: Callable[[float, Callable[[], object]], object],
        first: Callable[[], set[Share]],
        unpaced: Callable[[], bool],
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._call_later, self._first, self._unpaced, self._now = call_later, first, unpaced, now
        self._all: dict[Hashable, Share] = {}
        self.nobody = Share("nobody")  # charged while the loop sleeps
        self.clock = Share("clock")
        self._current, self._since = self.nobody, now()
        self.load = 0.0  # fraction of the time in which the server was busy, as last measured
        self._measured, self._idle = self._since, 0.0

    def of_grant(self, grant: Grant, address: str) -> Share:
        """Return the share of a token. A token without a name may have many users: each address has its own share."""
        if grant.name:
            return self._find(("token", grant.name), grant.name)
        return self._find((grant.role, address), f"{grant.role} at {address}")

    def of_address(self, address: str) -> Share:
        """Return the share of the unauthenticated clients at an address."""
        return self._find(address, f"unauthenticated clients at {address}", is_unauthenticated=True)

    def _find(self, key: Hashable, name: str, *, is_unauthenticated: bool = False) -> Share:
        found = self._all.get(key)
        if found is None:
            found = self._all[key] = Share(name, is_unauthenticated=is_unauthenticated)
            found.pay(self._now(), 0.0)
        return found

    def __iter__(self) -> Iterator[Share]:
        return iter(self._all.values())

    def forget_unused(self) -> None:
        """Delete the shares of addresses without connections, so that their number stays bounded."""
        now = self._now()
        unused = [
            key
            for key, share in self._all.items()
            if share.is_unauthenticated and not share.connections and not share.held and not share.is_active(now)
        ]
        for key in unused:
            del self._all[key]

    # ---- charging

    def switch(self, share: Share) -> Share:
        """Charge a share from now on; return the previous one."""
        now, before = self._now(), self._current
        elapsed = now - self._since
        before.used += elapsed
        before.balance -= elapsed
        self._current, self._since = share, now
        return before

    def charge_since_switch(self, share: Share) -> None:
        """Charge a share, including the time since the last switch, when its share was not yet known."""
        self._current = share

    @property
    def current(self) -> Share:
        return self._current

    def is_over(self, share: Share) -> bool:
        """Return whether a share is used up; if so, hold it until it has a positive balance again."""
        if share is self._current:
            self.switch(share)
        if share.held:
            return True
        if share.balance > 0 or share is self.clock:
            return False
        self._measure_load()
        rivals, rate = self._terms(share)
        share.pay(self._since, rate)
        if not rivals:  # no other share needs the time
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
        if share.balance <= 0:  # more shares have become active
            self._call_later(max(SOON, -share.balance / rate), lambda: self._release(share))
            return
        share.held = False
        for connection in list(share.connections):
            connection.release("share")

    def _measure_load(self) -> None:
        """Update the load. It decays slowly, because held shares reduce the measured load."""
        now, idle = self._since, self.nobody.used
        elapsed = now - self._measured
        if elapsed > WINDOW:
            self.load = max(1.0 - (idle - self._idle) / elapsed, self.load * math.exp(-elapsed / LULL))
            self._measured, self._idle = now, idle

    def _terms(self, share: Share) -> tuple[set[Share], float]:
        """Return the rivals of a share, and the seconds that it earns per second.

        Under high load, one equal part of the time stays unassigned. Clients in the lock compete only with each other,
        and unauthenticated clients compete with all but are no rivals. A clock that runs as fast as
        possible leaves a small part for the rest.
        """
        first, now = self._first(), self._now()
        active = {other for other in self._all.values() if not other.is_unauthenticated and other.is_active(now)}
        if first - {share} and self._unpaced():
            return first - {share}, OUTSIDE / len(active | {share})
        if share in first:
            active &= first
        rivals = (first | active) - {share}
        if not rivals or self.load < BUSY:
            return rivals, 1.0
        return rivals, OUTSIDE if share.is_unauthenticated else 1.0 / (len(rivals) + 2)
