"""Arena: the one stateful face of a running simulation."""

from __future__ import annotations

import operator
import threading
import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena.brains import brains_of, no_devices, remember
from paddock.arena.notes import nothing_noted
from paddock.arena.robot import Robot
from paddock.arena.rollout import loop_for
from paddock.arena.snapshot import Snapshot, fingerprint
from paddock.control.policy import Policy
from paddock.core.errors import DeviceNotEnabled, DeviceRefused, SimulationError, UnknownName, shown
from paddock.core.geometry import Pose
from paddock.core.jit import progress_while_compiling
from paddock.core.numeric import all_finite
from paddock.core.observation import Readings, acting
from paddock.engine import state as engine
from paddock.engine.clock import Pacer
from paddock.engine.kernels.surroundings import index_crowd
from paddock.engine.model import Floats
from paddock.engine.state import HEADING, SEED, TICK, X
from paddock.engine.step import step
from paddock.sensors.sense import sense, take_picture
from paddock.worlds.build import BuiltWorld
from paddock.worlds.placement import Room

SLICE = 0.2  # wall seconds that a kernel may run before Python gets a word in


class Arena:
    """A simulation in this process. Time moves only in `step` and `run`. Threads may share it; they take turns."""

    def __init__(self, built: BuiltWorld, *, seed: int = 0) -> None:
        self.built, self.world, self.model = built, built.spec, built.model
        self.state = engine.initial_state(self.model, built.poses, lamps=built.lamps, seed=checked_seed(seed))
        self.commands = engine.initial_commands(self.model)
        self.space = engine.workspace(self.model)
        self.enabled: NDArray[np.uint8] = no_devices(built)
        self.robots = Robots(self)
        self._turn = threading.RLock()  # kernels share the workspace, and run without Python's own lock
        self._step, self._sense = step.compiled, sense.compiled
        with progress_while_compiling("its engine", step):
            self._step(self.model, self.state, self.commands, self.space, 0)
            self.index()

    def __getitem__(self, name: str) -> Robot:
        return self.robots[name]

    def __contains__(self, name: object) -> bool:
        return name in self.robots

    def __iter__(self) -> Iterator[str]:
        """The names of the robots."""
        return iter(self.robots)

    def __repr__(self) -> str:
        return f"<Arena {self.world.name}, robots: {len(self.robots)}, time: {self.time:g} s>"

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to give back in this process; here so that all arenas can be closed alike."""

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""
        return self.model.dt

    @property
    def seed(self) -> int:
        """What decides all noise."""
        return int(self.state.clock[0, SEED])

    @property
    def tick(self) -> int:
        """Ticks since the start."""
        return int(self.state.clock[0, TICK])

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""
        return float(self.state.clock[0, TICK]) * self.model.dt

    @property
    def motion(self) -> Floats:
        """All robots' present motion, see engine/state.py, shape (N, ·)."""
        motion: Floats = self.state.motion[0]
        current: Floats = motion[self.tick % len(motion)]
        return current

    @property
    def poses(self) -> Floats:
        """All robots' x, y [m] and heading [rad], shape (N, 3); a copy."""
        return self.motion[:, X : HEADING + 1].copy()

    def step(self, n: int = 1) -> None:
        """Let `n` ticks pass."""
        if n == 1:
            with self._turn:
                self._step(self.model, self.state, self.commands, self.space, 1)
            return
        self._advance(_checked_ticks(n), self._step)

    def _advance(self, ticks: int, kernel: Any, *more: Any) -> None:
        """Run a kernel for some ticks, in slices short enough for Ctrl-C and for other threads."""
        slice_of_ticks = 1
        while ticks > 0:
            now = min(ticks, slice_of_ticks)
            started = time.perf_counter()
            with self._turn:
                kernel(self.model, self.state, self.commands, self.space, *more, now)
            took = time.perf_counter() - started
            slice_of_ticks = max(1, min(4 * slice_of_ticks, int(now * SLICE / max(took, 1e-6))))
            ticks -= now

    def run(self, seconds: float, controllers: Any = None, speed: float | None = None) -> None:
        """Let time pass with controllers at the wheels.

        Args:
            seconds: simulated time to run for, rounded to whole ticks; at least one tick unless it is 0.
            controllers: a controller per robot's name; or one, for the only robot.
            speed: 1 for real time, 50 for fifty times that; None for as fast as possible.
        """
        if not (all_finite(seconds) and seconds >= 0):
            raise SimulationError(f"run: expected seconds >= 0, got {seconds!r}")
        ticks = max(round(seconds / self.dt), 1 if seconds > 0 else 0)
        chosen = self._by_robot(controllers)
        acts = [(robot, acting(controller)) for robot, controller in chosen.items()]
        if speed is None and chosen and all(isinstance(controller, Policy) for controller in chosen.values()):
            self._run_policies(chosen, ticks)
            return
        pacer = Pacer(speed)
        for _ in range(ticks):
            pacer.wait(self.time)
            for robot, act in acts:
                robot.apply(act(robot.sense()))
            self.step()

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

    def _run_policies(self, policies: Mapping[Robot, Policy], ticks: int) -> None:
        """Sense, act and step in one compiled loop."""
        by_number = {robot.index: policy for robot, policy in policies.items()}
        brains = brains_of(self.built, by_number)
        for robot, policy in policies.items():
            for device in (robot.device(name) for name in policy.devices):
                if not device.enabled:
                    raise DeviceNotEnabled(robot.name, device.name)
                if device.polled:
                    raise DeviceRefused(f"{device} is polled only, so that no policy can see it: call poll_only(False)")
            brains.enabled[robot.index] = robot.active  # all that sense() would read, looked at or not
        readings, notes = np.zeros(max(1, self.built.values)), nothing_noted(len(self.robots))
        loop = loop_for(policies.values())
        more = (brains, readings, notes, np.zeros(1, np.int64))
        with progress_while_compiling("its fused loop", loop):
            loop(self.model, self.state, self.commands, self.space, *more, 0)
        try:
            self._advance(ticks, loop.compiled, *more)
        finally:
            remember(brains, by_number)

    def prepare_sensing(self, camera: Floats | None = None) -> None:
        """Compile what reading needs, if this machine has not yet; for a camera too, if given its depth picture."""
        with progress_while_compiling("its sensors", sense):
            self.read(0, np.zeros_like(self.enabled[0]), np.empty(0))
        if camera is not None:
            with progress_while_compiling("its cameras", take_picture):
                self.take_picture(0, -1, camera, np.empty((*camera.shape, 3), np.uint8))

    def read(self, robot: int, enabled: NDArray[np.uint8], readings: Readings, *, raw: bool = False) -> None:
        """Read devices of one robot into a row of readings."""
        with self._turn:
            self._sense(self.model, self.state, self.space, 0, robot, enabled, raw, readings)

    def take_picture(self, robot: int, device: int, depth: Floats, picture: NDArray[np.uint8]) -> None:
        """Take a picture with one camera."""
        with self._turn:
            take_picture(self.model, self.state, self.space, 0, robot, device, depth, picture)

    def reset(self, seed: int | None = None) -> None:
        """Back to the start, with the same seed or another one; enabled devices stay enabled."""
        chosen = self.seed if seed is None else checked_seed(seed)
        start = engine.initial_state(self.model, self.built.poses, lamps=self.built.lamps, seed=chosen)
        self.take_over(start, engine.initial_commands(self.model))

    def snapshot(self) -> Snapshot:
        """An exact copy of the present state and commands."""
        with self._turn:
            return Snapshot(self.state.copy(), self.commands.copy(), self._fingerprint)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this arena, or of another one of the same world and tick."""
        if not isinstance(snapshot, Snapshot):
            raise SimulationError(f"restore: expected a snapshot, got {shown(snapshot)}")
        if snapshot.model != self._fingerprint:
            raise SimulationError("restore: this snapshot was taken in another world")
        self.take_over(snapshot.state, snapshot.commands)

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(self.built)

    def take_over(self, state: engine.State, commands: Floats) -> None:
        """Take over all numbers, in place: handles keep views of them."""
        with self._turn:
            for mine, other in zip((*self.state, self.commands), (*state, commands), strict=True):
                np.copyto(mine, other)
            self.index()

    def digest(self) -> str:
        """A fingerprint of state and commands: in one world, equal digests mean equal futures."""
        with self._turn:
            return engine.digest(self.state, self.commands)

    def room(self, *, without: int | None = None) -> Room:
        """The obstacles and robots at present, to see where there is space."""
        room = Room(self.world)
        for i, (pose, spec) in enumerate(zip(self.poses.tolist(), self.built.robots, strict=True)):
            if i != without:
                room.add(spec, Pose(*pose), f"robot {self.world.robots[i].name!r}")
        return room

    def index(self) -> None:
        """Sort the robots anew after they were put elsewhere by hand."""
        with self._turn:
            index_crowd(self.model.grids, self.motion, self.space.crowd)


class Robots(Mapping[str, Robot]):
    """The robots of an arena by name; handles are made when they are first asked for."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._numbers = {robot.name: i for i, robot in enumerate(arena.world.robots)}
        self._handles: dict[str, Robot] = {}

    def __getitem__(self, name: str) -> Robot:
        handle = self._handles.get(name) if isinstance(name, str) else None
        if handle is None:
            if not isinstance(name, str) or name not in self._numbers:
                raise UnknownName("robot", name, self._numbers)
            handle = self._handles[name] = Robot(self._arena, self._numbers[name])
        return handle

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        more = ", …" if len(self) > 12 else ""
        return f"<Robots {', '.join(islice(self, 12))}{more}>"


def _checked_ticks(n: int) -> int:
    try:
        ticks = operator.index(n)
    except TypeError:
        ticks = -1
    if ticks < 0:
        raise SimulationError(f"step: expected a whole number of ticks >= 0, got {n!r}")
    return ticks


def checked_seed(seed: int) -> int:
    """A seed that the clock can hold."""
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise SimulationError(f"seed: expected a whole number from 0 to 2**63 - 1, got {seed!r}")
    return int(seed)
