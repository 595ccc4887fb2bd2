"""Config: all that decides how an evolution goes; the same config gives the same champion, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from paddock.core.errors import PaddockError, UnknownName, shown

OF_TASKS = ("world", "mazes", "size", "kind", "seconds", "hidden", "recurrent")  # those that not every task uses
NEEDS = {"size": "mazes", "kind": "mazes"}  # settings that are used only beside another one
OF_STRATEGIES = ("hidden", "length")  # those that not every strategy uses; None, as everywhere: as they have it


@dataclass(frozen=True, kw_only=True)
class Config:
    """What `paddock evolve` is asked for."""

    task: str  # maze, avoid, wall-follow, line-follow, or module:function
    strategy: str = "ga"
    population: int = 20
    generations: int = 200
    seed: int = 0
    world: str | None = None  # instead of the task's own
    mazes: int | None = None  # how many to generate; None or 0: the shipped one
    size: int | None = None  # columns and rows of generated mazes
    kind: str | None = None  # of generated mazes
    seconds: float | None = None  # simulated, of one evaluation
    hidden: tuple[int, ...] | None = None  # units of hidden layers
    recurrent: bool | None = None  # whether the network remembers
    length: int | None = None  # instructions of a program at most, for gp and neat
    precision: str = "float64"  # of the GPU's arithmetic; float32 is faster there, and gives another champion

    def __post_init__(self) -> None:
        for name, low in (("population", 1), ("generations", 0), ("mazes", 0), ("size", 2), ("length", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is None and name in OF_TASKS + OF_STRATEGIES:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < low:
                raise PaddockError(f"{name}: expected a whole number >= {low}, got {shown(value)}")
        if self.seconds is not None and not 0 < self.seconds < 1e6:
            raise PaddockError(f"seconds: expected simulated seconds > 0, got {shown(self.seconds)}")

    def refuse_unused(self, what: str, of: Sequence[str], used: Sequence[str]) -> None:
        """Refuse settings that were given, but that change nothing."""
        for name in of:
            if getattr(self, name) is not None and name not in used:
                uses = ", ".join(f"--{one}" for one in used) or "none of these settings"
                wake = f", or give --{NEEDS[name]} too" if NEEDS.get(name) in used else ""
                raise PaddockError(f"--{name}: {what} does not use it, but {uses}: leave --{name} out{wake}")

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

    def continued(self, expected: Mapping[str, Any], generations: int | None) -> Config:
        """The config of an evolution that goes on: only its length may be another one."""
        for name, value in expected.items():
            if value != getattr(self, name):
                own = "the default" if getattr(self, name) is None else shown(getattr(self, name))
                raise PaddockError(
                    f"--{name}: the evolution to resume has {own}, not {shown(value)}: "
                    "leave the option out, or choose another folder"
                )
        return self if generations is None else replace(self, generations=generations)
