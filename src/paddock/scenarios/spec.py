"""ScenarioSpec: a world, a robot, and a list of tasks, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from paddock.control.tasks.base import Duration
from paddock.core.chance import chance
from paddock.core.errors import SpecError, format_value
from paddock.core.spec import Count, Description, Metres, Name, Number, Spec
from paddock.scenarios.plan import PlannedTask

Output = Literal["log", "trace", "summary", "pictures", "report"]
MOST_RUNS = 1_000_000
Whole = Annotated[int, Number("a whole number", low=1, high=MOST_RUNS)]
MAX_SEED = 2**63 - 1
Seed = Annotated[int, Number("a seed", low=0, high=MAX_SEED)]


class Changes(dict[str, Any]):
    """Keys that replace those of a spec that is known only later."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorldChange(Spec):
    """A world that is based on another: `{base = "wall-loop", dt = 0.05}`."""

    base: str
    changes: Changes = field(default_factory=Changes)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        if not isinstance(table.get("base"), str):
            raise SpecError("missing: the name of a world, or a TOML file", path="base")
        return cls(base=table["base"], changes=Changes({k: v for k, v in table.items() if k != "base"}))

    def to_table(self) -> dict[str, Any]:
        return {"base": self.base, **self.changes}


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotChange(Spec):
    """A robot of the world with other properties: `{name = "pioneer", at = [2, 2], type = {base = …}}`."""

    name: str
    changes: Changes = field(default_factory=Changes)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        if not isinstance(table.get("name"), str):
            raise SpecError("missing: the name of a robot in the world", path="name")
        return cls(name=table["name"], changes=Changes({k: v for k, v in table.items() if k != "name"}))

    def to_table(self) -> dict[str, Any]:
        return {"name": self.name, **self.changes}


@dataclass(frozen=True, kw_only=True, slots=True)
class Safety(Spec):
    """All tasks but wall-follow stop when something is nearer than this in the direction of travel."""

    enabled: bool = True
    min_distance: Metres | None = None  # None: derived from the body, its brakes and its sensors


@dataclass(frozen=True, kw_only=True, slots=True)
class OdometrySpec(Spec):
    """The wheels that the robot's odometry assumes; the true ones stand in the world."""

    wheel_diameter: Metres | None = None  # None: as on the robot's data sheet
    wheel_separation: Metres | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StopWhen(Spec):
    """What ends a run before all tasks are done."""

    seconds: Duration = 900.0
    contact: bool = False  # touching anything


@dataclass(frozen=True, kw_only=True, slots=True)
class Outputs(Spec):
    """What a run leaves behind, and in which folder below the one for all runs."""

    folder: Name | None = None  # None: the scenario's name
    files: tuple[Output, ...] = ("log", "trace", "summary", "pictures")


RobotChoice = Annotated[
    str | RobotChange | None, Description("the name of a robot in the world, or a table with a name")
]


@dataclass(frozen=True, kw_only=True, slots=True)
class TeamMember(Spec):
    """One of several robots, and what it does: `[[team]] robot = "red"`."""

    robot: RobotChoice
    tasks: Annotated[tuple[PlannedTask, ...], Count(1, "task")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScenarioSpec(Spec):
    """What to run, where, with whom, how often."""

    name: Name
    title: str = ""
    world: Annotated[str | WorldChange, Description("the name of a world, a world's TOML file, or a table with a base")]
    robot: RobotChoice = None
    tasks: tuple[PlannedTask, ...] = ()  # of that robot
    team: tuple[TeamMember, ...] = ()  # instead of a robot and its tasks: several robots with tasks of their own
    safety: Safety = Safety()
    odometry: OdometrySpec = OdometrySpec()
    stop: StopWhen = StopWhen()
    repetitions: Whole = 1  # runs with every seed
    seeds: Annotated[tuple[Seed, ...], Count(1, "seed")] = (0,)
    outputs: Outputs = Outputs()
    folder: str = field(default="", compare=False, repr=False)  # where relative file names begin
    file: str = field(default="", compare=False, repr=False)  # what errors call it

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """As any spec; `seeds = 10` stands for the seeds 0 … 9."""
        table = expand_seeds(table)
        if table.get("tasks") == [] and not table.get("team"):
            raise SpecError("expected at least 1 task, got 0", path="tasks")
        return super(ScenarioSpec, cls).from_table(table)

    def check(self) -> None:
        if self.team and (self.tasks or self.robot is not None):
            path = "tasks" if self.tasks else "robot"
            raise SpecError(
                "expected either a robot and its tasks, or a team of robots with tasks of their own", path=path
            )
        if not self.team and not self.tasks:
            raise SpecError("missing: at least 1 task", path="tasks")

    def members(self) -> tuple[TeamMember, ...]:
        """The robots and their tasks: the team, or the only one."""
        return self.team or (TeamMember(robot=self.robot, tasks=self.tasks),)

    def run_seeds(self) -> list[int]:
        """The seed of every run: each of `seeds`, then seeds derived from it for its repetitions."""
        return [
            seed if repetition == 0 else int(chance(seed, "repetition", repetition) * 2**53)
            for seed in self.seeds
            for repetition in range(self.repetitions)
        ]


def expand_seeds(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same table; `seeds = 10` becomes the seeds 0 … 9."""
    seeds = table.get("seeds")
    if seeds is None or isinstance(seeds, (list, tuple)):
        return table
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_RUNS:
        raise SpecError(
            f"expected a list of seeds, or how many (1 to {MOST_RUNS}), got {format_value(seeds)}", path="seeds"
        )
    return {**table, "seeds": list(range(seeds))}
