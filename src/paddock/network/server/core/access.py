"""Access control: roles, grants and tokens."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from paddock.core.errors import Refused


class Role(IntEnum):
    """Role of a client; each role includes the permissions of the lower ones."""

    VIEWER = 0  # watch
    CONTROLLER = 1  # drive robots
    SUPERVISOR = 2  # move robots, control the clock, read the ground truth

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Grant:
    """Permissions of a token."""

    role: Role
    robots: frozenset[str] | None = None  # covered robots, and spawned robots called `NAME_…`; None: all
    name: str = ""  # of its owner
    exercise: str = ""  # source of the next two restrictions
    devices: frozenset[str] | None = None  # that may be read; None: all
    shows: str = "all"  # what is visible: "all", "own" robots only, or "nothing" of the world and the poses

    def covers(self, robot: str) -> bool:
        """Whether the token allows reading this robot, and for controllers driving it."""
        return self.robots is None or robot in self.robots or robot.partition("_")[0] in self.robots

    def check(self, role: Role, what: str) -> None:
        """Refuse an action that needs a higher role."""
        if self.role < role:
            raise Refused(f"{what}: only a {role} may do that, and you are a {self.role}")

    def check_robot(self, robot: str, what: str) -> None:
        """Refuse robots that the token does not name."""
        if not self.covers(robot):
            named = ", ".join(sorted(self.robots or ())) or "none"
            raise Refused(f"{what}: your token does not name robot {robot!r} (it names: {named})")

    def allows(self, device: str) -> bool:
        """Whether the token allows reading this device."""
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
        """Whether this robot is visible."""
        return self.shows == "all" or self.covers(robot)


EVERYTHING = Grant(Role.SUPERVISOR)


class Tokens:
    """Tokens of a server and their grants."""

    def __init__(self, *, demanded: bool = False) -> None:
        self.demanded = demanded  # required from clients on this machine, too
        self._grants: dict[str, Grant | str] = {}  # a grant, or the reason of a refusal

    def add(self, grant: Grant, token: str | None = None) -> str:
        """Register a given or generated token for a grant, and return it."""
        token = token or secrets.token_urlsafe(12)
        self._grants[token] = grant
        return token

    def refuse(self, token: str, reason: str) -> None:
        """Make a token invalid until it is added again."""
        self._grants[token] = reason

    def remove(self, token: str) -> None:
        """Remove a token."""
        self._grants.pop(token, None)

    def grant(self, token: str, *, local: bool) -> Grant:
        """Return the grant of a token. Without a token, local clients are supervisors and others are refused."""
        for known, grant in self._grants.items():
            if hmac.compare_digest(known.encode(), token.encode("utf-8", "replace")):
                if isinstance(grant, str):
                    raise Refused(f"token: {grant}")
                return grant
        if token:
            raise Refused("token: this token is not valid here; ask for a new join link")
        if not local or self.demanded:
            whom = "from local clients, too" if local else "from other machines"
            raise Refused(f"token: this server requires a token {whom}; ask for a join link")
        return EVERYTHING
