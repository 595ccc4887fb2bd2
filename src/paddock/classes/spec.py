"""What a class is: its file class.toml."""

from __future__ import annotations

import string
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Annotated

from paddock.core.errors import SpecError
from paddock.core.limits import ClassLimits
from paddock.core.spec import Description, Number, Spec, Text
from paddock.core.toml import toml_text


def is_token(text: str) -> bool:
    """Whether a text can be a token in a link."""
    return len(text) >= 8 and set(text) <= {*string.ascii_letters, *string.digits, *"-_"}


Port = Annotated[int, Number("a port", low=1, high=65535)]
Moment = Annotated[
    datetime | None,
    Description("a date and time without quotes, such as 2026-12-01T18:00:00, local or with an offset (…+01:00)"),
]
Token = Annotated[str, Text("a token of at least 8 letters, digits, '-' and '_'", is_token)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassSpec(Spec):
    """How a class is served."""

    title: str
    world: str = ""
    exercise: str = ""
    robot: str = ""
    seed: int = 0
    speed: Annotated[float, Number("a factor", low=0, high=1000)] = 1.0
    host: str = "0.0.0.0"
    port: Port = 8642
    address: str = ""
    due: Moment = None
    submission_kb: Annotated[int, Number("kilobytes", low=1, high=700)] = 256  # of 1024 bytes
    submissions: Annotated[int, Number("submissions", low=1, high=9999)] = 100
    limits: ClassLimits = field(default_factory=ClassLimits)

    @property
    def longest_submission(self) -> int:
        """Bytes of a message with a file of that size; in JSON, three bytes take four letters."""
        return self.submission_kb * 1024 * 4 // 3 + 4096

    def check(self) -> None:
        if self.due is not None and not 1970 < self.due.year < 9999:
            raise SpecError(f"expected a year from 1971 to 9998, got {self.due.year}", path="due")
        if self.world and self.exercise:
            raise SpecError("expected a world or an exercise, not both: an exercise brings its world", path="world")
        if self.address and not self.address.startswith(("http://", "https://")):
            raise SpecError(
                f"expected an address such as 'http://robots.example.org:8642', got {self.address!r}", path="address"
            )


# The file as `paddock class new` writes it. What stands behind a # is what holds if nothing is said.
TEMPLATE = """\
$title

# A shipped world (see: paddock worlds) or a TOML file in this folder; or an exercise, which brings its world and robot:
# a shipped one (see: paddock exercise list) or a folder in exercises/. The lecturer's page changes them as well.
$world
$exercise
# What the students' robots are. Empty: the exercise's, or as the world's first one.
$robot

# Equal seeds give equal noise.
$seed
# Simulated seconds per second; 0 for flat out.
$speed

# 0.0.0.0: any address of this machine; 127.0.0.1: this machine only.
$host
$port
# The address in links, if it is not this machine's own, such as "http://robots.example.org:8642".
$address

# What is handed in later is taken, and marked late; local time, unless it has an offset. No due date if not given.
$due
# Of a file that is handed in, and how often a student may hand in for an exercise.
$submission_kb
$submissions

# What a student may have at the most, all connections together.
[limits]
$connections
$subscriptions
# Of one message; one that hands in a file may be longer.
$message_kb
# Robots that are brought along; the size of one, and how much of that in a second.
$robots
$upload_kb
$upload_kb_per_s
# Whether programs may ask time to wait for them where there is no exercise, which says so itself; and for how long [s].
$join_lock
$lock_timeout
# Seconds without any sign of life, or without a request, until a program's robots stop; idle = 0: never.
$silence
$idle
"""

EXAMPLES = {"due": datetime(2026, 12, 1, 18)}  # for keys of which nothing holds if nothing is said


def class_text(spec: ClassSpec) -> str:
    """The text of class.toml: all keys, with what they mean."""
    given = spec.to_table() | spec.limits.to_table()
    lines = {}
    for key in (*fields(spec), *fields(spec.limits)):
        if key.name != "limits":
            line = toml_text({key.name: given.get(key.name, EXAMPLES.get(key.name, key.default))}).strip()
            lines[key.name] = line if key.name in given else f"# {line}"
    return string.Template(TEMPLATE).substitute(lines)
