"""Config: all that decides how an evolution goes; the same config gives the same champion, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from paddock.core.errors import PaddockError, UnknownName, shown

OF_TASKS = ("world", "mazes", "size", "kind", "trials", "seconds", "hidden", "recurrent")  # not every task uses all
NEEDS = {"size": "mazes or --world", "kind": "mazes"}  # settings that are used only beside another one
OF_STRATEGIES = ("hidden", "length")  # those that not every strategy uses; None, as everywhere: as they have it

LEAST = {"population": 1, "generations": 0, "seed": 0, "mazes": 0, "length": 1, "trials": 1}


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
    size: tuple[int, int] | None = None  # columns and rows of generated mazes, or of that in `world`
    kind: str | None = None  # of generated mazes
    trials: int | None = None  # drives in every world, each with other noise
    seconds: float | None = None  # simulated, of one drive
    hidden: tuple[int, ...] | None = None  # units of hidden layers
    recurrent: bool | None = None  # whether the network remembers
    length: int | None = None  # instructions of a program at most, for gp and neat
    precision: str = "float64"  # of the GPU's arithmetic; float32 is faster there, and gives another champion

    def __post_init__(self) -> None:
        for name, low in LEAST.items():
            value = getattr(self, name)
            if value is None and name in ("mazes", "length", "trials"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < low:
                raise PaddockError(f"{name}: expected a whole number >= {low}, got {shown(value)}")
        if self.size is not None and (len(self.size) != 2 or not all(isinstance(n, int) and n > 1 for n in self.size)):
            raise PaddockError(f"size: expected columns and rows >= 2, got {shown(self.size)}")
        if self.seconds is not None and not 0 < self.seconds < 1e6:
            raise PaddockError(f"seconds: expected simulated seconds > 0, got {shown(self.seconds)}")

    def refuse_unused(self, what: str, of: Sequence[str], used: Sequence[str]) -> None:
        """Refuse settings that were given, but that change nothing."""
        for name in of:
            if getattr(self, name) is not None and name not in used:
                uses = ", ".join(f"--{one}" for one in used) or "none of these settings"
                wake = f", or give --{NEEDS[name]} too" if "mazes" in used and name in NEEDS else ""
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
        given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in table.items()}
        return cls(**given)

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
