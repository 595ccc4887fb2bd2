"""Who may do what: roles and tokens."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from enum import IntEnum

from paddock.core.errors import Refused


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
