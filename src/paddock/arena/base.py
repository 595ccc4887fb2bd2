"""BaseArena: what arenas in this process and arenas elsewhere have in common."""

from __future__ import annotations

import math
import operator
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from paddock.arena.episode_loop import EpisodeLoop, EpisodePlan, OnStep, Until
from paddock.arena.robot import Robot
from paddock.arena.run_board import RunBoard
from paddock.core.display import display_html
from paddock.core.errors import PaddockError, SimulationError, format_value
from paddock.core.numeric import all_finite, check_heading
from paddock.core.observation import acting
from paddock.engine.clock import Pacer
from paddock.episodes import Episode, Event
from paddock.episodes.events import LASTING, Kind
from paddock.episodes.recorder import TraceRecorder
from paddock.estimate import Estimate
from paddock.mapping.view import MapView
from paddock.metrics.base import Metric
from paddock.metrics.choice import make_metric
from paddock.robots import RobotSpec, load_robot
from paddock.worlds.spec import WorldSpec

ROW_PERIOD = 0.1  # [s] between two rows of a trace, unless told otherwise
MOST_ROWS = 10_000  # … of a trace, unless told otherwise


class BaseArena(ABC):
    """A simulation with robots by name. Time moves in `step` and `run`."""

    robots: Mapping[str, Robot]
    world: WorldSpec
    episode: Episode | None = None  # the last run, however it ended
    recorders: Mapping[str, TraceRecorder] = MappingProxyType({})  # of the run under way, by robot
    foreign_drivers: Mapping[str, str] = MappingProxyType({})  # by robot that someone else drives now: who
    disturbance = ""  # the first that others did to it since its start; empty: nothing
    _events: list[Event] | None = None
    _runner = 0  # the thread of the program

    def __init__(self) -> None:
        self._runner = threading.get_ident()

    def __getitem__(self, name: str) -> Robot:
        return self.robots[name]

    def __contains__(self, name: object) -> bool:
        return name in self.robots

    def __iter__(self) -> Iterator[str]:
        """The names of the robots."""
        return iter(self.robots)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.world.name}, robots: {len(self.robots)}, time: {self.time:g} s>"

    def _repr_html_(self) -> str | None:
        return display_html("arena", self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    @abstractmethod
    def dt(self) -> float:
        """Length of a tick [s]."""

    @property
    @abstractmethod
    def seed(self) -> int:
        """What decides all noise."""

    @property
    @abstractmethod
    def tick(self) -> int:
        """Ticks since the start."""

    @cached_property
    def board(self) -> RunBoard:
        """What running controllers show of themselves, and the goals that people send them."""
        return RunBoard()

    @property
    def known_world(self) -> WorldSpec | None:
        """The world, where there is one: a real robot has none."""
        try:
            return self.world
        except PaddockError:
            return None

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Where running controllers take their robots to be, by robot; only of those that have an estimate."""
        return self.board.estimates

    @property
    def map_views(self) -> dict[str, MapView]:
        """The maps of controllers of the last run that were shown to somebody, by robot."""
        return {name: shown.view for name, shown in self.board.maps.items()}

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""
        return self.tick * self.dt

    @property
    def poses(self) -> NDArray[np.float64]:
        """All robots' x, y [m] and heading [rad], shape (N, 3); a copy."""
        return np.array([robot.pose for robot in self.robots.values()]).reshape(-1, 3)

    @abstractmethod
    def step(self, n: int = 1) -> None:
        """Let `n` ticks pass."""

    @abstractmethod
    def reset(self, seed: int | None = None) -> None:
        """Back to the start, with the same seed or another one; enabled devices stay enabled."""

    def spawn(
        self,
        name: str,
        kind: str | Path | RobotSpec,
        *,
        at: tuple[float, float] | None = None,
        heading: float = 0.0,
        color: str | None = None,
    ) -> Robot:
        """Put another robot into the world.

        Args:
            name: what it is called there.
            kind: a shipped robot's name, the path of a TOML file, or a RobotSpec.
            at: where [m]; there must be room now, and where others start. None: anywhere with room.
            heading: where it looks [rad].
            color: of its body, else that of its kind.
        """
        if not all_finite(*(at or ()), heading):
            raise SimulationError(f"robot {name!r} cannot be put to {at!r}, {heading!r}: expected finite numbers")
        check_heading(f"robot {name!r} cannot be put to {at!r}", heading)
        self._spawn(name, kind if isinstance(kind, RobotSpec) else load_robot(kind), at, heading, color)
        return self[name]

    @abstractmethod
    def _spawn(
        self, name: str, spec: RobotSpec, at: tuple[float, float] | None, heading: float, color: str | None
    ) -> None:
        """Put a robot there; its place was checked to be one."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Take a robot out of the world; its handle is of no use any more."""

    @abstractmethod
    def digest(self) -> str:
        """A fingerprint of state and commands: in one world, equal digests mean equal futures."""

    @abstractmethod
    def snapshot(self) -> Any:
        """An exact copy of the present state and commands, for `restore`."""

    @abstractmethod
    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the arena holds."""

    @abstractmethod
    def update_watch(self, robot: Robot) -> None:
        """A robot's observers have changed."""

    def run(
        self,
        seconds: float,
        controllers: Any = None,
        *,
        until: Until | None = None,
        every: float | None = None,
        metrics: Sequence[Metric | str] = (),
        on_step: OnStep | None = None,
        speed: float | None = None,
        renew: Callable[[], Mapping[str, Any]] | None = None,
    ) -> Episode:
        """Let controllers drive robots until the time is over, or something else ends it.

        What was recorded is also in `arena.episode`, whatever ended the run: an exception in a controller, too.

        Args:
            seconds: simulated time to run for, rounded to whole ticks; at least one tick unless it is 0.
            controllers: a controller per robot's name; or one, for the only robot.
            until: called with the arena before each tick; something true ends the run, a text says why.
            every: simulated seconds between two rows of the traces, rounded to whole ticks. None: 0.1 s, or a
                ten-thousandth of a longer run, of the driven robots, or of all in a small world.
            metrics: what to find out about each recorded robot, from all ticks, whatever `every` is; also by name, as
                "distance" or "my_file.py:Mine".
            on_step: called with the arena after each tick.
            speed: 1 for real time, 50 for fifty times that; None for as fast as possible.
            renew: makes the controllers anew after someone reset the arena; without it, they are told to `reset()`.
        """
        if not (all_finite(seconds) and seconds >= 0):
            raise SimulationError(f"run: expected seconds >= 0, got {seconds!r}")
        if every is not None and not (all_finite(every) and every > 0):
            raise SimulationError(f"run: every: expected seconds > 0 between two rows of a trace, got {every!r}")
        Pacer(speed)  # refuses what is no speed
        for name, function in (("until", until), ("on_step", on_step), ("renew", renew)):
            if function is not None and not callable(function):
                raise SimulationError(f"run: {name}: expected a function, got {format_value(function)}")
        if isinstance(metrics, Metric | str) or not isinstance(metrics, Iterable):
            raise SimulationError(f"run: metrics: expected a list such as [Distance()], got {format_value(metrics)}")
        chosen = self._by_robot(controllers)
        for controller in chosen.values():
            acting(controller)  # refuses what is none, before time passes
        period = max(ROW_PERIOD, seconds / MOST_ROWS) if every is None else every
        plan = EpisodePlan(
            ticks=max(round(seconds / self.dt), 1 if seconds > 0 else 0),
            controllers=chosen,
            recorded=self._choose_recorded(chosen, whole=every is not None),
            every=max(1, math.floor(period / self.dt + 0.5)),
            metrics=_make_metrics(metrics),
            until=until,
            on_step=on_step,
            speed=speed,
            renew=renew,
        )
        self.episode = None
        return EpisodeLoop(self, plan).run(self._drive)

    def _drive(self, loop: EpisodeLoop) -> str:
        """Run an episode's loop; why it ended."""
        return loop.drive()

    def _choose_recorded(self, driven: Iterable[Robot], *, whole: bool) -> list[Robot]:
        """The robots whose traces are kept; here those that are driven, as it is costly to ask for others."""
        return list(driven)

    def update_time(self) -> None:  # noqa: B027 (elsewhere, `tick` is exact)
        """Find out how late it is, where time passes elsewhere and `tick` is what was heard last."""

    def rewind(self) -> None:  # noqa: B027 (only arenas of this process can)
        """A run is about to begin again after a reset: undo what its controllers did since."""

    def collect_events(self, events: list[Event] | None) -> list[Event] | None:
        """Collect what happens from now on in a list, None: no more; the list that was used before."""
        former, self._events, self._runner = self._events, events, threading.get_ident()
        return former

    def note_event(self, kind: Kind, robot: str | None = None, text: str = "") -> None:
        """Something happened that a running episode should know: whoever does it calls this, from any thread."""
        mine = threading.get_ident() == self._runner
        self.append_event(Event(time=self.time, kind=kind, robot=robot, text=text, by_program=mine))

    def note_drivers(self, drivers: Mapping[str, str]) -> None:
        """Who else drives robots from now on, by robot."""
        self.foreign_drivers = drivers
        for robot, driver in drivers.items():
            self.disturb(f"{driver} drove {robot}")

    def disturb(self, text: str) -> None:
        """Something decides the state from now on that no program can repeat."""
        self.disturbance = self.disturbance or text

    def append_event(self, event: Event) -> None:
        """Tell a running episode of an event, and later ones of what lasts."""
        if event.kind == "reset":
            self.disturbance = ""
            self.note_drivers(self.foreign_drivers)
        elif event.kind in LASTING and event.disturbs:
            self.disturb(str(event))
        events = self._events
        if events is not None:
            events.append(event)

    @property
    def chance(self) -> str:
        """What besides the program and the seed has decided the present state; empty: nothing."""
        return self.disturbance

    @property
    def is_recording(self) -> bool:
        """Whether a run is under way."""
        return self._events is not None

    def _by_robot(self, controllers: Any) -> dict[Robot, Any]:
        if controllers is None:
            return {}
        if isinstance(controllers, Mapping):
            return {self[name]: controller for name, controller in controllers.items()}
        if len(self.robots) != 1:
            raise SimulationError(
                f"run: there are {len(self.robots)} robots: expected a dict of controllers by robot name"
            )
        return {next(iter(self.robots.values())): controllers}


def _make_metrics(metrics: Iterable[Metric | str]) -> tuple[Metric, ...]:
    """Metrics, some of them by name."""
    return tuple(
        make_metric(each, folder=None, path=f"metrics[{i}]", file="run") if isinstance(each, str) else each
        for i, each in enumerate(metrics)
    )


def check_ticks(n: int) -> int:
    """A number of ticks to step, or a SimulationError."""
    try:
        ticks = operator.index(n)
    except TypeError:
        ticks = -1
    if ticks < 0:
        raise SimulationError(f"step: expected a whole number of ticks >= 0, got {n!r}")
    return ticks
