"""What a class is: its file class.toml."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from paddock.core.spec import Number, Seconds, Spec, Text

Port = Annotated[int, Number("a port", low=0, high=65535)]
Token = Annotated[
    str,
    Text(
        "a token of at least 8 letters, digits, '-' and '_'",
        lambda s: len(s) >= 8 and s.isascii() and s.replace("-", "").replace("_", "").isalnum(),
    ),
]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassLimits(Spec):
    """What a student may have at the most."""

    submission_kb: Annotated[int, Number("kilobytes", low=1, high=10_000)] = 256  # of one submitted file
    submissions: Annotated[int, Number("submissions of an exercise", low=1, high=9999)] = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassSpec(Spec):
    """How a class is served."""

    title: str
    world: str = ""  # a shipped one, or a TOML file in the class folder; "": the exercise's
    exercise: str = ""  # a shipped one, or a folder in exercises/
    robot: str = ""  # "": the exercise's, or as the world's first robot
    seed: int = 0
    speed: Annotated[float, Number("a factor", low=0, high=1000)] = 1.0  # simulated seconds per second; 0: flat out
    host: str = "0.0.0.0"
    port: Port = 8642
    address: str = ""  # of the server in links, such as http://robots.example.org:8642; "": found out
    silent_seconds: Seconds = 2.0  # without a command, then a robot stops
    limits: ClassLimits = field(default_factory=ClassLimits)
