"""BridgedTime: the clock of a server for bridges, which simulate robots for other programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from paddock.arena import Arena
from paddock.arena.time_lock import SimulationState, TimeMember
from paddock.core.errors import Refused
from paddock.network.server.core.clock import Member
from paddock.network.server.core.fair_shares import Share
from paddock.network.server.core.service import Service
from paddock.network.server.core.session import Session


class ServedMember:
    """A client of a bridge as a member of the server's clock."""

    def __init__(self, time: BridgedTime, member: Member, share: Share, resume: Callable[[], object]) -> None:
        self._time, self._session, self._member, self.name = time, time.session, member, member.name
        self._share, self._resume, self.held = share, resume, share.held
        share.connections[self] = None

    @property
    def locked(self) -> bool:
        return self._member.locked

    def lock(self, on: bool) -> None:
        if on != self._member.locked:
            if on:
                self._time.refuse_beside_token_holders("held")
            self._session.clock.join(self._member, on)

    def charge(self, work: Callable[[], object]) -> None:
        shares = self._session.shares
        shares.charge(shares.clock if self.locked else self._share, work)
        if not self.locked:
            shares.is_over(self._share)

    def hold(self, why: str) -> None:
        self.held = not self.locked

    def release(self, why: str) -> None:
        self.held = False
        self._resume()

    def ask(self, ticks: int, then: Callable[[], None]) -> None:
        self._session.clock.ask(self._member, ticks, then)

    def leave(self) -> None:
        self._share.connections.pop(self, None)
        self._session.clock.leave(self._member)


class BridgedTime(Service):
    """Implements `TimeLock` for an arena; active once the server's event loop runs.

    Args:
        arena: the served arena.
    """

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self._begin: list[Callable[[asyncio.AbstractEventLoop], object]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        arena.time_lock = self

    def attach(self, session: Session) -> None:
        super().attach(session)
        self._loop = session.loop
        self.arena.find_owner = self._find_owner
        for begin in self._begin:
            begin(self._loop)

    def close(self) -> None:
        if self.arena.time_lock is self:
            self.arena.time_lock = None
            self.arena.find_owner = lambda robot: ""

    def _find_owner(self, robot: str) -> str:
        """Return the client that has claimed a robot by its token; "" if there is none. Called from any thread."""
        owner = self.session.ownership.owners.get(robot)
        return "" if owner is None or owner.grant is self.session.tokens.local else owner.name

    def refuse_beside_token_holders(self, what: str) -> None:
        """Refuse to change the clock of clients that have been admitted by a token."""
        holders = [
            client.name
            for client in self.session.clients
            if client.grant is not self.session.tokens.local and client.driven
        ]
        if holders:
            raise Refused(f"the simulation cannot be {what}: {', '.join(holders)} drive robots")

    def on_start(self, begin: Callable[[asyncio.AbstractEventLoop], object]) -> None:
        self._begin.append(begin)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(begin, self._loop)

    def call(self, function: Callable[[], object]) -> None:
        assert self._loop is not None, "the server is not running yet"
        self._loop.call_soon_threadsafe(function)

    def keep_awake(self, until: float) -> None:
        self.session.clock.keep_awake(until)

    @property
    def state(self) -> SimulationState:
        if self.session.clock.running:
            return "running"
        return "paused" if self.session.arena.tick else "stopped"

    @property
    def speed(self) -> float | None:
        return self.session.clock.speed

    def join(
        self, name: str, *, timeout: float, address: str = "", resume: Callable[[], object] = lambda: None
    ) -> ServedMember:
        member = Member(name, timeout=timeout)
        self.session.clock.join(member, False)
        return ServedMember(self, member, self.session.shares.of_bridge(address), resume)

    def run(self) -> None:
        if not self.session.clock.running:
            self.session.clock.set_running(True)

    def pause(self) -> None:
        if self.session.clock.running:
            self.refuse_beside_token_holders("paused")
            self.session.clock.set_running(False)

    def advance(self, ticks: int) -> None:
        self.session.clock.advance(ticks)

    def stop(self, mine: Iterable[TimeMember] = ()) -> None:
        session, own = self.session, {member._member for member in mine if isinstance(member, ServedMember)}
        locked = [member.name for member in session.clock.lock if member not in own]
        driven = [f"{owner.name} (driving {robot})" for robot, owner in session.ownership.owners.items()]
        if locked or driven:
            raise Refused(f"the simulation cannot be stopped: {', '.join([*locked, *driven])} still take part")
        session.arena.reset()  # first, because arenas of real robots refuse
        session.clock.set_running(False)
        session.on_jump()
