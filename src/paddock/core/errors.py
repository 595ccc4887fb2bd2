"""Every error a user can meet, in one small tree. Each names the offender, the place and the fix."""

from __future__ import annotations

import dataclasses
import datetime
import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KEY = "\0key"  # stands in a problem for the key's own name, as TOML writes it between brackets
MOST_NAMES = 20  # in a list of what there is
MOST_LETTERS = 80  # of a value in a message


class PaddockWarning(UserWarning):
    """Something that is allowed, but hardly meant."""


class PaddockError(Exception):
    """Anything that Paddock refuses or cannot do."""


class SpecError(PaddockError):
    """A world or robot description that cannot be used: `file: path.inside[0].it: what is wrong`."""

    def __init__(self, problem: str, *, path: str = "", file: str = "") -> None:
        self.path, self.file, self._problem = path, file, problem
        self.problem = problem.replace(KEY, re.sub(r"\[\d+\]", "", path))
        super().__init__(": ".join(part for part in (file, path, self.problem) if part))

    def within(self, prefix: str = "", *, file: str = "") -> SpecError:
        """The same problem seen from one level further out: `radius` becomes `robots[0].radius`."""
        joint = "." if prefix and self.path and not self.path.startswith("[") else ""
        return SpecError(self._problem, path=prefix + joint + self.path, file=self.file or file)


class UnknownName(PaddockError, AttributeError, KeyError):
    """A name that is not there, with what is, and the closest match.

    It is an AttributeError and a KeyError as well, because `arena["rde"]` and `robot.grond` look names up.
    """

    def __init__(self, what: str, name: str, known: Iterable[str], *, expected: str = "") -> None:
        self.what, self.asked = what, name
        self.message = f"no {what} called {name!r}" + (
            f": expected {expected}" if expected else suggestion(name, known)
        )
        super().__init__(self.message)

    def __str__(self) -> str:  # KeyError would print the quoted repr
        return self.message


class DeviceNotEnabled(PaddockError):
    """A device was read before it was switched on."""

    def __init__(self, robot: str, device: str, sensor: int | None = None) -> None:
        device_name, others = f"{robot}.{device}", f"{robot}.enable() for all devices"
        if sensor is not None:
            others = f"{device_name}.enable() for the whole ring"
        what, which = (device_name, "") if sensor is None else (f"sensor {sensor} of {device_name}", sensor)
        super().__init__(f"{what} is not enabled: call {device_name}.enable({which}) (or {others}) before reading it")


class DeviceRefused(PaddockError):
    """A device was asked for something that it cannot do."""


class SimulationError(PaddockError):
    """The simulation cannot do what was asked, or found itself in an impossible state."""


class LinkError(PaddockError):
    """Something between here and a robot or an arena elsewhere went wrong; also when the connection was lost."""


class Timeout(LinkError):
    """No answer in time."""


class Refused(LinkError):
    """The other side does not want to do that."""


class BadMessage(LinkError):
    """A message that breaks the protocol: `type.path.inside: what is wrong`."""


class VersionMismatch(LinkError):
    """The two sides speak different versions of the protocol."""


def suggestion(name: object, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` when something is close, else ` (there are: a, b)`."""
    names = sorted(known)
    near = nearest(str(name), names)
    if near is not None:
        return f" (did you mean {near!r}?)"
    if not names:
        return " (there are none)"
    listed = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
    return f" (there are: {listed})"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant: a similar one, or one that begins with what was written."""
    names = list(names)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.65)
    longer = [candidate for candidate in names if len(name) > 2 and candidate.startswith(name)]
    return next(iter(close + longer), None)


def format_value(value: Any, depth: int = 3) -> str:
    """A value as its TOML file has it, or a short word for what has no place in a message."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) > 10**30:
        return f"a number of {math.floor(math.log10(abs(value))) + 1} digits"
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(float(value))
    if isinstance(value, (datetime.date, datetime.time)):
        return str(value)
    if isinstance(value, Mapping):
        return "a table"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return with_article(type(value).__name__)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        inside = ", ".join(format_value(item, depth - 1) for item in value) if depth else "…"
        return _cut(f"[{inside}]")
    return _cut(repr(value))


def with_article(name: str) -> str:
    """`an Arc`, `a Box`, `an e-puck`."""
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
