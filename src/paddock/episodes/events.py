"""Events: what happened at a moment of a run: interventions, tasks, notes, and its end."""

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
    "driver",  # someone else took a robot over, or gave it back
    "goal",  # someone sent a robot to a place
    "spawn",  # a robot came
    "remove",  # a robot went
    "task",  # a task began or ended
    "note",  # a line for people
    "warning",
    "end",  # why the run ended
]
INTERVENTIONS: frozenset[Kind] = frozenset(
    {"teleport", "reset", "restore", "pause", "resume", "speed", "driver", "goal", "spawn", "remove"}
)
LASTING = INTERVENTIONS - {"reset", "pause", "resume", "speed"}  # these decide later runs, too, until a reset
MOTIONS: frozenset[Kind] = frozenset({"teleport", "reset", "restore"})  # after these a robot is elsewhere


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """Something that happened at a time [s] of a run."""

    time: float
    kind: Kind
    robot: str | None = None  # None: it concerns the whole arena
    text: str = ""
    by_program: bool = False  # the running program did it itself, so that a second run does it again

    @property
    def disturbs(self) -> bool:
        """Whether someone intervened, so that the same program and seed need not give the same run again."""
        return self.kind in INTERVENTIONS and not self.by_program

    def __str__(self) -> str:
        return self.text or self.kind
