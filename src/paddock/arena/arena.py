"""Arena: a simulation that runs in this process."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paddock.arena.base_arena import ONE, SimulatedArena
from paddock.arena.episodes.events import Event, Kind
from paddock.arena.local_body import LocalBody, Robots
from paddock.arena.python_sensors import list_python_sensors, measure_in_python
from paddock.arena.things import Things
from paddock.core.argument_checks import all_finite, check_seed, check_ticks, is_list
from paddock.core.errors import SimulationError, format_value
from paddock.core.geometry import Disc, Pose, place_shape
from paddock.core.jit import progress_while_compiling
from paddock.core.observation import Readings
from paddock.simulation.engine import state as engine
from paddock.simulation.engine.kernels.surroundings import index_crowd
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.push import step_for
from paddock.simulation.engine.state import HEADING, SEED, TICK, X
from paddock.simulation.sensors.sense import sense_for, take_picture
from paddock.simulation.worlds.build import BuiltWorld, build
from paddock.simulation.worlds.placement import NearestSurface, Room, start_pose
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

if TYPE_CHECKING:
    from paddock.arena.compiled_run import CompiledRecording
    from paddock.arena.episode_loop import EpisodeLoop
    from paddock.arena.robot import Robot
    from paddock.arena.time_lock import TimeLock
    from paddock.simulation.robots import RobotSpec

FOLLOWED = 100  # maximum number of robots that are recorded by default
SLICE = 0.2  # wall-clock seconds that a kernel may run before control returns to Python
SPAWN_TRIES = 10  # attempts to add or remove a robot while others come, go and move


class Callbacks:
    """Callback functions in the order of registration."""

    def __init__(self) -> None:
        self.calls: tuple[
            Callable[[], object], ...
        ] = ()  # never changed in place, since a callback may remove itself while it runs

    def add(self, call: Callable[[], object]) -> Callable[[], None]:
        """Add a function. Returns a function that removes it."""
        self.calls = (*self.calls, call)

        def end() -> None:
            self.calls = tuple(other for other in self.calls if other is not call)

        return end


@dataclass(frozen=True)
class Snapshot:
    """State of a simulation at one tick. It can be restored in any arena or process with an equal model."""

    state: engine.State
    commands: Floats
    model: str  # fingerprint of the model to which they belong


def fingerprint(built: BuiltWorld) -> str:
    """Return a hash that is equal for worlds in which the same state has the same future."""
    digest = hashlib.sha256(repr((built.led_count, built.model.dt)).encode())
    for table in built.model:
        if isinstance(table, np.ndarray):
            digest.update(repr(table.shape).encode() + table.tobytes())
    return digest.hexdigest()


def start_state(built: BuiltWorld, seed: int) -> tuple[engine.State, Floats]:
    """Return the state and the commands at the start of a run."""
    state = engine.initial_state(built.model, built.poses, led_count=built.led_count, seed=seed)
    return state, engine.initial_commands(built.model)


def list_placed(built: BuiltWorld) -> list[RobotPlacement]:
    """Return all robots of a world, with their specs instead of type names, which would be looked up again."""
    return [replace(placed, type=spec) for placed, spec in zip(built.spec.robots, built.robots, strict=True)]


class TickRecorder(Protocol):
    """Receives everything that determines the future of an arena. The caller holds the arena's lock."""

    def room(self, run: CompiledRecording | None = None) -> int:
        """Return the number of ticks allowed before the next `after_ticks`; `run` has the rows of a compiled run."""

    def after_ticks(self, run: CompiledRecording | None = None) -> None:
        """Record the ticks since the last call; `run` has the rows of a compiled run."""

    def after_change(self) -> None:
        """Record that the state was changed by hand, or that robots were added or removed."""

    def add_event(self, event: Event) -> None:
        """Record an event."""


class Arena(SimulatedArena):
    """A simulation in this process. Time advances only in `step` and `run`. It is thread-safe: threads share a lock."""

    robots: Robots
    things: Things
    body_class: type[LocalBody] = LocalBody
    is_real = False  # whether its robots are real, so that time is wall-clock time

    def __init__(self, built: BuiltWorld, *, seed: int = 0) -> None:
        super().__init__()
        self.mutex = threading.RLock()  # kernels share the workspace, and rows move when robots are added or removed
        self._watched: list[Robot] = []
        self.layout = self.restarts = 0  # number of changes of the set of robots; number of resets and restores
        self._on_tick, self._on_state_change = Callbacks(), Callbacks()
        self.gate: Callable[[int], None] | None = None  # advances the clock instead, if it is shared with other clients
        self.time_lock: TimeLock | None = None  # how bridges join the lock of a served arena
        self.find_owner: Callable[[str], str] = lambda robot: ""  # name of the client that has a robot by its token
        self.recorder: TickRecorder | None = None  # receives everything that determines the future
        self._hold(built)
        self.state, self.commands = start_state(built, check_seed(seed))
        self.robots, self.things = Robots(self), Things(self)
        with progress_while_compiling("its engine", self.stepping):
            self._bind_kernels()
            self.index()

    def _hold(self, built: BuiltWorld) -> None:
        self.built, self.world, self.model = built, built.spec, built.model
        self.scratch = engine.workspace(self.model)
        self.stepping, self.sensing = step_for(self.model), sense_for(built.sensor_kinds)
        self._has_python_sensors = any(map(list_python_sensors, built.robots))
        self.numbers = {robot.name: i for i, robot in enumerate(self.world.robots)}  # rows in all arrays

    def _bind_kernels(self) -> None:
        """Look up the machine code for tables of these types."""
        self._step = self.stepping.entry(self.model, self.state, self.commands, self.scratch, 0)
        self._sense: Callable[..., Any] | None = None  # until a device is enabled

    def close(self) -> None:
        """Do nothing; a local arena holds no resources to release."""

    @property
    def dt(self) -> float:
        return self.model.dt

    @property
    def seed(self) -> int:
        return int(self.state.clock[0, SEED])

    @property
    def tick(self) -> int:
        return int(self.state.clock[0, TICK])

    @property
    def time(self) -> float:
        return float(self.state.clock[0, TICK]) * self.model.dt  # a fast path, as it is read in every cycle

    @property
    def motion(self) -> Floats:
        """Current motion of all robots, see engine/state.py, shape (N, ·)."""
        state, robots = self.state, len(self.numbers)  # read once: another thread may replace them
        motion: Floats = state.motion[0, int(state.clock[0, TICK]) % state.motion.shape[1], :robots]
        return motion

    @property
    def poses(self) -> Floats:
        return self.motion[:, X : HEADING + 1].copy()

    @property
    def thing_poses(self) -> list[Pose]:
        """The poses of all things, in the world's order."""
        return [thing.pose for thing in self.things.values()]

    def step(self, n: int = 1) -> None:
        if not self._watched and self.gate is None:
            self.advance(n)
        elif not self._watched:
            self._pass(n)
        else:
            for _ in range(check_ticks(n)):
                self._pass(1)
                for robot in self._watched:
                    robot.watches.update()

    def _pass(self, ticks: int) -> None:
        if self.gate is None:
            self.advance(ticks)
        else:
            self.gate(check_ticks(ticks))

    def advance(self, n: int) -> None:
        """Simulate ticks without calling the gate; for the owner of the gate."""
        if self._on_tick.calls:
            for _ in range(check_ticks(n)):
                with self.mutex:
                    self._step(self.model, self.state, self.commands, self.scratch, 1)
                    if self.recorder is not None:
                        self.recorder.after_ticks()
                    for call in self._on_tick.calls:
                        call()
        elif n is ONE:  # a fast path; other integers equal to 1 take the slower one, and arrays are refused there
            with self.mutex:
                self._step(self.model, self.state, self.commands, self.scratch, 1)
                if self.recorder is not None:
                    self.recorder.after_ticks()
        else:
            self.advance_kernel(check_ticks(n), self._step)

    def on_tick(self, call: Callable[[], object]) -> Callable[[], None]:
        """Call a function after each tick, before the lock is released; for programs on board a robot.

        Returns a function that ends it.
        """
        return self._on_tick.add(call)

    def on_state_change(self, call: Callable[[], object]) -> Callable[[], None]:
        """Call a function whenever the state is changed by hand: robots teleported, added or removed, or a reset."""
        return self._on_state_change.add(call)

    def advance_kernel(
        self,
        ticks: int,
        kernel: Any,
        *more: Any,
        run: CompiledRecording | None = None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        """Run a kernel for some ticks, in slices short enough for Ctrl-C, other threads and a recorder."""
        slice_of_ticks = 1
        while ticks > 0:
            now = min(ticks, slice_of_ticks)
            with self.mutex:
                if interrupted():
                    return
                if self.recorder is not None:
                    now = min(now, self.recorder.room(run))
                started = time.perf_counter()
                kernel(self.model, self.state, self.commands, self.scratch, *more, now)
                if self.recorder is not None:
                    self.recorder.after_ticks(run)
                took = time.perf_counter() - started
            slice_of_ticks = max(1, min(4 * slice_of_ticks, int(now * SLICE / max(took, 1e-6))))
            ticks -= now

    def _drive(self, loop: EpisodeLoop) -> str:
        if self._has_python_sensors or self.gate or self._watched or self._on_tick.calls or not loop.plan.is_compilable:
            return loop.drive()
        from paddock.arena.compiled_run import drive_compiled

        return drive_compiled(self, loop)

    def choose_recorded(self, driven: Iterable[Robot], *, all_robots: bool) -> list[Robot]:
        """Return all robots, the driven ones first; in a large world only these, unless `all_robots`."""
        first = list(driven)
        if not all_robots and len(self.robots) > FOLLOWED:
            return first[:FOLLOWED]
        others = {robot.name for robot in first}
        return first + [robot for robot in self.robots.values() if robot.name not in others]

    def update_watch(self, robot: Robot) -> None:
        others = [other for other in self._watched if other is not robot]
        self._watched = [*others, robot] if robot.watches.any else others

    def prepare_sensing(self, camera: Floats | None = None) -> None:
        """Compile the sensing kernels if they are not cached; also for a camera, if given its depth image."""
        with progress_while_compiling("its sensors", self.sensing):
            self._sense_kernel()
        if camera is not None:
            with progress_while_compiling("its cameras", take_picture):
                self.take_picture(0, -1, camera, np.empty((*camera.shape, 3), np.uint8))

    def read(self, robot: int, enabled: NDArray[np.uint8], readings: Readings, *, raw: bool = False) -> None:
        """Read devices of one robot into a row of readings. The caller holds the lock."""
        if self._has_python_sensors:
            measure_in_python(self, robot, enabled, readings)
        kernel = self._sense or self._sense_kernel()
        kernel(self.model, self.state, self.scratch, 0, robot, enabled, raw, readings)

    def _sense_kernel(self) -> Callable[..., Any]:
        flags, row = np.zeros(0, np.uint8), np.zeros(0)
        self._sense = self.sensing.entry(self.model, self.state, self.scratch, 0, 0, flags, False, row)
        return self._sense

    def take_picture(self, robot: int, device: int, depth: Floats, picture: NDArray[np.uint8]) -> None:
        """Render the image of one camera."""
        with self.mutex:
            take_picture(self.model, self.state, self.scratch, 0, robot, device, depth, picture)

    def reset(self, seed: int | None = None) -> None:
        with self.mutex:
            self._start_anew(self.seed if seed is None else check_seed(seed))
            self.note_event("reset", text="reset" if seed is None else f"reset with seed {seed}")

    def _start_anew(self, seed: int) -> None:
        self.take_over(*start_state(self.built, seed))

    def rewind(self) -> None:
        if self.tick:
            self._start_anew(self.seed)

    def snapshot(self) -> Snapshot:
        """Return an exact copy of the current state and commands."""
        with self.mutex:
            return Snapshot(self.state.copy(), self.commands.copy(), self._fingerprint)

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot of this arena, or of another one with the same world and tick length."""
        if not isinstance(snapshot, Snapshot):
            raise SimulationError(f"restore: expected a snapshot, got {format_value(snapshot)}")
        if snapshot.model != self._fingerprint:
            raise SimulationError("restore: this snapshot was taken in another world")
        with self.mutex:
            self.take_over(snapshot.state, snapshot.commands)
            self.note_event("restore", text="restored a snapshot")

    @property
    def _fingerprint(self) -> str:
        return fingerprint(self.built)

    def take_over(self, state: engine.State, commands: Floats) -> None:
        """Copy all state in place, since bodies keep views of it."""
        with self.mutex:
            for mine, other in zip((*self.state, self.commands), (*state, commands), strict=True):
                np.copyto(mine, other)
            self.restarts += 1
            self.index()
            self.on_change()

    def on_change(self) -> None:
        """Notify the recorder and callbacks; call after changing the state by hand."""
        if self.recorder is not None:
            self.recorder.after_change()
        for call in self._on_state_change.calls:
            call()

    def check_live(self, what: str) -> None:
        """Raise if an operation is not possible at present. A simulation accepts all operations, a replay none."""

    def note_event(self, kind: Kind, robot: str | None = None, text: str = "") -> None:
        super().note_event(kind, robot, text)
        if self.recorder is not None:
            self.recorder.add_event(Event(time=self.time, kind=kind, robot=robot, text=text))

    def digest(self) -> str:
        with self.mutex:
            return engine.digest(self.state, self.commands)

    def _spawn(
        self, name: str, spec: RobotSpec, at: tuple[float, float] | None, heading: float, color: str | None
    ) -> None:
        for _ in range(SPAWN_TRIES):  # the search and the compilation take long, so the clock does not wait for them
            with self.mutex:
                layout, before, room = self.layout, self.built, self.room()
            if name in self.numbers:
                raise SimulationError(f"spawn: a robot called {name!r} already exists; choose another name")
            for robot, other in zip(before.spec.robots, before.robots, strict=True):
                room.add(other, start_pose(before.spec, robot), f"the start of robot {robot.name!r}")
            pose = room.free_pose(spec, heading) if at is None else Pose(*at, heading)
            problem = "fits nowhere in the world" if pose is None else room.problem(spec, pose)
            if problem or pose is None:
                raise SimulationError(f"robot {name!r} {problem}")
            new = RobotPlacement(name=name, type=spec, at=pose[:2], heading_deg=math.degrees(pose.heading), color=color)
            built = self._build([*list_placed(before), new], before)
            with self.mutex:
                if self.layout == layout and not self.room().problem(spec, pose):
                    self.adopt(built)
                    self.note_event("spawn", name, f"{name} was spawned")
                    return
        raise SimulationError(f"robot {name!r} found no place: other robots took each in the meantime; try again")

    def remove(self, name: str) -> None:
        self[name].watches.end()
        for _ in range(SPAWN_TRIES):
            with self.mutex:
                layout, before = self.layout, self.built
            built = self._build([robot for robot in list_placed(before) if robot.name != name], before)
            with self.mutex:
                if name not in self.numbers:  # another thread has removed it
                    return
                if self.layout == layout:
                    self.adopt(built)
                    self.note_event("remove", name, f"{name} was removed")
                    return
        raise SimulationError(f"robot {name!r} was not removed: other robots came and went meanwhile; try again")

    def _build(self, robots: list[RobotPlacement], like: BuiltWorld) -> BuiltWorld:
        """Compile a world with another set of robots."""
        return build(like.spec.with_robots(*robots), dt=self.dt, like=like)

    def adopt(self, built: BuiltWorld) -> None:
        """Continue in the same world with another set of robots, already built. Those that stay keep their state."""
        with self.mutex:
            state, commands = start_state(built, self.seed)
            stay = [(self.numbers[r.name], row) for row, r in enumerate(built.spec.robots) if r.name in self.numbers]
            before, now = len(self.numbers), len(built.robots)  # the rows of the things come next
            stay += [(before + i, now + i) for i in range(len(built.spec.things))]
            engine.carry_over(
                self.state, self.commands, self.built.led_count, state, commands, built.led_count, stay
            )  # before it is published, since other threads read the tick without the lock
            self._move_into(built, state, commands)
            self.index()
            self.on_change()

    def change_world(self, spec: WorldSpec, seed: int | None = None) -> None:
        """Continue in another world, from its start, with this seed or the current one. The tick length is unchanged.

        Handles refer to the robots of the same name. Devices that both have stay enabled; others are refused.
        """
        self.check_live("change_world")
        number, built = self.seed if seed is None else check_seed(seed), build(spec, dt=self.dt)
        with self.mutex:
            if self.recorder is not None:
                raise SimulationError("change_world: this arena is being recorded: close its recorder first")
            self._move_into(built, *start_state(built, number))
            self.restarts += 1
            self.index()
            self.on_change()
            self._population_change = ""  # the new world has its own robots
            self.note_event("reset", text=f"opened {spec.name}")

    def _move_into(self, built: BuiltWorld, state: engine.State, commands: Floats) -> None:
        """Replace all tables and rebind the handles."""
        self._hold(built)
        self.layout += 1
        self.state, self.commands = state, commands
        self._bind_kernels()
        self.robots.rebind()

    def room(self, *, without: Container[str] = ()) -> Room:
        """Return the current obstacles, things and robots, except some, to check for free space."""
        room = Room(self.world, things=False)
        for name, thing in self.things.items():
            if name not in without:
                room.add_thing(thing.spec, thing.pose)
        for name, pose, spec in zip(self.numbers, self.poses.tolist(), self.built.robots, strict=True):
            if name not in without:
                room.add(spec, Pose(*pose), f"robot {name!r}")
        return room

    def find_nearest(self, place: str | tuple[float, float]) -> NearestSurface | None:
        """Return the distance to the nearest surface and its name; None in an open world without anything.

        Args:
            place: a point (x, y) [m], or the name of a robot, whose distance is that of its body to anything else.
        """
        if isinstance(place, str):
            with self.mutex:
                robot = self.robots[place]
                return self.room(without=[place]).find_nearest(place_shape(robot.spec.body.shape, *robot.pose))
        if not (is_list(place) and len(place) == 2 and all_finite(*place)):
            got = format_value(place)
            raise SimulationError(f"find_nearest: expected a point (x, y) in metres or the name of a robot, got {got}")
        with self.mutex:
            return self.room().find_nearest(Disc(float(place[0]), float(place[1]), 0.0))

    def index(self) -> None:
        """Update the spatial index of the bodies after they were moved by hand."""
        with self.mutex:
            tick = self.tick % self.state.motion.shape[1]
            index_crowd(self.model.grids, self.state.motion[0, tick], self.scratch.crowd)
