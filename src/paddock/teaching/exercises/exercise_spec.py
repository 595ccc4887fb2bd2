"""Exercise: a task for students as data, with world, robot, allowed devices, seeds, and checks that give points."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from paddock.arena.controller_choice import BUILT_IN
from paddock.arena.metrics.metric_registry import MetricChoice
from paddock.arena.referees import AnyReferee
from paddock.arena.run_spec import DriverSource, RunSpec
from paddock.control.behaviours.tasks.task import Duration
from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value
from paddock.core.seeds import Seed, expand_seeds
from paddock.core.spec import Count, Description, Number, Positive, Quantity, Spec, refuse_duplicates
from paddock.core.user_code import is_path, load_path
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.placement import robot_types
from paddock.simulation.worlds.randomise import Randomise

Points = Annotated[float, Number("points", above=0, high=1000)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExerciseCheck(Spec):
    """A figure of a run, its required range, and the points for it.

    Students read the `name`, such as "stays on the line". `measure` is a figure of a metric or of the referee.
    """

    name: str
    measure: str
    at_least: Quantity | None = None
    at_most: Quantity | None = None
    points: Points = 1.0
    robot: str | None = None  # robot whose figure is checked; None: every robot must meet the check
    over: Literal["each", "all", "mean"] = "each"
    # each: a seed that meets the check earns its share of the points
    # all: every seed must meet the check; mean: the mean of all seeds must meet it
    requires: str | None = None  # another check that must also be met: a stationary robot touches nothing, for example

    def check(self) -> None:
        if self.at_least is None and self.at_most is None:
            raise SpecError("missing: at_least or at_most, or both", path="at_least")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise SpecError(f"expected at least at_least = {self.at_least:g}, got {self.at_most:g}", path="at_most")

    @property
    def required_range(self) -> str:
        """The required range as a short text."""
        if self.at_least is None:
            text = f"≤ {self.at_most:g}"
        else:
            text = f"≥ {self.at_least:g}" if self.at_most is None else f"{self.at_least:g} … {self.at_most:g}"
        return text if self.requires is None else f"{text}, if {self.requires}"

    def admits(self, figure: float) -> bool:
        """Return whether a figure is in the required range; False for NaN."""
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return low <= figure <= high

    def find_worst(self, results: list[float]) -> float:
        """Return the figure that meets the check least; NaN if there is none or one of them is NaN."""
        if not results or any(math.isnan(figure) for figure in results):
            return math.nan
        return max(results, key=self._miss)

    def _miss(self, figure: float) -> float:
        """Return the distance of a figure from the required range; negative inside it."""
        below = -math.inf if self.at_least is None else self.at_least - figure
        above = -math.inf if self.at_most is None else figure - self.at_most
        return max(below, above)


FILE, HIDDEN_FILE, TEXT_FILE = "exercise.toml", "hidden.toml", "text.md"
STARTER, SOLUTION = "starter.py", "solution.py"
RUN_RESULTS = ("seconds",)  # figures of every run: its simulated duration
OWN_FILES = (HIDDEN_FILE, SOLUTION, "wrong_*.py")  # files for the lecturer only
Seeds = Annotated[tuple[Seed, ...], Count(1, "seed")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Exercise(Spec):
    """A programming task for students, with the allowed devices and the checks."""

    title: str
    world: str  # a shipped world, a TOML file in the folder, or file.py:function that creates the world of a seed
    robot: str | None = None  # replaces the world's robots; a shipped robot, or a TOML file in the folder
    seconds: Duration = 60.0  # simulated duration of a run
    period: Positive | None = None  # [s] between two calls of the controller; None: every tick
    devices: Annotated[tuple[str, ...], Count(1, "device")]  # devices that programs may read
    shows: Literal["all", "own", "nothing"] = "own"  # the part of the arena that students see in class
    shared: bool = False  # whether the robots of all students in class meet in one arena; false: private copies
    lock_step: bool = False  # whether programs in class may join the lock
    seeds: Seeds  # public seeds
    randomise: Randomise = Randomise()
    metrics: tuple[Annotated[str | MetricChoice, Description("a metric's name, or a table with one")], ...] = ()
    referee: AnyReferee | None = None  # for heats in class, and for checks of its score
    checks: Annotated[tuple[ExerciseCheck, ...], Count(1, "check")]
    keep_failed: bool = True  # whether a failed run counts with the figures reached until the failure
    hidden_seeds: tuple[Seed, ...] = field(default=(), compare=False)  # from hidden.toml, which students do not get
    folder: str = field(default="", compare=False, repr=False)
    lecturers_folder: str = field(default="", compare=False, repr=False)  # folder of the OWN_FILES
    name: str = field(default="", compare=False)  # name of the folder

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read a table as for any spec; `seeds = 10` means 0 … 9."""
        for key in ("hidden_seeds", "folder", "lecturers_folder", "name"):
            if key in table:
                raise SpecError(f"this key is not allowed here; hidden seeds belong in {HIDDEN_FILE}", path=key)
        return super(Exercise, cls).from_table(expand_seeds(table))

    def check(self) -> None:
        names = [check.name for check in self.checks]
        refuse_duplicates(names, "checks[{}].name")
        for i, check in enumerate(self.checks):
            if check.requires is not None and check.requires not in names[:i]:
                problem = f"expected the name of a check before this one, got {format_value(check.requires)}"
                raise SpecError(problem, path=f"checks[{i}].requires")
        if self.shared and self.shows == "own":
            problem = 'expected "all" or "nothing", because students share one arena and have to see each other'
            raise SpecError(problem, path="shows")
        if set(self.seeds) & set(self.hidden_seeds):
            raise SpecError(f"expected seeds that are not in {FILE}", path="seeds", file=HIDDEN_FILE)

    @property
    def points(self) -> float:
        """Maximum points."""
        return sum(check.points for check in self.checks)

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """All seeds, the public ones first."""
        return (*self.seeds, *self.hidden_seeds)

    def path(self, name: str) -> Path:
        """Return the path of a file of the exercise; those for lecturers may be in a folder of their own."""
        own = any(fnmatch.fnmatch(name, pattern) for pattern in OWN_FILES)
        return Path(self.lecturers_folder if own else self.folder) / name

    def read_text(self) -> str:
        """Return the text for students."""
        return self._read(TEXT_FILE)

    def read_starter(self) -> str:
        """Return the starter code; empty if there is none."""
        return self._read(STARTER) if self.path(STARTER).is_file() else ""

    def _read(self, name: str) -> str:
        path = self.path(name)
        try:
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise PaddockError(f"{path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise PaddockError(f"{path}: expected UTF-8 text; save it with that encoding") from None

    def plan(self, seed: int, drivers: str | DriverSource = BUILT_IN) -> RunSpec:
        """Return the run of a seed; any controller, policy or submitted program may drive."""
        return RunSpec(
            world=self.world,
            robot=self.robot,
            randomise=self.randomise,
            seed=seed,
            drivers=drivers,
            devices=self.devices,
            period=self.period,
            seconds=self.seconds,
            metrics=self.metrics,
            referee=self.referee.to_table() if self.referee is not None and self.needs_referee else None,
            folder=self.folder,
            file=FILE,
        )

    def make_world(self, seed: int) -> WorldSpec:
        """Return the world of a seed, with its robots at their start poses."""
        return self.plan(seed).make_world()

    def list_results(self) -> list[str]:
        """Return the figures that checks can use by name."""
        metrics = [name for metric in self.plan(0).make_metrics() for name in metric.names()]
        return [*RUN_RESULTS, *metrics, *self._list_verdicts()]

    def _list_verdicts(self) -> list[str]:
        """Return the figures of the referee."""
        return [] if self.referee is None else [self.referee.label, "score", "fouls"]

    @property
    def needs_referee(self) -> bool:
        """Whether a check uses a figure of the referee."""
        verdicts = self._list_verdicts()
        return any(check.measure in verdicts for check in self.checks)

    def check_names(self) -> None:
        """Raise an error for unknown devices, measures and robots."""
        world = self.make_world(self.seeds[0])
        if not world.robots:
            raise SpecError(f"{world.name} has no robot: set the robot to use", path="robot", file=FILE)
        for robot, spec in zip(world.robots, robot_types(world), strict=True):
            known = [sensor.name for sensor in spec.sensors]
            for i, device in enumerate(self.devices):
                if device not in known:
                    problem = str(UnknownName(f"device of {robot.name!r} ({spec.name})", device, known))
                    raise SpecError(problem, path=f"devices[{i}]", file=FILE)
        results = self.list_results()
        robots = [robot.name for robot in world.robots]
        for i, check in enumerate(self.checks):
            if is_path(check.measure):
                load_path(check.measure, self.folder, what="measuring function")
            elif check.measure not in results:
                problem = str(UnknownName("figure of its metrics or referee", check.measure, results))
                raise SpecError(problem, path=f"checks[{i}].measure", file=FILE)
            if check.robot not in (None, *robots):
                problem = str(UnknownName("robot", str(check.robot), robots))
                raise SpecError(problem, path=f"checks[{i}].robot", file=FILE)
