"""Who may do what: roles, tokens, and the headers that browsers send."""

from __future__ import annotations

import hmac
import re
import secrets
import socket
from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum

from paddock.core.addresses import is_loopback
from paddock.core.errors import Refused

HOST = re.compile(r"(?:(?P<name>[\w.-]+)|\[(?P<address>[0-9A-Fa-f:.]+)\])(?::\d{1,5})?", re.ASCII)


class Role(IntEnum):
    """Each may do what those before it may."""

    VIEWER = 0  # look on
    CONTROLLER = 1  # drive robots
    SUPERVISOR = 2  # move robots, command the clock, know the truth

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Grant:
    """What a token allows."""

    role: Role
    robots: frozenset[str] | None = None  # those it names, and `NAME_…` that they bring along; None for all
    name: str = ""  # whom it was made for

    def covers(self, robot: str) -> bool:
        """Whether it allows to read this robot, and for controllers to drive it."""
        return self.robots is None or robot in self.robots or robot.partition("_")[0] in self.robots

    def check(self, role: Role, what: str) -> None:
        """Refuse what needs a higher role."""
        if self.role < role:
            raise Refused(f"{what}: only a {role} may do that, and you are a {self.role}")

    def check_robot(self, robot: str, what: str) -> None:
        """Refuse robots that the token does not name."""
        if not self.covers(robot):
            named = ", ".join(sorted(self.robots or ())) or "none"
            raise Refused(f"{what}: your token does not name robot {robot!r} (it names: {named})")


EVERYTHING = Grant(Role.SUPERVISOR)


class Tokens:
    """The tokens of a server."""

    def __init__(self, *, demanded: bool = False) -> None:
        self.demanded = demanded  # also from this machine
        self._grants: dict[str, Grant] = {}

    def add(self, grant: Grant, token: str | None = None) -> str:
        """Make a token, or take the one given, for a grant."""
        token = token or secrets.token_urlsafe(12)
        self._grants[token] = grant
        return token

    def grant(self, token: str, *, local: bool) -> Grant:
        """What a token is worth. Without one, those on this machine may do everything, others nothing."""
        for known, grant in self._grants.items():
            if hmac.compare_digest(known.encode(), token.encode("utf-8", "replace")):
                return grant
        if token:
            raise Refused("token: this token is not valid here; ask for a new join link")
        if not local or self.demanded:
            whom = "here" if local else "from another machine"
            raise Refused(f"token: {whom} this server wants a token; ask for a join link")
        return EVERYTHING


def own_address() -> str:
    """This machine's address in its network: names may be unknown there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent; the system just chooses an address to send from
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def own_hosts(bound: str, extra: Collection[str] = ()) -> frozenset[str]:
    """The names under which browsers may know this server."""
    hosts = {"localhost", "127.0.0.1", "::1", *extra}
    if not is_loopback(bound):
        name = socket.gethostname()
        hosts |= {name, f"{name}.local", bound}
    return frozenset(host.lower() for host in hosts)


def foreign_header(
    host: str | None, origin: str | None, *, hosts: Collection[str], reached_at: str, proxied: bool = False
) -> str:
    """Why a request is refused: an empty text if both headers are fine.

    A page of another site may open a connection to this machine, and a name of its own may lead here. Both show in
    the headers. Programs send no Origin. Only a proxy in front of this server can have added TLS.
    """
    name = host_name(host or "")
    if not name or (name not in hosts and name != reached_at.split("%")[0]):
        return f"Host {host!r} is not this server; the server's owner can allow other names"
    schemes = ("http://", "https://") if proxied else ("http://",)
    if origin is not None and origin.lower() not in [f"{scheme}{host}".lower() for scheme in schemes]:
        return f"Origin {origin!r} is another site: expected http://{host}"
    return ""


def host_name(host: str) -> str:
    """The name or address in a Host header, in small letters; an empty text if it is anything else."""
    found = HOST.fullmatch(host)
    return (found["name"] or found["address"]).lower() if found else ""
