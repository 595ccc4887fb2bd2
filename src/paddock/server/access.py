"""Who may do what: roles and tokens."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
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
    exercise: str = ""  # that limits the next two
    devices: frozenset[str] | None = None  # that may be read; None for all
    shows: str = "all"  # what is shown: "all"; "own": its own robots only; "nothing" of the world and where they are

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

    def allows(self, device: str) -> bool:
        """Whether it allows to read this device."""
        return self.devices is None or device in self.devices

    def check_devices(self, devices: Iterable[str], what: str) -> None:
        """Refuse devices that the exercise does not allow."""
        for device in devices:
            if not self.allows(device):
                allowed = ", ".join(sorted(self.devices or ())) or "none"
                raise Refused(
                    f"{what}: the exercise {self.exercise!r} does not allow {device!r} (it allows: {allowed})"
                )

    def sees(self, robot: str) -> bool:
        """Whether it is told that this robot is there."""
        return self.shows == "all" or self.covers(robot)


EVERYTHING = Grant(Role.SUPERVISOR)


class Tokens:
    """The tokens of a server."""

    def __init__(self, *, demanded: bool = False) -> None:
        self.demanded = demanded  # also from this machine
        self._grants: dict[str, Grant | str] = {}  # or why it is refused

    def add(self, grant: Grant, token: str | None = None) -> str:
        """Make a token, or take the one given, for a grant."""
        token = token or secrets.token_urlsafe(12)
        self._grants[token] = grant
        return token

    def refuse(self, token: str, reason: str) -> None:
        """Let a token not be valid, until it is added again."""
        self._grants[token] = reason

    def remove(self, token: str) -> None:
        """Forget a token."""
        self._grants.pop(token, None)

    def grant(self, token: str, *, local: bool) -> Grant:
        """What a token is worth. Without one, those on this machine may do everything, others nothing."""
        for known, grant in self._grants.items():
            if hmac.compare_digest(known.encode(), token.encode("utf-8", "replace")):
                if isinstance(grant, str):
                    raise Refused(f"token: {grant}")
                return grant
        if token:
            raise Refused("token: this token is not valid here; ask for a new join link")
        if not local or self.demanded:
            whom = "here" if local else "from another machine"
            raise Refused(f"token: {whom} this server wants a token; ask for a join link")
        return EVERYTHING
