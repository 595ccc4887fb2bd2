"""ClassSpec: the settings of a class, its file class.toml."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Annotated

from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import SpecError
from paddock.core.spec import Description, Number, Spec, Text, spec_from_table
from paddock.core.toml import read_toml_file, toml_text
from paddock.core.user_limits import UserLimits


def is_token(text: str) -> bool:
    """Return whether a text is a valid token for a link."""
    return len(text) >= 8 and set(text) <= {*string.ascii_letters, *string.digits, *"-_"}


Port = Annotated[int, Number("a port", low=1, high=HIGHEST_PORT)]
MOMENT = Description("a date and time without quotes, such as 2026-12-01T18:00:00, local or with an offset (…+01:00)")
LateLoss = Annotated[float, Number("a share of the points", low=0, high=1)]
Token = Annotated[str, Text("a token of at least 8 letters, digits, '-' and '_'", is_token)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassSpec(Spec):
    """The settings of a class."""

    title: str
    world: str = ""
    exercise: str = ""
    robot: str = ""
    seed: int = 0
    shared: bool = False
    speed: Annotated[float, Number("a factor", low=0, high=1000)] = 1.0
    host: str = "0.0.0.0"
    port: Port = 8642
    address: str = ""
    due: Annotated[datetime | None, MOMENT] = None
    late_loss: LateLoss = 0.0
    submission_kb: Annotated[int, Number("kilobytes", low=1, high=700)] = 256  # of 1024 bytes
    submissions: Annotated[int, Number("submissions", low=1, high=9999)] = 100
    due_dates: Mapping[str, Annotated[datetime, MOMENT]] = field(default_factory=dict)
    limits: UserLimits = field(default_factory=UserLimits)

    def find_due(self, exercise: str) -> datetime | None:
        """Return the due date of an exercise: its own, or that of the class; None if there is none."""
        return self.due_dates.get(exercise, self.due)

    @property
    def longest_submission(self) -> int:
        """Maximum length of a message with a submission [bytes]; in JSON, three bytes take four characters."""
        return self.submission_kb * 1024 * 4 // 3 + 4096

    def check(self) -> None:
        own = {f"due_dates.{exercise}": due for exercise, due in self.due_dates.items()}
        for path, due in {"due": self.due, **own}.items():
            if due is not None and not 1970 < due.year < 9999:
                raise SpecError(f"expected a year from 1971 to 9998, got {due.year}", path=path)
        if self.world and self.exercise:
            raise SpecError("expected a world or an exercise, not both: an exercise has its own world", path="world")
        if self.address and not self.address.startswith(("http://", "https://")):
            raise SpecError(
                f"expected an address such as 'http://robots.example.org:8642', got {self.address!r}", path="address"
            )


# The file as `paddock class new` writes it. Keys with their default values are commented out.
TEMPLATE = """\
$title

# The world: a shipped one (see: paddock world list) or a TOML file in this folder. Or an exercise, which has its own
# world and robot: a shipped one (see: paddock exercise list) or a folder in exercises/. The lecturer's page sets both.
$world
$exercise
# Type of the students' robots. Empty: that of the exercise, or of the world's first robot.
$robot

# Equal seeds give equal noise.
$seed
# Each student has a private copy of the world, except in heats and in exercises in which robots meet. true: all
# students share one arena at all times.
$shared
# Simulated seconds per second; 0: as fast as possible.
$speed

# Address to listen on. 0.0.0.0: all addresses of this machine; 127.0.0.1: this machine only.
$host
$port
# Address in links, if it differs from this machine's own, such as "http://robots.example.org:8642".
$address

# Due date; later submissions are accepted and marked late. Local time, unless it has an offset. Default: no due date.
$due
# Share of its points that a late submission loses in grading, for each day begun after the due date; 0.1: a tenth.
$late_loss
# Maximum size of a submitted file, and maximum number of submissions of a student for an exercise.
$submission_kb
$submissions

# Due dates of single exercises, which replace `due` for these.
[due_dates]
$due_dates

# Limits of a student, for all connections together.
[limits]
$connections
$subscriptions
# Maximum size of a message; a message with a submission may be longer.
$message_kb
# Spawned robots: maximum number, size of a robot description, and uploaded size per second.
$robots
$upload_kb
$upload_kb_per_s
# Whether programs may join the lock if no exercise is open (an exercise has its own setting), and their timeout [s].
$join_lock
$lock_timeout
# Seconds without a sign of life, or without a request, until a program's robots stop; idle = 0: never.
$silence
$idle
"""

EXAMPLES = {  # for keys without a default
    "due": datetime(2026, 12, 1, 18),
    "due_dates": {"line-following": datetime(2026, 11, 24, 18)},
}


def read_class_spec(file: Path) -> ClassSpec:
    """Read a class.toml."""
    return spec_from_table(ClassSpec, read_toml_file(file), file=str(file))


def class_text(spec: ClassSpec) -> str:
    """Return the text of class.toml with all keys and their descriptions."""
    given = {key: value for key, value in (spec.to_table() | spec.limits.to_table()).items() if value != {}}
    lines = {}
    for key in (*fields(spec), *fields(spec.limits)):
        if key.name != "limits":
            value = given.get(key.name, EXAMPLES.get(key.name, key.default))
            line = toml_text(value if isinstance(value, dict) else {key.name: value}).strip()
            lines[key.name] = line if key.name in given else f"# {line}"
    return string.Template(TEMPLATE).substitute(lines)
