"""Supervision: which clients may join the lock, and how clients are named, released and disconnected."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable

from paddock.core.errors import Refused, UnknownName
from paddock.core.user_limits import UserLimits
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.clock import LAG_REPORT_DELAY, Member
from paddock.network.server.core.service import Service, handles

DISMISSED = 4403  # close code
PAGE = "page"  # name of the web page as a client
MAX_NAMED = 3  # robots named in the log for a lagging client
READMISSION = 10  # times the lock timeout, after which a released client may join the lock again

log = logging.getLogger("paddock.server")


class Supervision(Service):
    """Releases, renames and disconnects the clients of a session."""

    largest_submission = 0  # bytes; such a message is accepted whatever the limits

    @handles(m.Lock, Role.CONTROLLER, done=True)
    def lock(self, client: Client, request: m.Lock) -> None:
        """Add a client to the lock or remove it; the limits of the class cap its timeout."""
        if request.on and not self.may_join_lock(client):
            raise Refused(
                "lock: this exercise does not use lock-step, its clock is free-running: connect with lock_step=False"
            )
        client.wants_lock, client.timeout = request.on, request.timeout
        self.take_part(client)

    @handles(m.Release, Role.SUPERVISOR, done=True)
    def release_by_name(self, client: Client, request: m.Release) -> None:
        for found in self.find_clients(request.client):
            self.release(found, "a supervisor released it")

    @handles(m.Disconnect, Role.SUPERVISOR, done=True)
    def disconnect(self, client: Client, request: m.Disconnect) -> None:
        self.dismiss(self.find_clients(request.client), "a supervisor closed this connection")

    def find_clients(self, name: str) -> list[Client]:
        """Return the connections of a student; if there is no such student, the client of that name."""
        clients = self.session.sessions.clients
        own = [client for client in clients if name and client.grant.name == name]
        found = own or [client for client in clients if name and client.name == name]
        if not found:
            raise UnknownName("client", name, [client.name for client in clients])
        return found

    def release(self, client: Client, reason: str) -> None:
        """Release a client from the lock and stop its robots. The client may join again."""
        client.wants_lock = False
        if client.member.locked:
            client.session.clock.release(client.member, reason)

    def dismiss(self, clients: Iterable[Client], reason: str) -> None:
        """Remove clients from the session, stop their robots, and close their connections."""
        for client in clients:
            client.session.drop(client)
            client.close(DISMISSED, reason)

    def name(self, client: Client) -> None:
        """Name a client by its token, or by the name it sent; web pages of a class are named after their user."""
        own, pages_of = client.grant.name, self.session.occasion.pages_of
        name = own or client.requested_name or "client"
        if pages_of and client.requested_name == PAGE and client.grant.role is not Role.VIEWER:
            name = f"{own or pages_of}'s page"
        client.name = client.member.name = self._make_unique(name)

    def _make_unique(self, name: str) -> str:
        """Return a client name that is not in use and is not the name of another student."""
        taken = {client.name for client in self.session.sessions.clients} | {
            *self.session.ownership.people.values()
        } - {name}
        return next(n for n in (name, *(f"{name}-{i}" for i in range(2, len(taken) + 3))) if n not in taken)

    def rename(self, client: Client) -> None:
        """Update the name of a client, and notify all clients."""
        self.name(client)
        client.session.ownership.changes += 1
        client.session.mark_stale("clock")

    def may_join_lock(self, client: Client) -> bool:
        """Whether a client may join the lock."""
        return self.session.limits.join_lock or self.session.is_private or client.grant.role is Role.SUPERVISOR

    def take_part(self, client: Client) -> None:
        """Make a client a member of the clock; in the lock if it requested that and was not released recently."""
        clock, member = self.session.clock, client.member
        supervises = client.grant.role is Role.SUPERVISOR
        lock = client.wants_lock and (supervises or self.session.loop.time() >= client.share.readmitted)
        if member not in clock.members or member.locked != lock:
            member.timeout = client.timeout if supervises else min(client.timeout, self.session.limits.lock_timeout)
            clock.join(member, lock)

    def longest_message(self, client: Client) -> float:
        """Return the maximum message size in bytes."""
        if client.grant.role is Role.SUPERVISOR:
            return math.inf
        return max(int(1000 * self.session.limits.message_kb), self.largest_submission)

    def set_limits(self, limits: UserLimits) -> None:
        """Change the limits, and release clients that may no longer be in the lock."""
        self.session.limits = limits
        for client in self.session.sessions.clients:
            if client.wants_lock and not client.session.supervision.may_join_lock(client):
                self.release(client, "this exercise does not use lock-step")

    # ---- callbacks of the clock

    def report_lag(self, member: Member) -> None:
        log.warning("the clock waits for %s: no step for %g s", self._who(member), LAG_REPORT_DELAY)

    def report_resumed(self, member: Member) -> None:
        log.warning("%s continues", self._who(member))

    def on_release(self, member: Member, reason: str) -> None:
        robots = self._list_robots(member)
        for name in robots:
            self.session.ownership.halt(name)
        share = next((client.share for client in self.session.clients if client.member is member), None)
        log.warning("released %s from the lock: %s", self._who(member), reason)
        for client in self.session.clients:
            client.send(m.Released(client=member.name, robots=robots, reason=reason))
        if share is not None:
            share.readmitted = self.session.loop.time() + READMISSION * self.session.limits.lock_timeout
            for client in self.session.clients:  # the others must not wait for each client of the same token in turn
                if client.share is share and client.member.locked and client.member.waiting is None:
                    self.session.clock.release(client.member, reason)

    def _list_robots(self, member: Member) -> tuple[str, ...]:
        return next((tuple(client.driven) for client in self.session.clients if client.member is member), ())

    def _who(self, member: Member) -> str:
        """Return a member of the lock with its robots, for log messages."""
        robots = self._list_robots(member)
        first = ", ".join(robots[:MAX_NAMED]) + (", …" if len(robots) > MAX_NAMED else "")
        return f"{member.name} (driving {first})" if first else member.name
