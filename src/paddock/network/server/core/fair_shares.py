"""Fair shares: divides the server's CPU time among tokens. A token that has used up its share waits for the others.

A share belongs to a token with all its connections; before the handshake, to an IP address. All work for a connection
is charged to its share, by a `ShareLedger`. The work of the clock, and the steps of clients in the lock, are charged to
no share. A balance may become negative by one piece of work. The share is then held: the server does not read from its
connections, and its streams skip ticks, until the balance is positive again. Under low load a balance recovers at the
rate of wall time: a share has a turn, then the others have theirs. Under high load, each share earns the same fraction
of the time.

Every message of a connection passes its `FairQueue` on the way to the session. The clock waits for clients in the lock,
so their steps must not be delayed. Requests that a cycle needs are handled immediately and charged to the clock. All
other requests are charged to the client's share and wait while it is used up. A program that waits for such an answer
steps late. Therefore a client is released from the lock if its requests wait repeatedly, or if it sends many requests
in many ticks.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Protocol

from paddock.core.user_limits import UserLimits
from paddock.network.protocol import Encoding, Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Grant

if TYPE_CHECKING:
    from paddock.network.server.core.client import Client

TURN = 0.005  # seconds that a share may use at a time
WELCOME = 0.2  # initial balance of a token in seconds, for the requests after connecting
RECENT = 0.25  # seconds; a share that used time within them counts as active
WINDOW = 0.05  # seconds over which the load is measured
SOON = 0.001  # seconds
OUTSIDE = 0.125  # fraction of the time for all other work while clients in the lock run as fast as possible
BUSY = 0.5  # load above which the time is divided
LULL = 2.0  # time constant in seconds with which the measured load decays
ENTRY = 0.0003  # estimated seconds to accept and close a connection

CYCLE = frozenset({m.SendCommands, m.Sense, m.Read, m.Enable, m.Lock})  # and Step
PER_TICK = 8  # such requests in a tick that are charged to the clock; as many again for each robot
MAX_WAITING = 64  # requests
LONGEST = 0.5  # seconds during which requests wait
FEW = 8  # other requests in a tick
MAX_GREEDY = 20  # ticks with more other requests than that
FORGIVEN = 0.1  # fraction of the time, and of the ticks, that is not counted


class Holdable(Protocol):
    """A connection or a clock that can be paused."""

    def hold(self, why: str) -> None:
        """Pause."""

    def release(self, why: str) -> None:
        """Resume, unless another reason remains."""


class Share:
    """Use of the server by one token, or by the unauthenticated clients at one address."""

    def __init__(self, name: str, *, is_unauthenticated: bool = False) -> None:
        self.name, self.is_unauthenticated = name, is_unauthenticated
        self.balance = TURN if is_unauthenticated else WELCOME  # seconds that may still be used; negative after overuse
        self.used = 0.0  # seconds used so far
        self.held = False
        self.connections: dict[Holdable, None] = {}
        self.clocks: dict[Holdable, None] = {}  # of private copies, whose simulation it pays
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

    def wait_for_upload(self, size: int, limits: UserLimits, now: float) -> float:
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

    def of_bridge(self, address: str) -> Share:
        """Return the share of the clients of all bridges at an address."""
        return self._find(("bridges", address), f"clients of bridges at {address}")

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

    def charge(self, share: Share, work: Callable[..., object], *arguments: object) -> None:
        """Do some work and charge its time to a share; work within other work is charged to its own share only."""
        if share is self._current:
            work(*arguments)
            return
        before = self.switch(share)
        try:
            work(*arguments)
        finally:
            self.switch(before)

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
        for holdable in (*share.connections, *share.clocks):
            holdable.hold("share")
        self._call_later(max(0.0, -share.balance / rate), lambda: self._release(share))
        return True

    def _release(self, share: Share) -> None:
        rate = self._terms(share)[1]
        share.pay(self._now(), rate)
        if share.balance <= 0:  # more shares have become active
            self._call_later(max(SOON, -share.balance / rate), lambda: self._release(share))
            return
        share.held = False
        for holdable in (*share.connections, *share.clocks):
            holdable.release("share")

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


class FairQueue:
    """The layer between a connection and the session: charges the handling of messages, or delays it.

    Args:
        shares: of the server.
        connection: is paused while its share is used up.
        address: of the peer.
    """

    def __init__(self, shares: ShareLedger, connection: Holdable, address: str) -> None:
        self._shares, self._connection = shares, connection
        self.client: Client | None = None
        self.waiting: deque[tuple[Message, Encoding, int]] = deque()  # with encoding and bytes
        self._seconds, self._counted = 0.0, 0.0  # time with waiting requests; when it was last updated
        self._besides, self._greedy = 0, 0.0  # other requests since the last step; ticks with many of them
        self.share = self._shares.of_address(address)
        self.share.connections[connection] = None
        self.share.balance -= ENTRY

    def accept(self, client: Client) -> None:
        """Continue with the share of an accepted client."""
        del self.share.connections[self._connection]
        self.client, self.share = client, client.share
        self.share.connections[self._connection] = None

    def close(self) -> None:
        """Remove the connection from its share."""
        self.client = None
        self.share.connections.pop(self._connection, None)
        self._shares.forget_unused()

    @property
    def is_locked(self) -> bool:
        """Whether the clock of several clients waits for the client; a used-up share does not pause it."""
        return self.client is not None and self.client.member.locked and self.client.session.payer is None

    def charge(self, work: Callable[..., object], *arguments: object) -> None:
        """Do some work for this connection. A client in the lock is charged for other requests only."""
        client = self.client
        locked = client is not None and client.member.locked and client.session.payer is None
        self._shares.charge(self._shares.clock if locked else self.share, work, *arguments)

    def charge_reading(self) -> None:
        """Charge received data without a complete message to the share, with the time to read them."""
        self._shares.charge_since_switch(self.share)

    def charge_invalid(self) -> None:
        """Charge an invalid message to the share."""
        self.charge_reading()
        if self.is_locked and self._shares.is_over(self.share):
            self._give_up()

    def is_over(self) -> bool:
        """Whether the share is used up; if so, this connection is paused. A client in the lock waits in the queue."""
        return self.share.balance <= 0 and not self.is_locked and self._shares.is_over(self.share)

    def handle(self, client: Client, message: Message) -> None:
        """Pass a request to the session now, or later."""
        session = client.session
        locked = client.member.locked and session.payer is None
        if locked and self._is_due(client, message):
            session.handle(client, message)
            return
        self._shares.charge_since_switch(client.share)
        self._besides += 1
        if self.waiting or (locked and client.share.held):
            self._count(client)
            self.waiting.append((message, client.encoding, client.received))
        else:
            session.handle(client, message)
        if self.is_locked:
            self._shares.is_over(client.share)
            self._shares.switch(self._shares.clock)

    def handle_waiting(self) -> None:
        """Pass waiting requests to the session until the share is used up."""
        if not self.waiting or self.client is None:
            return
        client = self.client
        self._shares.switch(client.share)
        self._count(client)
        while self.waiting and not self._shares.is_over(client.share):
            message, client.encoding, client.received = self.waiting.popleft()
            client.session.handle(client, message)

    def _count(self, client: Client) -> None:
        """Update the time with waiting requests, and release a client that exceeds the limits."""
        now = time.monotonic()
        elapsed, self._counted = now - self._counted, now
        self._seconds = max(0.0, self._seconds + (bool(self.waiting) - FORGIVEN) * elapsed)
        if len(self.waiting) >= MAX_WAITING or self._seconds > LONGEST:
            self._give_up()

    def _is_due(self, client: Client, message: Message) -> bool:
        """Whether a request is part of the cycle, so that it is handled immediately."""
        if type(message) is m.Step:
            self._end_cycle(client)
            return client.step_id is None
        if type(message) not in CYCLE:
            return False
        most = PER_TICK * (1 + max(1, len(client.driven)))
        return client.share.count_request(client.session.arena.tick) <= most

    def _end_cycle(self, client: Client) -> None:
        """Count the other requests since the last step, and release a client that sends too many."""
        change = 1 - FORGIVEN if self._besides > FEW else -FORGIVEN
        self._greedy, self._besides = max(0.0, self._greedy + change), 0
        if self._greedy > MAX_GREEDY:
            self._give_up()

    def _give_up(self) -> None:
        """Release the client from the lock, if there are other members."""
        if self.client is None or not self.is_locked:
            return
        clock = self.client.session.clock
        if len(clock.lock) > 1:
            clock.release(self.client.member, "its other requests exceed its share of the server's time")
