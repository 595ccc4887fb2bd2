"""Access control: roles, grants and tokens."""

from __future__ import annotations

import hmac
import math
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum

from paddock.core.errors import Refused

UNGUESSABLE = 16  # characters of a token that nobody finds by trying, as the generated ones
MAX_WRONG = 20  # wrong tokens of an address in quick succession
FORGIVENESS = 2.0  # seconds after which one of them is forgotten
MAX_ADDRESSES = 10_000  # that are remembered


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

    @property
    def source(self) -> str:
        """What restricts the devices, as a text."""
        return f"the exercise {self.exercise!r}" if self.exercise else "this server"

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
                raise Refused(f"{what}: {self.source} does not allow {device!r} (it allows: {allowed})")

    def sees(self, robot: str) -> bool:
        """Whether this robot is visible."""
        return self.shows == "all" or self.covers(robot)


EVERYTHING = Grant(Role.SUPERVISOR)


class TooManyGuesses(Refused):
    """An address has sent so many wrong tokens that a further one is not looked at."""


class GuessLimit:
    """Limits how many wrong tokens an address may try. `now` returns the time in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._forgiven: dict[str, float] = {}  # when all wrong tokens of an address are forgotten

    def check(self, address: str) -> None:
        """Refuse a token of an address that has tried too many."""
        wait = self._forgiven.get(address, -math.inf) - self._now() - (MAX_WRONG - 1) * FORGIVENESS
        if wait > 0:
            raise TooManyGuesses(
                f"token: too many wrong tokens came from {address or 'your address'}: try again in {math.ceil(wait)} s"
            )

    def note_wrong(self, address: str) -> None:
        """Count a wrong token."""
        now = self._now()
        until = max(self._forgiven.pop(address, now), now) + FORGIVENESS
        while len(self._forgiven) >= MAX_ADDRESSES:
            del self._forgiven[next(iter(self._forgiven))]
        self._forgiven[address] = until


class Tokens:
    """Tokens of a server and their grants."""

    def __init__(self, *, demanded: bool = False, devices: frozenset[str] | None = None) -> None:
        self.demanded = demanded  # required from clients on this machine, too
        self.guesses = GuessLimit()
        self.local = replace(EVERYTHING, devices=devices)  # of clients on this machine without a token
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

    def grant(self, token: str, *, local: bool, address: str = "") -> Grant:
        """Return the grant of a token. Without a token, local clients are supervisors and others are refused.

        An address that has sent many wrong tokens has to wait before another one is looked at. This does not hold for
        the tokens that are too long to be guessed: a whole class may share the address of one who tries.
        """
        found = self._find(token)
        if token and (found is None or len(token) < UNGUESSABLE):
            self.guesses.check(address)
        if isinstance(found, str):
            raise Refused(f"token: {found}")
        if found is not None:
            return found
        if token:
            self.guesses.note_wrong(address)
            raise Refused("token: this token is not valid here; ask for a new join link")
        if not local or self.demanded:
            whom = "from local clients, too" if local else "from other machines"
            raise Refused(f"token: this server requires a token {whom}; ask for a join link")
        return self.local

    def _find(self, token: str) -> Grant | str | None:
        """Return the grant of a token, or why it is refused; None for an unknown token."""
        given = token.encode("utf-8", "replace")
        return next(
            (found for known, found in self._grants.items() if hmac.compare_digest(known.encode(), given)), None
        )
