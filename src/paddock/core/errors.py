"""All errors and warnings of Paddock. Messages name the offender, the location and the fix."""

from __future__ import annotations

import dataclasses
import datetime
import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KEY = "\0key"  # placeholder in a problem text for the key's own name, as TOML writes it between brackets
MAX_NAMES = 20  # maximum number of names listed in a message
MAX_CHARACTERS = 80  # maximum number of characters of a value in a message


class PaddockWarning(UserWarning):
    """Warning about input that is allowed but probably unintended."""


class PaddockError(Exception):
    """Base class of all errors of Paddock."""


class SpecError(PaddockError):
    """An invalid world or robot description: `file: path.inside[0].it: what is wrong`."""

    def __init__(self, problem: str, *, path: str = "", file: str = "") -> None:
        self.path, self.file, self._problem = path, file, problem
        self.problem = problem.replace(KEY, re.sub(r"\[\d+\]", "", path))
        line = find(path) if path and (find := getattr(file, "find_line", None)) else None  # see TomlName
        super().__init__(
            ": ".join(part for part in (file, path, self.problem) if part) + f" (at line {line})" * bool(line)
        )

    def within(self, prefix: str = "", *, file: str = "") -> SpecError:
        """Return the same error with a prefix added to its path: `radius` becomes `robots[0].radius`."""
        joint = "." if prefix and self.path and not self.path.startswith("[") else ""
        return SpecError(self._problem, path=prefix + joint + self.path, file=self.file or file)


class UnknownName(PaddockError, AttributeError, KeyError):
    """An unknown name; the message suggests the closest match or lists the known names.

    It is also an AttributeError and a KeyError, because `arena["rde"]` and `robot.grond` look up names.
    """

    def __init__(self, what: str, name: str, known: Iterable[str], *, expected: str = "", fix: str = "") -> None:
        self.what, self.asked = what, name
        self.message = f"no {what} called {name!r}" + (
            f": expected {expected}" if expected else suggestion(name, known)
        )
        if fix and "did you mean" not in self.message:
            self.message += f": {fix}"
        super().__init__(self.message)

    def __str__(self) -> str:  # KeyError would print the quoted repr
        return self.message


class DeviceNotEnabled(PaddockError):
    """A device was read before it was enabled."""

    def __init__(self, robot: str, device: str, sensor: int | None = None) -> None:
        device_name, others = f"{robot}.{device}", f"{robot}.enable() for all devices"
        if sensor is not None:
            others = f"{device_name}.enable() for the whole ring"
        what, which = (device_name, "") if sensor is None else (f"sensor {sensor} of {device_name}", sensor)
        super().__init__(f"{what} is not enabled: call {device_name}.enable({which}) (or {others}) before reading it")


class DeviceRefused(PaddockError):
    """A device does not support the request."""


class SimulationError(PaddockError):
    """The simulation cannot execute a request, or reached an invalid state."""


class LinkError(PaddockError):
    """The connection to a remote robot or arena failed or was lost."""


class Timeout(LinkError):
    """No answer in time."""


class Refused(LinkError):
    """The other side refused the request."""


class BadMessage(LinkError):
    """A message that violates the protocol: `type.path.inside: what is wrong`."""


class VersionMismatch(LinkError):
    """The two sides use different versions of the protocol."""


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` if a known name is similar, else ` (there are: a, b)`."""
    names = sorted(known)
    near = nearest(str(name), names)
    if near is not None:
        return f" (did you mean {near!r}?)"
    if not names:
        return " (there are none)"
    listed = ", ".join(names[:MAX_NAMES]) + (", …" if len(names) > MAX_NAMES else "")
    return f" (there are: {listed})"


def nearest(name: str, names: Iterable[str], *, cutoff: float = 0.65) -> str | None:
    """Return the most similar name, or a name that begins with the given text; None if there is neither.

    `cutoff` is the least similarity, from 0 to 1.
    """
    names = list(names)
    close = difflib.get_close_matches(name, names, n=1, cutoff=cutoff)
    longer = [candidate for candidate in names if len(name) > 2 and candidate.startswith(name)]
    return next(iter(close + longer), None)


def format_value(value: Any, depth: int = 3) -> str:
    """Format a value as in TOML, or describe it shortly if it is too large for a message."""
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


def format_length(metres: float) -> str:
    """Format a length in millimetres, or in metres if it is at least 1 m."""
    return f"{1000 * metres:.1f} mm" if metres < 1 else f"{metres:.2f} m"


def with_article(name: str) -> str:
    """Put the indefinite article before a name: `an Arc`, `a Box`, `an e-puck`."""
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"
