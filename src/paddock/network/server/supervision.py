"""Supervision: which clients may join the lock, and how clients are released and disconnected."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from paddock.core.errors import Refused
from paddock.core.user_limits import ClassLimits
from paddock.network.server.access import Role
from paddock.network.server.client import Client

if TYPE_CHECKING:
    from paddock.network.server.session import Session

DISMISSED = 4403  # close code
PAGE = "page"  # name of the web page as a client


class Supervision:
    """Releases, renames and disconnects the clients of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def release(self, client: Client, reason: str) -> None:
        """Release a client from the lock and stop its robots. The client may join again."""
        client.wants_lock = False
        if client.member.locked:
            self._session.clock.release(client.member, reason)

    def dismiss(self, clients: Iterable[Client], reason: str) -> None:
        """Remove clients from the session, stop their robots, and close their connections."""
        for client in clients:
            self._session.drop(client)
            client.close(DISMISSED, reason)

    def name(self, client: Client) -> None:
        """Name a client by its token, or by the name it sent; in a class, web pages are named after their user."""
        own = client.grant.name
        name = own or client.requested_name or "client"
        if (
            self._session.classroom is not None
            and client.requested_name == PAGE
            and client.grant.role is not Role.VIEWER
        ):
            name = f"{own or 'lecturer'}'s page"
        client.name = client.member.name = self._session.unique(name)

    def rename(self, client: Client) -> None:
        """Update the name of a client, and notify all clients."""
        self.name(client)
        self._session.ownership.changes += 1
        self._session.mark_stale("clock")

    def may_join_lock(self, client: Client) -> bool:
        """Whether a client may join the lock."""
        return self._session.limits.join_lock or client.grant.role is Role.SUPERVISOR

    def join_lock(self, client: Client, on: bool, timeout: float) -> None:
        """Add a client to the lock or remove it; the limits of the class cap its timeout."""
        if on and not self.may_join_lock(client):
            raise Refused(
                "lock: this exercise does not use lock-step, its clock is free-running: connect with lock_step=False"
            )
        client.wants_lock, client.timeout = on, timeout
        self.take_part(client)

    def take_part(self, client: Client) -> None:
        """Make a client a member of the clock; in the lock if it requested that and was not released recently."""
        clock, member = self._session.clock, client.member
        supervises = client.grant.role is Role.SUPERVISOR
        lock = client.wants_lock and (supervises or asyncio.get_running_loop().time() >= client.share.readmitted)
        if member not in clock.members or member.locked != lock:
            member.timeout = client.timeout if supervises else min(client.timeout, self._session.limits.lock_timeout)
            clock.join(member, lock)

    def longest_message(self, client: Client) -> float:
        """Return the maximum message size in bytes; in a class, the largest submission must fit."""
        if client.grant.role is Role.SUPERVISOR:
            return math.inf
        classroom = self._session.classroom
        handed_in = classroom.folder.spec.longest_submission if classroom is not None else 0
        return max(int(1000 * self._session.limits.message_kb), handed_in)

    def set_limits(self, limits: ClassLimits) -> None:
        """Change the limits, and release clients that may no longer be in the lock."""
        self._session.limits = limits
        for client in self._session.clients:
            if client.wants_lock and not self.may_join_lock(client):
                self.release(client, "this exercise does not use lock-step")
