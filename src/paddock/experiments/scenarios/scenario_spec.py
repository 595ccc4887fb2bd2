"""ScenarioSpec: the specification of a scenario, with a world, a robot and a list of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Self

from paddock.control.behaviours.tasks.task import Duration
from paddock.core.errors import SpecError
from paddock.core.seeds import MAX_RUNS, Seed, draw_uniform, expand_seeds
from paddock.core.spec import Count, Description, Metres, Name, Number, Spec
from paddock.experiments.scenarios.planned_task import PlannedTask
from paddock.report.report_files import USUAL_FILES, RunFile
from paddock.report.run_report import LogLevel
from paddock.simulation.worlds.changes import RobotChange, WorldChange

OWN_CODE = ("task", "follower", "avoid")  # keys of a task that may name code in a user's file
Whole = Annotated[int, Number("a whole number", low=1, high=MAX_RUNS)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Safety(Spec):
    """Minimum distance in the direction of travel; below it, all tasks except wall-follow stop."""

    enabled: bool = True
    min_distance: Metres | None = None  # [m]; None: derived from the body, the braking distance and the sensor range


@dataclass(frozen=True, kw_only=True, slots=True)
class OdometrySpec(Spec):
    """Wheel dimensions that the robot's odometry assumes; the true dimensions are in the world."""

    wheel_diameter: Metres | None = None  # None: as in the robot's data sheet
    wheel_separation: Metres | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StopWhen(Spec):
    """Conditions that end a run before all tasks have ended."""

    seconds: Duration = 900.0
    contact: bool = False  # whether any contact ends the run


@dataclass(frozen=True, kw_only=True, slots=True)
class Outputs(Spec):
    """Output files of a run, and their folder below the folder of all runs."""

    folder: Name | None = None  # None: the scenario's name
    files: tuple[RunFile, ...] = USUAL_FILES
    log_level: LogLevel = "info"  # which events the log has


RobotChoice = Annotated[
    str | RobotChange | None, Description("the name of a robot in the world, or a table with a name")
]


@dataclass(frozen=True, kw_only=True, slots=True)
class TeamMember(Spec):
    """A robot of a team and its tasks: `[[team]] robot = "red"`."""

    robot: RobotChoice
    tasks: Annotated[tuple[PlannedTask, ...], Count(1, "task")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScenarioSpec(Spec):
    """Specification of a scenario: world, robots, tasks, seeds, repetitions and outputs."""

    name: Name
    title: str = ""
    world: Annotated[str | WorldChange, Description("the name of a world, a world's TOML file, or a table with a base")]
    robot: RobotChoice = None
    tasks: tuple[PlannedTask, ...] = ()  # tasks of that robot
    team: tuple[TeamMember, ...] = ()  # instead of a robot and its tasks: several robots, each with its tasks
    safety: Safety = Safety()
    odometry: OdometrySpec = OdometrySpec()
    stop: StopWhen = StopWhen()
    repetitions: Whole = 1  # runs with every seed
    seeds: Annotated[tuple[Seed, ...], Count(1, "seed")] = (0,)
    outputs: Outputs = Outputs()
    folder: str = field(default="", compare=False, repr=False)  # base folder of relative file names
    file: str = field(default="", compare=False, repr=False)  # file name for error messages

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Create the spec from a table; `seeds = 10` stands for the seeds 0 … 9."""
        table = expand_seeds(table)
        if table.get("tasks") == [] and not table.get("team"):
            raise SpecError("expected at least 1 task, got 0", path="tasks")
        return super(ScenarioSpec, cls).from_table(table)

    def check(self) -> None:
        if self.team and (self.tasks or self.robot is not None):
            path = "tasks" if self.tasks else "robot"
            raise SpecError(
                "expected either a robot and its tasks, or a team of robots, each with its own tasks", path=path
            )
        if not self.team and not self.tasks:
            raise SpecError("missing: at least 1 task", path="tasks")

    def members(self) -> tuple[TeamMember, ...]:
        """Return the robots with their tasks: the team, or the single robot."""
        return self.team or (TeamMember(robot=self.robot, tasks=self.tasks),)

    def run_seeds(self) -> list[int]:
        """Return the seed of every run: each of `seeds`, followed by seeds derived from it for its repetitions."""
        return [
            seed if repetition == 0 else int(draw_uniform(seed, "repetition", repetition) * 2**53)
            for seed in self.seeds
            for repetition in range(self.repetitions)
        ]
