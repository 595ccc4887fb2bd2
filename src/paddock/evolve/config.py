"""Config: all that decides how an evolution goes; the same config gives the same champion, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from paddock.core.errors import PaddockError, UnknownName, shown

MAY_CHANGE = ("generations",)  # when an evolution goes on


@dataclass(frozen=True, kw_only=True)
class Config:
    """What `paddock evolve` is asked for."""

    task: str  # maze, avoid, wall-follow, line-follow, or module:function
    strategy: str = "ga"
    population: int = 20
    generations: int = 200
    seed: int = 0
    world: str | None = None  # instead of the task's own
    mazes: int = 0  # how many to generate; 0: the shipped one
    size: int = 8  # columns and rows of generated mazes
    kind: str = "backtracker"  # of generated mazes
    seconds: float | None = None  # simulated, of one evaluation; None: as the task has it
    hidden: tuple[int, ...] | None = None  # units of hidden layers; None: as the task has it
    recurrent: bool | None = None  # whether the network remembers; None: as the task has it
    length: int = 64  # instructions of a program at most, for gp and neat

    def __post_init__(self) -> None:
        for name, low in (("population", 1), ("generations", 0), ("mazes", 0), ("size", 2), ("length", 4), ("seed", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < low:
                raise PaddockError(f"{name}: expected a whole number >= {low}, got {shown(value)}")
        if self.seconds is not None and not 0 < self.seconds < 1e6:
            raise PaddockError(f"seconds: expected simulated seconds > 0, got {shown(self.seconds)}")

    def as_table(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Config:
        """What `as_table` gave."""
        known = [field.name for field in fields(cls)]
        for name in table:
            if name not in known:
                raise UnknownName("setting of an evolution", name, known)
        hidden = table.get("hidden")
        return cls(**{**table, "hidden": None if hidden is None else tuple(hidden)})

    def continued(self, wanted: Mapping[str, Any]) -> Config:
        """The config of an evolution that goes on: only its length may be another one."""
        for name, value in wanted.items():
            if name not in MAY_CHANGE and value != getattr(self, name):
                raise PaddockError(
                    f"--{name}: the evolution to resume has {shown(getattr(self, name))}, not {shown(value)}: "
                    "leave the option out, or choose another folder"
                )
        return replace(self, **{name: wanted[name] for name in MAY_CHANGE if name in wanted})
