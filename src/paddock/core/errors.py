"""Every error a user can meet, in one small tree. Each names the offender, the place and the fix."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PaddockError(Exception):
    """Anything that Paddock refuses or cannot do."""


class SpecError(PaddockError):
    """A world or robot description that cannot be used: `file: path.inside[0].it: what is wrong`."""

    def __init__(self, problem: str, *, path: str = "", file: str = "") -> None:
        self.problem, self.path, self.file = problem, path, file
        super().__init__(": ".join(part for part in (file, path, problem) if part))

    def within(self, prefix: str = "", *, file: str = "") -> SpecError:
        """The same problem seen from one level further out: `radius` becomes `robots[0].radius`."""
        joint = "." if prefix and self.path and not self.path.startswith("[") else ""
        return SpecError(self.problem, path=prefix + joint + self.path, file=self.file or file)


class UnknownName(PaddockError, AttributeError, KeyError):
    """A name that is not there, with what is, and the closest match.

    It is an AttributeError and a KeyError as well, because `arena["rde"]` and `robot.grond` look names up.
    """

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.asked = what, name
        self.message = f"no {what} called {name!r}{suggestion(name, known)}"
        super().__init__(self.message)

    def __str__(self) -> str:  # KeyError would print the quoted repr
        return self.message


class DeviceNotEnabled(PaddockError):
    """A device was read before it was switched on."""

    def __init__(self, robot: str, device: str) -> None:
        super().__init__(
            f"{robot}.{device} is not enabled: call {robot}.{device}.enable() "
            f"(or {robot}.enable() for all devices) before reading it"
        )


class DeviceRefused(PaddockError):
    """A device was asked for something that it cannot do."""


class SimulationError(PaddockError):
    """The simulation cannot do what was asked, or found itself in an impossible state."""


class MissingExtra(PaddockError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs the package {package!r}: pip install 'paddock[{extra}]'")


def suggestion(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` when something is close, else ` (there are: a, b)`."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.55)
    if close:
        return f" (did you mean {close[0]!r}?)"
    if not names:
        return " (there are none)"
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f" (there are: {shown})"
