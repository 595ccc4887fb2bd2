"""BaseArena: what all arenas have in common, also a real robot that is its own arena. SimulatedArena: with a world."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena.episodes.events import POPULATION, Event, Kind
from paddock.arena.robot import Robot
from paddock.core.argument_checks import all_finite, check_heading, is_list
from paddock.core.closing import Closing
from paddock.core.display import display_html
from paddock.core.errors import PaddockError, SimulationError, format_value
from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from paddock.arena.episode_loop import EpisodeLoop
    from paddock.arena.episode_plan import OnStep, Until
    from paddock.arena.episodes import Episode
    from paddock.arena.episodes.recorder import TraceRecorder
    from paddock.arena.metrics.metric import Metric
    from paddock.arena.run_monitor import RunMonitor
    from paddock.perception.estimation import Estimate
    from paddock.perception.mapping.view import MapView

ONE = 1  # number of ticks of most steps


class BaseArena(Closing):
    """Robots by name, in a simulation or in reality. Time moves in `step` and `run`."""

    robots: Mapping[str, Robot]
    episode: Episode | None = None  # the last run, however it ended
    recorders: Mapping[str, TraceRecorder] = MappingProxyType({})  # of the current run, by robot
    foreign_drivers: Mapping[str, str] = MappingProxyType(
        {}
    )  # name of the client that drives a robot instead of this program, by robot
    disturbance = ""  # first external intervention since the start; empty if none
    _population_change = ""  # the first one that a reset does not undo: a robot was added or removed
    _events: list[Event] | None = None
    _runner = 0  # the thread of the program

    def __init__(self) -> None:
        self._runner = threading.get_ident()

    def __getitem__(self, name: str) -> Robot:
        return self.robots[name]

    def __contains__(self, name: object) -> bool:
        return name in self.robots

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the robots."""
        return iter(self.robots)

    def _repr_html_(self) -> str | None:
        return display_html("arena", self)

    @property
    @abstractmethod
    def dt(self) -> float:
        """Length of a tick [s]."""

    @property
    def seed(self) -> int:
        """Seed of all noise; 0 where nothing is simulated."""
        return 0

    @property
    @abstractmethod
    def tick(self) -> int:
        """Ticks since the start."""

    @cached_property
    def monitor(self) -> RunMonitor:
        """Estimates, maps and status shown by running controllers, and the goals that clients send to them."""
        from paddock.arena.run_monitor import RunMonitor

        return RunMonitor()

    @property
    def connected(self) -> bool:
        """Whether the robots can be reached, as far as is known; always True for a simulation in this process."""
        return True

    @property
    def known_world(self) -> WorldSpec | None:
        """The world, or None for a real robot."""
        return None

    @property
    def known_digest(self) -> str | None:
        """Hash of state and commands, or None for a real robot, or if a server refuses it."""
        return None

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Pose estimates of running controllers, by robot; only of controllers that have an estimate."""
        return self.monitor.estimates

    @property
    def map_views(self) -> dict[str, MapView]:
        """Maps that controllers of the last run have shown, by robot."""
        return {name: shown.view for name, shown in self.monitor.maps.items()}

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""
        return self.tick * self.dt

    @property
    def poses(self) -> NDArray[np.float64]:
        """All robots' x, y [m] and heading [rad], shape (N, 3); a copy."""
        return np.array([robot.pose for robot in self.robots.values()]).reshape(-1, 3)

    @property
    def thing_poses(self) -> list[Pose] | None:
        """Poses of the things that robots push, in the world's order; None if they are not known."""
        return None

    @abstractmethod
    def step(self, n: int = 1) -> None:
        """Simulate `n` ticks."""

    @abstractmethod
    def reset(self, seed: int | None = None) -> None:
        """Reset to the start, with the same seed or another one. Enabled devices stay enabled."""

    @abstractmethod
    def close(self) -> None:
        """Release the resources of the arena."""

    @abstractmethod
    def update_watch(self, robot: Robot) -> None:
        """Update the arena after the observers of a robot have changed."""

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
        """Run controllers for some simulated time, or until another condition ends the run.

        The episode is also stored in `arena.episode`, even if the run ended with an exception in a controller.

        Args:
            seconds: simulated time to run for, rounded to whole ticks; at least one tick unless it is 0.
            controllers: a dict of controllers by robot name, or one controller for the only robot.
            until: called with the arena before each tick; a true value ends the run, and a str is the reason.
            every: simulated seconds between two rows of the traces, rounded to whole ticks. None: 0.1 s, or a
                ten-thousandth of a longer run, of the driven robots, or of all in a small world.
            metrics: metrics of each recorded robot, computed from all ticks regardless of `every`; also by name, as
                "distance" or "my_file.py:Mine".
            on_step: called with the arena after each tick.
            speed: 1 for real time, 50 for fifty times real time; None for as fast as possible.
            renew: creates the controllers again after the arena was reset; without it, their `reset()` is called.
        """
        from paddock.arena.episode_loop import EpisodeLoop
        from paddock.arena.episode_plan import plan_episode

        plan = plan_episode(
            self,
            seconds,
            controllers,
            until=until,
            every=every,
            metrics=metrics,
            on_step=on_step,
            speed=speed,
            renew=renew,
        )
        self.episode = None
        return EpisodeLoop(self, plan).run(self._drive)

    def _drive(self, loop: EpisodeLoop) -> str:
        """Run the loop of an episode and return the reason why it ended."""
        return loop.drive()

    def choose_recorded(self, driven: Iterable[Robot], *, all_robots: bool) -> list[Robot]:
        """Return the robots to record; here only the driven ones, since reading others is expensive."""
        return list(driven)

    def update_time(self) -> None:
        """Update `tick` if the clock is remote and `tick` is the last received value."""

    def rewind(self) -> None:
        """Undo the actions of controllers since a reset, before a run restarts."""

    def collect_events(self, events: list[Event] | None) -> list[Event] | None:
        """Append events to this list from now on, or to none if None. Return the previous list."""
        former, self._events, self._runner = self._events, events, threading.get_ident()
        return former

    def note_event(self, kind: Kind, robot: str | None = None, text: str = "") -> None:
        """Record an event in the running episode. May be called from any thread."""
        mine = threading.get_ident() == self._runner
        self.append_event(Event(time=self.time, kind=kind, robot=robot, text=text, by_program=mine))

    def note_drivers(self, drivers: Mapping[str, str]) -> None:
        """Set the clients that drive robots instead of this program, by robot."""
        self.foreign_drivers = drivers
        for robot, driver in drivers.items():
            self.disturb(f"{driver} drove {robot}")

    def disturb(self, text: str) -> None:
        """Mark the state as not repeatable, with the reason."""
        self.disturbance = self.disturbance or text

    def append_event(self, event: Event) -> None:
        """Add an event to the running episode, and keep its effect for later ones if it is lasting."""
        if event.kind == "reset":
            self.disturbance = self._population_change
            self.note_drivers(self.foreign_drivers)
        elif event.disturbs:
            self.disturb(str(event))
            if event.kind in POPULATION:
                self._population_change = self._population_change or str(event)
        events = self._events
        if events is not None:
            events.append(event)

    @property
    def nondeterminism(self) -> str:
        """Cause of the current state other than the program and the seed; empty if there is none."""
        return self.disturbance

    @property
    def is_recording(self) -> bool:
        """Whether a run is in progress."""
        return self._events is not None


class SimulatedArena(BaseArena):
    """A simulation. It has a world, to which robots can be added, and its state can be stored and restored."""

    world: WorldSpec

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.world.name}, robots: {len(self.robots)}, time: {self.time:g} s>"

    @property
    def known_world(self) -> WorldSpec | None:
        return self.world

    @property
    def known_digest(self) -> str | None:
        try:
            return self.digest()
        except PaddockError:
            return None

    def spawn(
        self,
        name: str,
        kind: str | Path | RobotSpec,
        *,
        at: tuple[float, float] | None = None,
        heading: float = 0.0,
        color: str | None = None,
    ) -> Robot:
        """Add a robot to the world.

        Args:
            name: name of the robot.
            kind: name of a built-in robot, path of a TOML file, or a RobotSpec.
            at: position [m]; it must be free now, and not overlap the start of another robot. None: any free position.
            heading: heading [rad].
            color: colour of its body; by default that of its type.
        """
        if not isinstance(name, str):
            raise SimulationError(f"spawn: expected the name of a robot, got {format_value(name)}")
        place = (0.0, 0.0) if at is None else at
        if not is_list(place) or len(place) != 2 or not all_finite(*place, heading):
            raise SimulationError(
                f"robot {name!r} cannot be placed at {at!r}, {heading!r}: expected finite numbers, (x, y) and heading"
            )
        check_heading(f"robot {name!r} cannot be placed at {at!r}", heading)
        spec = kind if isinstance(kind, RobotSpec) else load_robot(kind)
        self._spawn(name, spec, None if at is None else (float(at[0]), float(at[1])), heading, color)
        return self[name]

    @abstractmethod
    def _spawn(
        self, name: str, spec: RobotSpec, at: tuple[float, float] | None, heading: float, color: str | None
    ) -> None:
        """Add a robot; the numbers of its pose have been checked."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a robot from the world. Its handle can no longer be used."""

    @abstractmethod
    def digest(self) -> str:
        """Return a hash of state and commands. In the same world, equal digests mean equal futures."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Return an exact copy of the current state and commands, for `restore`."""

    @abstractmethod
    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot."""
