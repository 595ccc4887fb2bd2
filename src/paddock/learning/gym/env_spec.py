"""EnvSpec: the specification of an environment: worlds, observation, actions, rewards, endings, randomisation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from paddock.arena.run_spec import RunSpec
from paddock.control.policies.policy import Input
from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value
from paddock.core.spec import Metres, MetresOrZero, NotNegative, Number, Positive, Spec, convert, hints
from paddock.learning.gym.places import FreeSpace
from paddock.learning.gym.terms import Ending, RewardTerm, Term
from paddock.simulation.engine.model import Floats
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.placement import robot_types
from paddock.simulation.worlds.randomise import Randomise
from paddock.simulation.worlds.rooms import make_room

Whole = Annotated[int, Number("a whole number", low=1, limit=1e6)]
Range = tuple[NotNegative, NotNegative]
LEAST_DISTANCE = 8.0  # default minimum distance from start to goal in robot radii
REDRAWS = 50  # of starts that are too near to the exit or to the prey; a small world may have no others


@dataclass(frozen=True, kw_only=True)
class EnvSpec(Spec):
    """An environment. Derive a class from it, change the defaults of its fields, and define its worlds.

    Observations are the values of devices and signals, each scaled to -1 … 1. `ranges` and `floor` are aliases of
    the robot's first distance sensors and ground sensors. Signals: `goal` (distance, cosine and sine of its
    direction), `wheels` (wheel speeds), `touch`, `time` (elapsed fraction), `way` (path length through the world),
    `news` (which plots around the robot are new), `neighbours` (distance, cosine and sine of the nearest three robots).
    """

    robot: str | RobotSpec = "e-puck"
    world: object = None  # a world's name, file, spec or run, or a list of them; None: the environment's own
    robots: Whole = 1  # in each world, all of the same type
    observe: tuple[object, ...] = ("ranges",)  # names of devices and signals, or `Input`s with custom scales
    flat: bool = True  # one row of numbers instead of a dict by name
    actions: Literal["wheels", "twist", "discrete"] = "wheels"
    speed: Positive | None = None  # maximum wheel speed [m/s]; None: four radii per second, or the robot's maximum
    rewards: tuple[RewardTerm, ...] = ()
    endings: tuple[Ending, ...] = ()
    time_limit: Positive = 30.0  # [s]
    dt: Positive = 0.1  # length of a tick [s]
    ticks: Whole = 1  # in a step
    rooms: Whole = 32  # number of generated worlds to draw from
    first_room: Annotated[int, Number("a whole number", low=0, limit=1e9)] = 0  # other numbers: other, unseen rooms
    starts: Literal["drawn", "placed"] = "drawn"  # drawn by the environment; where the worlds place their robots
    places: Whole = 64  # number of starts, and of goals, to draw from in each world
    goals: Literal["drawn", "prey", "food"] = "drawn"  # drawn per episode; the last robot; the nearest piece of food
    least_distance: MetresOrZero | None = None  # minimum distance from start to goal; None: 8 radii of the robot
    plot: Metres | None = None  # side of a plot of the floor; None: `plot_radii` radii of the robot
    randomise: Randomise = Randomise()  # noise, errors of wheels and light, drawn for each episode

    plot_radii: ClassVar[float] = 4.0  # default side of a plot of the floor in radii of a robot
    timeout_is_success: ClassVar[bool] = False  # whether reaching the time limit is a success

    @classmethod
    def from_runs(cls, runs: Sequence[RunSpec], **options: Any) -> Self:
        """Create an environment of planned runs, such as those of an exercise; an episode starts as one of them.

        Args:
            runs: the runs, with the same robots.
            options: settings that replace those of the runs.
        """
        first, worlds = runs[0], tuple(run.make_world() for run in runs)
        kinds = robot_types(worlds[0])
        given = {
            "world": worlds,
            "robot": kinds[0],
            "robots": len(kinds),
            "starts": "placed",
            "observe": first.devices or cls.__dataclass_fields__["observe"].default,
            "time_limit": first.seconds,
            "dt": first.dt or worlds[0].dt,
            "ticks": max(1, round((first.period or 0.0) / (first.dt or worlds[0].dt))),
        }
        return cls.from_options(**{**given, **options})

    @classmethod
    def from_options(cls, **options: Any) -> Self:
        """Create the spec with other settings; `rewards` may be a dict of weights by name."""
        known = {field.name for field in fields(cls)}
        for name in options:
            if name not in known:
                raise UnknownName(f"option of {cls.__name__}", name, sorted(known))
        weights = options.get("rewards")
        if isinstance(weights, Mapping):
            terms = cls(**{**options, "rewards": cls.__dataclass_fields__["rewards"].default}).rewards
            labels = [term.label for term in terms]
            for label in weights:
                if label not in labels:
                    raise UnknownName(f"reward of {cls.__name__}", str(label), labels)
            options["rewards"] = tuple(replace(term, weight=weights.get(term.label, term.weight)) for term in terms)
        return cls(**options)

    def __post_init__(self) -> None:
        self._check_terms("rewards", RewardTerm, "ProgressReward()")
        self._check_terms("endings", Ending, "GoalReached()")
        super().__post_init__()

    def check(self) -> None:
        for name, hint in hints(EnvSpec).items():  # so that derived classes need not repeat the annotations
            object.__setattr__(self, name, convert(getattr(self, name), hint, name))
        for i, source in enumerate(self.observe):
            if not isinstance(source, str | Input):
                raise SpecError(f"expected a name or an Input, got {format_value(source)}", path=f"observe[{i}]")
        if not self.observe:
            raise SpecError("expected at least one device or signal", path="observe")
        if self.goals == "prey" and self.robots < 2:
            raise SpecError(f"expected at least 2 robots if the last one is the prey, got {self.robots}", path="robots")
        if self.goals == "food" and (plots := {"way", "news"} & {*map(str, self.observe)}):
            raise SpecError(f"expected no {min(plots)!r} if goals is 'food', which uses no plots", path="observe")
        if isinstance(self.world, list):
            object.__setattr__(self, "world", tuple(self.world))
        if not self.randomise.is_placed:
            raise SpecError("expected no change of start poses here; make_starts draws them", path="randomise")
        if self.world == ():
            raise SpecError("expected at least one world", path="world")

    def _check_terms(self, name: str, kind: type[Term], example: str) -> None:
        terms = getattr(self, name)
        for i, term in enumerate(terms if isinstance(terms, list | tuple) else ()):
            if not isinstance(term, kind):
                got = f"the class {term.__name__}: call it" if isinstance(term, type) else format_value(term)
                raise SpecError(f"expected an object such as {example}, got {got}", path=f"{name}[{i}]")

    @property
    def explores(self) -> bool:
        """Whether plots and path lengths are computed, because an observation, reward or ending uses them."""
        terms: tuple[Term, ...] = (*self.rewards, *self.endings)
        seen = "way" in self.observe or "news" in self.observe
        return self.goals != "food" and (seen or any(term.uses_plots() for term in terms))

    def find_least_distance(self, radius: float) -> float:
        """Return the minimum distance from start to goal [m] for robots of some radius."""
        return LEAST_DISTANCE * radius if self.least_distance is None else self.least_distance

    def load_robot(self) -> RobotSpec:
        """Load the type of all robots."""
        return self.robot if isinstance(self.robot, RobotSpec) else load_robot(self.robot)

    def load_worlds(self) -> list[WorldSpec]:
        """Return the worlds to draw from: those of the field `world`, or the environment's own."""
        if self.world is None:
            worlds: Any = self.make_worlds()
            if isinstance(worlds, str | WorldSpec) or not isinstance(worlds, Iterable):
                kind = type(self).__name__
                raise PaddockError(f"{kind}.make_worlds: expected a list of worlds, got {format_value(worlds)}")
        else:
            worlds = self.world if isinstance(self.world, tuple) else (self.world,)
        loaded = [self._load(world) for world in worlds]
        if not loaded:
            raise PaddockError(f"{type(self).__name__}.make_worlds: expected at least one world, got none")
        return loaded

    def _load(self, world: object) -> WorldSpec:
        if isinstance(world, str | Path):
            return load_world(world)
        if isinstance(world, RunSpec):
            return world.make_world()
        if not isinstance(world, WorldSpec):
            raise SpecError(f"expected a world's name, file or spec, got {format_value(world)}", path="world")
        return world

    def make_worlds(self) -> list[WorldSpec]:
        """Return the environment's own worlds; their robots are ignored."""
        raise SpecError(f"missing: {type(self).__name__} has no world of its own", path="world")

    def make_rooms(self, **shape: Any) -> list[WorldSpec]:
        """Return as many generated rooms as the field `rooms`; the options are those of `make_room`."""
        robot = self.load_robot()
        return [make_room(self.first_room + i, robot, **shape) for i in range(self.rooms)]

    def make_starts(self, space: FreeSpace, rng: np.random.Generator) -> Floats:
        """Draw start poses, shape (starts, robots, 3): any free position and heading, away from an exit or the prey."""
        gap, leave, least = 0.25 * space.radius, self.make_exit(space), self.find_least_distance(space.radius)
        starts = np.empty((self.places, self.robots, 3))
        for row in starts:
            for _ in range(REDRAWS):
                at = row[:, :2] = space.draw(self.robots, rng, margin=gap, apart=2.0 * (space.radius + gap))
                away = at[:-1] - at[-1] if self.goals == "prey" else at - (np.inf if leave is None else leave)
                if np.hypot(*away.T).min() >= least:
                    break
        starts[..., 2] = rng.uniform(-np.pi, np.pi, starts.shape[:2])
        return starts

    def make_goals(self, space: FreeSpace, rng: np.random.Generator) -> Floats:
        """Draw goals, shape (goals, 2): any free position."""
        return space.draw(self.places, rng, margin=0.25 * space.radius)

    def make_exit(self, space: FreeSpace) -> Floats | None:
        """Return the position [x, y] to which path lengths through a world are measured; None: none."""
        return None


def check_env_spec(spec: object) -> None:
    """Raise an error for anything that is not an environment, such as its class or its name."""
    if isinstance(spec, EnvSpec):
        return
    if isinstance(spec, type) and issubclass(spec, EnvSpec):
        raise PaddockError(f"expected an environment such as {spec.__name__}(), got the class {spec.__name__}: call it")
    fix = f"; make_env({spec!r}) creates one by its name" if isinstance(spec, str) else ""
    raise PaddockError(
        f"expected an environment, an object of a class derived from EnvSpec, got {format_value(spec)}{fix}"
    )
