"""Sessions: the shared session of a server and private copies of its world, and how clients move between them.

They have tokens, names of people, limits, the occasion and the fair shares in common. A private copy has its own arena,
clock and services. Its simulation is charged to the share of its owner, so it can slow nobody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from paddock.arena import Arena
from paddock.core.errors import PaddockError, Refused
from paddock.core.user_limits import UserLimits
from paddock.network.server.core.access import Grant, Tokens
from paddock.network.server.core.client import Client
from paddock.network.server.core.fair_shares import Share, ShareLedger
from paddock.network.server.core.service import Service
from paddock.network.server.core.session import Session
from paddock.network.server.core.visibility import Occasion

AWAY = 600.0  # wall seconds without a client after which a private copy is closed
MAX_COPIES = 256  # at the same time
NOBODY = "nobody is there"  # why the clock of a private copy is stopped


@dataclass(frozen=True, kw_only=True)
class PrivateCopy:
    """What a new private copy consists of."""

    arena: Arena
    services: Sequence[Service]
    guests: Sequence[Service] = ()  # services of the shared session that also handle messages of the copy
    payer: Share  # of its owner


class CopyRule(Protocol):
    """Decides who is in which private copy, and makes the copies."""

    def choose(self, grant: Grant, wanted: str) -> str:
        """Return the name of the copy for a client that asks for `wanted`; empty: the shared session. Or refuse."""

    def make(self, name: str) -> PrivateCopy:
        """Make the copy of this name."""


class Sessions:
    """All sessions of a server.

    Args:
        tokens: with which clients join.
        people: full names of students, by robot.
        limits: of a token.
        speed: of private copies, in simulated seconds per second; None for as fast as possible.
    """

    shared: Session

    def __init__(self, *, tokens: Tokens, people: dict[str, str], limits: UserLimits, speed: float | None) -> None:
        self.tokens, self.people, self.limits, self.speed = tokens, people, limits, speed
        self.occasion = Occasion()
        self.copies: dict[str, Session] = {}  # by name
        self.rule: CopyRule | None = None  # None: there are no private copies
        self.loop = asyncio.get_running_loop()
        self.shares = ShareLedger(
            self.loop.call_later,
            first=lambda: {client.share for client in self.shared.clients if client.member.locked},
            unpaced=lambda: self.shared.clock.speed is None,
        )
        self._timers: dict[str, asyncio.TimerHandle] = {}  # until a copy without clients is closed

    def __iter__(self) -> Iterator[Session]:
        yield self.shared
        yield from self.copies.values()

    @property
    def clients(self) -> list[Client]:
        """The clients of all sessions."""
        return [client for session in self for client in session.clients]

    def find(self, grant: Grant, wanted: str) -> Session:
        """Return the session for a client with this grant, which may ask for a private copy by its name."""
        if self.rule is None and wanted:
            raise Refused("copy: this server has no private copies; that of a class has (`paddock class serve`)")
        return self.open(self.rule.choose(grant, wanted) if self.rule is not None else "")

    def open(self, name: str) -> Session:
        """Return the private copy of this name, which is made if it does not exist; empty: the shared session."""
        if not name:
            return self.shared
        if name not in self.copies:
            self._make_room()
            assert self.rule is not None
            try:
                copy = self.rule.make(name)
            except PaddockError as error:  # there is no room for the robot
                raise Refused(f"copy: the private copy cannot be made: {error}") from error
            self.copies[name] = session = Session(
                copy.arena, self, speed=self.speed, lock_step=False, name=name, payer=copy.payer
            )
            session.clock.block(NOBODY)
            session.serve(copy.services, copy.guests)
            self.note_presence(session)
        return self.copies[name]

    def _make_room(self) -> None:
        if len(self.copies) < MAX_COPIES:
            return
        empty = next((name for name, session in self.copies.items() if not session.clients), None)
        if empty is None:
            raise Refused(f"copy: there are {MAX_COPIES} private copies in use already; try again later")
        self.close_copy(empty)

    def note_presence(self, session: Session) -> None:
        """Stop the clock of a private copy without clients, and close it if it stays without; called after changes."""
        if not session.name:
            return
        if timer := self._timers.pop(session.name, None):
            timer.cancel()
        if session.clients:
            session.clock.unblock(NOBODY)
        else:
            session.clock.block(NOBODY)
            self._timers[session.name] = self.loop.call_later(AWAY, self.close_copy, session.name)

    def close_copy(self, name: str) -> None:
        """Close a private copy; its clients move to the shared session."""
        session = self.copies.pop(name, None)
        if timer := self._timers.pop(name, None):
            timer.cancel()
        if session is not None:
            for client in list(session.clients):
                self.move(client, self.shared)
            if timer := self._timers.pop(name, None):
                timer.cancel()
            session.close()
            session.arena.close()

    def close(self) -> None:
        """Close all sessions."""
        for timer in self._timers.values():
            timer.cancel()
        for session in self:
            session.close()
        for copy in self.copies.values():
            copy.arena.close()

    def move(self, client: Client, target: Session) -> None:
        """Move a client to another session.

        It keeps its enabled devices, subscriptions and frames, and drives the robots of the same names. A pending step
        is answered there immediately. It is told that the world has changed.
        """
        source = client.session
        if source is target:
            return
        driven, waits = list(client.driven), client.step_id is not None
        took_part = client.member in source.clock.members
        source.leave(client)
        client.follow(target.arena)
        target.enter(client)
        for name in driven:
            if name in target.arena:
                try:
                    target.ownership.claim(client, name)
                except PaddockError:
                    continue  # it may not drive there at present
        if took_part:
            target.supervision.take_part(client)
        target.announce_arrival(client)
        if waits:
            target.clock.ask(client.member, 0, lambda: client.session.finish_step(client))
