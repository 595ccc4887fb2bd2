"""LockQueue: queue for the requests of a client in the lock that are not part of its step cycle.

The clock waits for clients in the lock, so their steps must not be delayed. Requests that a cycle needs are handled
immediately and charged to the clock. All other requests are charged to the client's share and wait while it is used up.
A program that waits for such an answer steps late. Therefore a client is released from the lock if its requests wait
repeatedly, or if it sends many requests in many ticks.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from paddock.network.protocol import Encoding, Message
from paddock.network.protocol import messages as m
from paddock.network.server.client import Client

if TYPE_CHECKING:
    from paddock.network.server.session import Session

CYCLE = frozenset({m.Steer, m.Sense, m.Read, m.Enable, m.Lock})  # and Step
PER_TICK = 8  # such requests in a tick that are charged to the clock; as many again for each robot
MAX_WAITING = 64  # requests
LONGEST = 0.5  # seconds during which requests wait
FEW = 8  # other requests in a tick
MAX_GREEDY = 20  # ticks with more other requests than that
FORGIVEN = 0.1  # fraction of the time, and of the ticks, that is not counted


class LockQueue:
    """Request queue of one connection. Requests of clients outside the lock are handled immediately."""

    def __init__(self, session: Session) -> None:
        self._session, self._shares = session, session.shares
        self._waiting: deque[tuple[Message, Encoding, int]] = deque()
        self._seconds, self._counted = 0.0, 0.0  # time with waiting requests; when it was last updated
        self._besides, self._greedy = 0, 0.0  # other requests since the last step; ticks with many of them

    def __len__(self) -> int:
        return len(self._waiting)

    def serve(self, client: Client, message: Message) -> None:
        """Handle a request now, or queue it."""
        if client.member.locked and self._is_due(client, message):
            self._session.handle(client, message)
            return
        self._shares.charge_since_switch(client.share)
        self._besides += 1
        if self._waiting or (client.member.locked and client.share.held):
            self._count(client)
            self._waiting.append((message, client.encoding, client.received))
        else:
            self._session.handle(client, message)
        if client.member.locked:
            self._shares.is_over(client.share)
            self._shares.switch(self._shares.clock)

    def serve_waiting(self, client: Client) -> None:
        """Handle queued requests until the share is used up."""
        self._shares.switch(client.share)
        self._count(client)
        while self._waiting and not self._shares.is_over(client.share):
            message, client.encoding, client.received = self._waiting.popleft()
            self._session.handle(client, message)

    def charge_invalid(self, client: Client) -> None:
        """Charge an invalid message to the client's share."""
        self._shares.charge_since_switch(client.share)
        if client.member.locked and self._shares.is_over(client.share):
            self._give_up(client)

    def _count(self, client: Client) -> None:
        """Update the time with waiting requests, and release a client that exceeds the limits."""
        now = time.monotonic()
        elapsed, self._counted = now - self._counted, now
        self._seconds = max(0.0, self._seconds + (bool(self._waiting) - FORGIVEN) * elapsed)
        if len(self._waiting) >= MAX_WAITING or self._seconds > LONGEST:
            self._give_up(client)

    def _is_due(self, client: Client, message: Message) -> bool:
        """Whether a request is part of the cycle, so that it is handled immediately."""
        if type(message) is m.Step:
            self._end_cycle(client)
            return client.step_id is None
        if type(message) not in CYCLE:
            return False
        most = PER_TICK * (1 + max(1, len(client.driven)))
        return client.share.count_request(self._session.arena.tick) <= most

    def _end_cycle(self, client: Client) -> None:
        """Count the other requests since the last step, and release a client that sends too many."""
        change = 1 - FORGIVEN if self._besides > FEW else -FORGIVEN
        self._greedy, self._besides = max(0.0, self._greedy + change), 0
        if self._greedy > MAX_GREEDY:
            self._give_up(client)

    def _give_up(self, client: Client) -> None:
        """Release a client from the lock, if there are other members."""
        if client.member.locked and len(self._session.clock.lock) > 1:
            self._session.clock.release(client.member, "its other requests exceed its share of the server's time")
