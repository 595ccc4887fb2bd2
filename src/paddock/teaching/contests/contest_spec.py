"""ContestSpec: a contest as data, with world, referee, format and schedule."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from paddock.arena.controller_choice import BUILT_IN
from paddock.arena.referees import Referee, make_referee
from paddock.arena.run_spec import DriverSource, RunSpec
from paddock.control.behaviours.tasks.task import Duration
from paddock.core.errors import SpecError, UnknownName, suggestion
from paddock.core.seeds import Seed
from paddock.core.spec import Name, Number, Spec, spec_from_table
from paddock.core.toml import TomlName, read_toml_file
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.placement import start_pose
from paddock.simulation.worlds.world_spec import GOALS, RobotPlacement, Start
from paddock.teaching.contests.entrants import Entrant
from paddock.teaching.contests.heat import Competitors
from paddock.teaching.sandbox import SandboxLimits

Times = Annotated[int, Number("a whole number", low=1, high=1000)]
AtMost = Annotated[int, Number("a whole number", low=0, high=1000)]  # 0: no limit
LEAGUE, SINGLE, DOUBLE = "league", "single-elimination", "double-elimination"


class RefereeTable(dict[str, Any]):
    """The `[referee]` table: its kind and its options."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestSpec(Spec):
    """A contest. In an elimination, robots meet in pairs, and are out after one or two lost matches."""

    name: Name
    title: str = ""
    world: str
    robot: str = ""  # a type or a TOML file; empty: the type of the world's first robot
    referee: RefereeTable
    seconds: Duration = 60.0  # maximum duration of a heat; the referee may end it earlier
    format: Literal["league", "single-elimination", "double-elimination"] = "league"
    heat_size: Annotated[int, Number("robots", low=1, high=50)] = 2
    meetings: Times = 1  # league: how often all robots meet; with heat_size = 1: how often every robot drives
    rounds: AtMost = 0  # league: maximum number of rounds; 0: until all have met
    qualifying: AtMost = 0  # rounds of a league that decide the seeds of an elimination; 0: drawn by lot
    advance: AtMost = 0  # number of robots that advance from the qualifying; 0: all
    legs: Times = 2  # heats of a match; the robots swap starts
    starts: tuple[str, ...] = ()  # starts of the world to use; empty: all except its goals
    devices: tuple[str, ...] = ()  # devices that controllers may use; empty: all except cameras
    limits: SandboxLimits = field(default_factory=SandboxLimits)  # limits of controllers
    seed: Seed = 0
    folder: str = field(default="", compare=False, repr=False)  # base of relative file names
    file: str = field(default="", compare=False, repr=False)  # file name in error messages

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read a table as for any spec; a referee may be given by its name."""
        value = table.get("referee")
        if isinstance(value, (str, Mapping)):
            table = {**table, "referee": RefereeTable({"kind": value} if isinstance(value, str) else value)}
        return super(ContestSpec, cls).from_table(table)

    def check(self) -> None:
        if self.format == LEAGUE:
            for name in ("qualifying", "advance"):
                if getattr(self, name):
                    raise SpecError(f"not allowed in a league: remove it, or set format = {SINGLE!r}", path=name)
        elif self.heat_size != 2:
            raise SpecError(f"an elimination needs heats of 2 robots, got {self.heat_size}", path="heat_size")
        elif self.advance and not self.qualifying:
            raise SpecError("missing: advance needs qualifying rounds", path="qualifying")

    def load_world(self) -> WorldSpec:
        """Load the world, which defines the starts and the default robot type.

        In a world without starts, a robot that drives alone starts at the pose of the world's first robot.
        """
        world = load_world(Path(self.folder) / self.world if self.world.endswith(".toml") else self.world)
        if self.heat_size > 1 or self.starts or not world.robots or any(s.name not in GOALS for s in world.starts):
            return world
        first = world.robots[0]
        x, y, heading = start_pose(world, first)
        start = Start(name=first.name, at=(x, y), heading_deg=math.degrees(heading))
        return replace(world, starts=(*world.starts, start))

    def choose_robot(self, world: WorldSpec) -> str | RobotSpec:
        """Return the type of all robots."""
        if self.robot.endswith(".toml"):
            return load_robot(Path(self.folder) / self.robot)
        if not self.robot and not world.robots:
            raise SpecError(f"missing: {world.name} has no robot that defines the type", path="robot")
        return self.robot or world.robots[0].type

    def make_referee(self) -> Referee:
        """Create a referee for one heat."""
        try:
            return make_referee(self.referee, folder=self.folder or None)
        except SpecError as error:
            raise error.within(file=self.file) from None

    def plan(self, seed: int, drivers: str | DriverSource = BUILT_IN) -> RunSpec:
        """Return the run of a heat that any controllers drive; each robot has the name of its start."""
        world = self.load_world()
        kind, starts = self.choose_robot(world), self.choose_starts(world)
        seated = world.with_robots(*(RobotPlacement(name=start, type=kind, start=start) for start in starts))
        return replace(self.plan_heat(seated, (), seed), drivers=drivers, devices=self.devices)

    def plan_heat(self, world: WorldSpec, entrants: Sequence[Entrant], seed: int) -> RunSpec:
        """Return the run of a heat, in a world with the robots of the entrants at their starts."""
        return RunSpec(
            world=world,
            seed=seed,
            drivers=Competitors(entrants=tuple(entrants), devices=self.devices, limits=self.limits),
            seconds=self.seconds,
            referee=self.referee,
            folder=self.folder,
            file=self.file,
        )

    def choose_starts(self, world: WorldSpec) -> tuple[str, ...]:
        """Return the names of the starts of a heat, one for each robot."""
        known = [start.name for start in world.starts]
        for i, name in enumerate(self.starts):
            if name not in known:
                problem = f"{world.name} has no start called {name!r}{suggestion(name, known)}"
                raise SpecError(problem, path=f"starts[{i}]", file=self.file)
        found = self.starts or tuple(name for name in known if name not in GOALS)
        if len(found) < self.heat_size:
            fix = (
                "add [[starts]] or a robot to it"
                if self.heat_size == 1
                else "add [[starts]] to it, or reduce heat_size"
            )
            raise SpecError(
                f"{world.name} has {len(found)} starts ({', '.join(found) or 'none'}): expected one per robot of a "
                f"heat, {self.heat_size}; choose another world, {fix}",
                path="heat_size",
                file=self.file,
            )
        return found[: self.heat_size]


def load_contest(source: str | Path | Mapping[str, Any] | ContestSpec) -> ContestSpec:
    """Load a contest from a TOML file or a table of the same keys, and check its world and its referee."""
    spec = _read(source)
    spec.choose_starts(spec.load_world())
    spec.make_referee()
    return spec


def _read(source: str | Path | Mapping[str, Any] | ContestSpec) -> ContestSpec:
    if isinstance(source, ContestSpec):
        return source
    if isinstance(source, Mapping):
        return ContestSpec.from_table(source)
    path = Path(source)
    if path.suffix != ".toml":
        raise UnknownName("contest", str(source), (), expected="the path of a TOML file")
    spec = spec_from_table(ContestSpec, read_toml_file(path), file=TomlName(path))
    return replace(spec, folder=str(path.parent), file=TomlName(path))
