"""RunSpec: a run that has not happened yet, as data: who drives which robots in which world, and what is measured.

Exercises, contests, sweeps, scenarios, environments and evolution plan such runs and evaluate their episodes.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, cast, runtime_checkable

from paddock.arena.controller_choice import BUILT_IN, find_controller
from paddock.arena.metrics.metric import Metric
from paddock.arena.metrics.metric_registry import MetricChoice, make_metric, make_metrics
from paddock.arena.referees.referee import Referee
from paddock.arena.referees.referee_registry import make_referee
from paddock.arena.until import touched
from paddock.control.behaviours.tasks.task import Duration
from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value
from paddock.core.provenance import versions
from paddock.core.seeds import Seed
from paddock.core.spec import Number, Spec, spec_from_table
from paddock.core.toml import TomlName, read_toml_file
from paddock.core.user_code import code_beside, describe_code, hash_sources, is_path, load_path
from paddock.simulation.robots import RobotSpec, find_robot, load_robot
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.build import build
from paddock.simulation.worlds.changes import WorldChange, load_changed_world
from paddock.simulation.worlds.placement import check_placement, robot_types, start_pose
from paddock.simulation.worlds.randomise import Randomise
from paddock.simulation.worlds.starts import fit_robot
from paddock.simulation.worlds.world_files import fingerprint_world

if TYPE_CHECKING:
    from paddock.arena.arena import Arena
    from paddock.arena.base_arena import BaseArena
    from paddock.arena.batches.batch import Batch
    from paddock.arena.controllers import Drivers
    from paddock.arena.episode_plan import OnStep, Until
    from paddock.arena.episodes import Episode
    from paddock.arena.referees import Officiating

FORMAT = 2  # format of the data that digests are computed from
CONTACT = "contact"
Period = Annotated[float, Number("seconds", above=0)]


@runtime_checkable
class DriverSource(Protocol):
    """Creates the controllers of a run, and describes them for its digest."""

    def make(self, arena: BaseArena) -> Drivers:
        """Create the controllers of the robots of an arena."""

    def describe(self) -> Any:
        """Return everything that determines their behaviour, as data for JSON; code as hashes of its files."""

    def report_error_locations(self) -> AbstractContextManager[None]:
        """Context manager for the run: errors in the drivers' own files are reported with their location."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSpec(Spec):
    """A run that has not happened yet. Equal specs give equal episodes, to the last bit."""

    world: object  # a shipped world, a TOML file, `file.py:function` of the seed, a WorldSpec, or a table with a `base`
    robot: object = None  # a type, or its TOML file: replaces the types of the world's robots
    randomise: Randomise = Randomise()
    seed: Seed = 0
    drivers: object = BUILT_IN  # as in `find_controller`, or a DriverSource
    devices: tuple[str, ...] = ()  # devices to enable; empty: those that the drivers use
    period: Annotated[float, Number("seconds", above=0)] | None = (
        None  # between two calls of a controller; None: every tick
    )
    seconds: Duration = 60.0
    metrics: tuple[object, ...] = ()  # names, tables such as {metric = "goal", …}, or metrics
    referee: object = None  # its name, a table with a `kind`, or a Referee
    end: str | None = None  # "contact", or `file.py:function` of the arena; the referee and the time also end a run
    every: Annotated[float, Number("seconds", above=0)] | None = (
        None  # between two rows of the traces; None: as in `arena.run`
    )
    dt: Annotated[float, Number("seconds", minimum=1e-4, above=0, high=1)] | None = None  # None: the tick of the world
    folder: str = field(default="", compare=False, repr=False)  # base of relative file names
    file: str = field(default="", compare=False, repr=False)  # file name in error messages

    def check(self) -> None:
        if isinstance(self.world, Mapping):
            kind = WorldChange if "base" in self.world else WorldSpec
            object.__setattr__(self, "world", kind.from_table(self.world))
        if isinstance(self.robot, Mapping):
            object.__setattr__(self, "robot", RobotSpec.from_table(self.robot))
        self._check_kind("world", "the name of a world, a TOML file or a WorldSpec", str, Path, WorldSpec, WorldChange)
        self._check_kind("robot", "the name of a robot, a TOML file or a RobotSpec", str, Path, RobotSpec, type(None))
        self._check_kind("drivers", "the name of a controller or its file", str, DriverSource)
        self._check_kind("referee", "the name of a referee or a table", str, Mapping, Referee, type(None))
        if self.end not in (None, CONTACT) and not is_path(self.end):
            problem = UnknownName("end condition", str(self.end), (CONTACT,), expected="file.py:function")
            raise SpecError(str(problem), path="end")

    def _check_kind(self, name: str, expected: str, *kinds: type) -> None:
        value = getattr(self, name)
        if not isinstance(value, kinds):
            raise SpecError(f"expected {expected}, got {format_value(value)}", path=name)

    def with_seed(self, seed: int) -> RunSpec:
        """Return the same run with another seed."""
        return replace(self, seed=seed)

    # ---- the parts of a run

    def make_world(self) -> WorldSpec:
        """Return the world of the seed, with its robots at their starts."""
        return self.randomise.apply(self.load_world(), self.seed)

    def load_world(self) -> WorldSpec:
        """Return the world with its robots, before it is randomised."""
        world = self._load_world()
        if self.robot is None:
            return world
        fitted = fit_robot(world, self.load_robot())
        check_placement(fitted, robot_types(fitted))
        return fitted

    def load_robot(self) -> RobotSpec:
        """Return the type that replaces those of the world's robots."""
        if isinstance(self.robot, RobotSpec):
            return self.robot
        name = str(self.robot)
        own = Path(self.folder) / name
        return load_robot(own if own.is_file() else find_robot(name))

    def _load_world(self) -> WorldSpec:
        world = self.world
        if isinstance(world, WorldSpec):
            return world
        if isinstance(world, WorldChange):
            return load_changed_world(world, self.folder)
        name = str(world)
        if not is_path(name):
            own = Path(self.folder) / name
            return load_world(own if own.is_file() else name)
        made = load_path(name, self.folder, what="function that returns a world")(self.seed)
        if not isinstance(made, WorldSpec):
            raise PaddockError(f"{name}: expected a function that returns a WorldSpec, got {format_value(made)}")
        check_placement(made, robot_types(made))
        return made

    def make_metrics(self) -> tuple[Metric, ...]:
        """Return the metrics of each robot."""
        made = (self._make_metric(each, f"metrics[{i}]") for i, each in enumerate(self.metrics))
        return make_metrics(made, self.file or "metrics")

    def _make_metric(self, metric: Any, path: str) -> Metric:
        if isinstance(metric, Metric):
            return metric
        choice = MetricChoice.from_table(metric) if isinstance(metric, Mapping) else metric
        return make_metric(choice, folder=self.folder or None, path=path, file=self.file)

    def make_referee(self) -> Referee | None:
        """Return a referee for one run; None: the run has none."""
        if self.referee is None or isinstance(self.referee, Referee):
            return deepcopy(self.referee)
        try:
            return make_referee(cast("str | Mapping[str, Any]", self.referee), folder=self.folder or None)
        except SpecError as error:
            raise error.within(file=self.file) from None

    def find_drivers(self) -> DriverSource:
        """Return what creates the controllers."""
        if isinstance(self.drivers, str):
            return find_controller(self.drivers, self.folder, {})
        return cast(DriverSource, self.drivers)

    def find_end(self) -> Until | None:
        """Return the condition that ends the run, besides the referee and the time."""
        if self.end in (None, CONTACT):
            return None if self.end is None else touched()
        return cast("Until", load_path(str(self.end), self.folder, what="end condition"))

    # ---- the run

    def build(self) -> Arena:
        """Return the arena of the run, at its start."""
        from paddock.arena.arena import Arena

        return Arena(build(self.make_world(), dt=self.dt), seed=self.seed)

    def run(
        self, *, watch: Callable[[Arena], AbstractContextManager[object]] | None = None, speed: float | None = None
    ) -> Episode:
        """Run it in this process.

        Args:
            watch: context manager that displays the arena during the run.
            speed: 1 for real time; None for as fast as possible.
        """
        with ExitStack() as stack:
            arena = stack.enter_context(self.build())
            if watch is not None:
                stack.enter_context(watch(arena))
            return self.run_in(arena, speed=speed)

    def run_in(
        self,
        arena: BaseArena,
        drivers: Drivers | None = None,
        *,
        speed: float | None = None,
        on_step: OnStep | None = None,
    ) -> Episode:
        """Run it in an arena: its own, a served one or that of a real robot. An error keeps `arena.episode`.

        Args:
            arena: the arena; one of this process if the run has a referee.
            drivers: controllers that were created before; None: those of the spec.
            speed: 1 for real time; None for as fast as possible.
            on_step: called after every tick, with the arena.
        """
        source = self.find_drivers()
        with ExitStack() as stack:
            stack.enter_context(source.report_error_locations())
            chosen = source.make(arena) if drivers is None else drivers
            if self.devices:
                for robot in arena.robots.values():
                    robot.enable(*self.devices)
            else:
                chosen.enable(arena)
            referee = self.make_referee()
            game = None if referee is None else stack.enter_context(_officiate(arena, referee))
            conditions = [chosen.until, self.find_end(), None if game is None else game.is_over]
            try:
                arena.run(
                    self.seconds,
                    chosen.slow_down(self.period, arena.dt),
                    metrics=self.make_metrics(),
                    every=self.every,
                    until=_join_conditions([each for each in conditions if each is not None]),
                    speed=speed,
                    on_step=on_step,
                )
            finally:
                if arena.episode is not None:
                    arena.episode = _add_figures(arena.episode, chosen, game)
        if game is not None and game.error:
            raise PaddockError(f"the referee failed: {game.error}")
        assert arena.episode is not None
        return arena.episode

    # ---- is it the same run?

    @property
    def digest(self) -> str:
        """Key of the run: equal for runs with equal results. It covers the contents of all files."""
        return self.digests([self.seed])[0]

    def digests(self, seeds: Iterable[int]) -> list[str]:
        """Return the keys of the runs with other seeds."""
        by_seed, referee = is_path(self.world), self.make_referee()
        content = {
            "format": FORMAT,
            "versions": versions(),
            "world": describe_code(self.world, self.folder) if by_seed else fingerprint_world(self.load_world()),
            "robot": self.load_robot().to_table() if by_seed and self.robot is not None else None,
            "randomise": self.randomise.to_table(),
            "drivers": self.find_drivers().describe(),
            "metrics": [[repr(each), hash_sources(Path(inspect.getfile(type(each))))] for each in self.make_metrics()],
            "referee": None if referee is None else [repr(referee), hash_sources(Path(inspect.getfile(type(referee))))],
            "end": describe_code(self.end, self.folder),
            "settings": [self.devices, self.period, self.seconds, self.every, self.dt],
        }
        recipe = hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode())
        return [hashlib.sha256(f"{recipe.hexdigest()}:{seed}".encode()).hexdigest() for seed in seeds]


def make_batch(
    runs: Sequence[RunSpec], *, seeds: Sequence[int] | None = None, copies: int = 1, **options: Any
) -> Batch:
    """Return runs as one batch; without other seeds, world i is the arena of run i.

    Args:
        runs: the runs, with the same robots; worlds that differ in their start poses only are built once.
        seeds: seeds of the noise; None: those of the runs.
        copies: how often all runs are repeated.
        options: further arguments of the Batch.
    """
    from paddock.arena.batches.batch import Batch

    worlds, bases = [run.make_world() for run in runs], [run.load_world() for run in runs]
    different = list({id(world): world for world in bases}.values())
    takes_turns = all(base is different[i % len(different)] for i, base in enumerate(bases))
    starts = None
    if takes_turns and all(run.randomise.only_moves for run in runs):
        poses = [[start_pose(world, robot) for robot in world.robots] for world in worlds]
        starts = copies * poses if any(world is not base for world, base in zip(worlds, bases, strict=True)) else None
        worlds = different
    scenes = [build(world, dt=run.dt) for world, run in zip(worlds, runs, strict=False)]
    noise = [run.seed for run in runs] if seeds is None else list(seeds)
    return Batch(scenes, copies * len(runs), seed=copies * noise, starts=starts, **options)


def load_run(source: str | Path | Mapping[str, Any] | RunSpec) -> RunSpec:
    """Load a run from a TOML file or a table of the same keys."""
    if isinstance(source, RunSpec):
        return source
    if isinstance(source, Mapping):
        return RunSpec.from_table(source)
    path = Path(source)
    if path.suffix != ".toml":
        raise UnknownName("run", str(source), (), expected="the path of a TOML file")
    with code_beside(path.parent.resolve()):
        spec = spec_from_table(RunSpec, read_toml_file(path), file=TomlName(path))
    return replace(spec, folder=str(path.parent), file=TomlName(path))


def _join_conditions(conditions: Sequence[Until]) -> Until | None:
    """Return a condition that is met if one of these is met; the first gives the reason."""
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return lambda arena: next((why for condition in conditions if (why := condition(arena))), "")


def _add_figures(episode: Episode, drivers: Drivers, game: Officiating | None) -> Episode:
    """Return the episode with the scores of the referee and the figures of the drivers."""
    scored = episode if game is None else game.add_to(episode)
    if drivers.summarise is None:
        return scored
    results = drivers.summarise(scored)
    robots = {
        name: replace(record, metrics={**record.metrics, **results.get(name, {})})
        for name, record in scored.robots.items()
    }
    return replace(scored, robots=robots)


def _officiate(arena: BaseArena, referee: Referee) -> Officiating:
    from paddock.arena.referees import officiate

    return officiate(cast("Arena", arena), referee)
