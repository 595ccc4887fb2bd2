"""Events of a run: interventions, tasks, notes and the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "teleport",  # a robot was moved by hand
    "reset",  # back to the start
    "restore",  # back to a snapshot
    "pause",
    "resume",
    "speed",  # of the clock
    "driver",  # another client took over a robot, or released it
    "goal",  # a client sent a goal to a robot
    "spawn",  # a robot was added
    "remove",  # a robot was removed
    "task",  # a task started
    "task end",
    "note",  # a line for the reader of the log
    "warning",
    "end",  # why the run ended
]
INTERVENTIONS: frozenset[Kind] = frozenset(
    {"teleport", "reset", "restore", "pause", "resume", "speed", "driver", "goal", "spawn", "remove"}
)
CHANGES = INTERVENTIONS - {"reset", "pause", "resume", "speed"}  # these change a run, and later ones until a reset
POPULATION: frozenset[Kind] = frozenset({"spawn", "remove"})  # these also remain after a reset
MOTIONS: frozenset[Kind] = frozenset({"teleport", "reset", "restore"})  # these change the pose of robots


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """An event at a time [s] of a run."""

    time: float
    kind: Kind
    robot: str | None = None  # None for events of the whole arena
    text: str = ""
    by_program: bool = False  # caused by the running program itself, so that a second run repeats it

    @property
    def is_external(self) -> bool:
        """Whether it is an intervention from outside of the running program."""
        return self.kind in INTERVENTIONS and not self.by_program

    @property
    def disturbs(self) -> bool:
        """Whether the same program and seed may give another run without it. Pauses and the speed change nothing."""
        return self.kind in CHANGES and not self.by_program

    def __str__(self) -> str:
        return self.text or self.kind
