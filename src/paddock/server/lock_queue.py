"""LockQueue: what someone in the lock asks for besides its steps. Its own share pays for that, and it waits for it.

Time waits for those in the lock, so nobody may be kept from stepping: what a cycle needs is done at once, and the clock
pays. All else waits while the share is used up. Programs that wait for an answer then step late, so nobody stays in the
lock who has to wait again and again, or who asks for much in tick after tick.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from paddock.protocol import Encoding, Message
from paddock.protocol import messages as m
from paddock.server.client import Client

if TYPE_CHECKING:
    from paddock.server.session import Session

CYCLE = frozenset({m.Steer, m.Sense, m.Read, m.Enable, m.Lock})  # and a step
PER_TICK = 8  # such requests that the clock pays for in a tick; as many again for each robot
MOST_WAITING = 64  # requests
LONGEST = 0.5  # seconds in which something waits
FEW = 8  # requests of a tick besides the cycle's
MOST_GREEDY = 20  # ticks with more of them
FORGIVEN = 0.1  # of the time, and of the ticks, is not counted


class LockQueue:
    """Of one connection. Who is not in the lock is served at once."""

    def __init__(self, session: Session) -> None:
        self._session, self._shares = session, session.shares
        self._waiting: deque[tuple[Message, Encoding, int]] = deque()
        self._seconds, self._counted = 0.0, 0.0  # in which something waited; when that was last counted
        self._besides, self._greedy = 0, 0.0  # requests since the last step; ticks with many of them

    def __len__(self) -> int:
        return len(self._waiting)

    def serve(self, client: Client, message: Message) -> None:
        """Do what a client asks for, now or later."""
        if client.member.locked and self._is_due(client, message):
            self._session.handle(client, message)
            return
        self._shares.blame(client.share)
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
        """The share has time again: do what waits."""
        self._shares.switch(client.share)
        self._count(client)
        while self._waiting and not self._shares.is_over(client.share):
            message, client.encoding, client.received = self._waiting.popleft()
            self._session.handle(client, message)

    def note_nonsense(self, client: Client) -> None:
        """Something came that is no request."""
        self._shares.blame(client.share)
        if client.member.locked and self._shares.is_over(client.share):
            self._give_up(client)

    def _count(self, client: Client) -> None:
        """Time has passed, with or without something waiting."""
        now = time.monotonic()
        elapsed, self._counted = now - self._counted, now
        self._seconds = max(0.0, self._seconds + (bool(self._waiting) - FORGIVEN) * elapsed)
        if len(self._waiting) >= MOST_WAITING or self._seconds > LONGEST:
            self._give_up(client)

    def _is_due(self, client: Client, message: Message) -> bool:
        """Whether time may wait for this request."""
        if type(message) is m.Step:
            self._end_cycle(client)
            return client.step_id is None
        if type(message) not in CYCLE:
            return False
        most = PER_TICK * (1 + max(1, len(client.driven)))
        return client.share.count_request(self._session.arena.tick) <= most

    def _end_cycle(self, client: Client) -> None:
        """A client steps: see what else it has asked for since its last step."""
        change = 1 - FORGIVEN if self._besides > FEW else -FORGIVEN
        self._greedy, self._besides = max(0.0, self._greedy + change), 0
        if self._greedy > MOST_GREEDY:
            self._give_up(client)

    def _give_up(self, client: Client) -> None:
        """Let time not wait for a client, if there is anybody else for whom it waits."""
        if client.member.locked and len(self._session.clock.lock) > 1:
            self._session.clock.release(client.member, "it asks for far more than its share besides its steps")
