"""The framework's eight timing tests: one cycle of line following in each, with a clock between its parts."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import paddock
from paddock.arena import Robot
from paddock.arena.base import BaseArena
from paddock.server.process import PaddockProcess

WORLD, ROBOT = "line-track", "red"
CYCLES, WARM_UP = 1500, 100
PERIOD = 0.02  # [s] of simulated time between two looks of a thread; a tick
FETCH_EVERY = 0.01  # [s] between two pictures of a thread of the user's own

Cycle = Callable[[], None]
"""One turn of the loop."""


class Stopwatch:
    """Times of the parts of a cycle."""

    def __init__(self) -> None:
        self.parts: dict[str, list[float]] = {}  # [s]
        self._last = 0.0

    def start(self) -> float:
        """A cycle begins; the time."""
        self._last = time.perf_counter()
        return self._last

    def mark(self, part: str) -> None:
        """A part has ended, and the next one begins."""
        now = time.perf_counter()
        self.note(part, now - self._last)
        self._last = now

    def note(self, part: str, took: float) -> None:
        """Something took so long [s]."""
        self.parts.setdefault(part, []).append(took)


@dataclass(frozen=True, kw_only=True, slots=True)
class TimingTest:
    """A test of the framework, with its published means."""

    name: str
    what: str
    paper: Mapping[str, float]  # [ms] by part
    devices: tuple[str, ...]
    make: Callable[[BaseArena, Robot, Stopwatch, ExitStack], Cycle]


def _ask_sensor(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    def cycle() -> None:
        floor = robot.ground.read()
        clock.mark("sensor")
        _drive(arena, robot, floor)
        clock.mark("motor")

    return cycle


def _ask_sensor_anew(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    def cycle() -> None:
        floor = robot.ground.raw() / 1000  # never taken from what is known already
        clock.mark("sensor")
        _drive(arena, robot, floor)
        clock.mark("motor")

    return cycle


def _sense_all(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    def cycle() -> None:
        floor = robot.sense().ground
        clock.mark("sensors")
        _drive(arena, robot, floor)
        clock.mark("motor")

    return cycle


def _ask_two_sensors(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    def cycle() -> None:
        robot.position.read()
        clock.mark("pose")
        floor = robot.ground.read()
        clock.mark("ground")
        _drive(arena, robot, floor)
        clock.mark("motor")

    return cycle


def _sense_two(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    def cycle() -> None:
        seen = robot.sense()
        _, floor = seen.position, seen.ground
        _drive(arena, robot, floor)

    return cycle


def _watch_sensors(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    newest = _watch_floor(robot, stack)

    def cycle() -> None:
        floor = newest["ground"]
        clock.mark("sensors")
        _drive(arena, robot, floor)
        clock.mark("motor")

    return cycle


def _ask_camera(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    def cycle() -> None:
        robot.camera.read()
        clock.mark("camera")
        floor = robot.sense().ground
        clock.mark("sense-all")
        _drive(arena, robot, floor)
        clock.mark("motor")

    return cycle


def _watch_camera(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    pictures: list[Any] = [robot.camera.read()]
    stack.callback(robot.camera.on_image(lambda picture: pictures.__setitem__(0, picture), PERIOD))

    def cycle() -> None:
        assert pictures[0].shape == (64, 64, 3)
        _drive(arena, robot, robot.sense().ground)

    return cycle


def _watch_all(arena: BaseArena, robot: Robot, clock: Stopwatch, stack: ExitStack) -> Cycle:
    newest = _watch_floor(robot, stack)
    stop = threading.Event()

    def fetch() -> None:
        while not stop.wait(FETCH_EVERY):
            started = time.perf_counter()
            robot.camera.read()
            clock.note("camera fetch", time.perf_counter() - started)

    thread = threading.Thread(target=fetch, daemon=True)
    stack.callback(thread.join)
    stack.callback(stop.set)
    thread.start()

    def cycle() -> None:
        _drive(arena, robot, newest["ground"])
        clock.mark("motor")

    return cycle


def _watch_floor(robot: Robot, stack: ExitStack) -> dict[str, Any]:
    """What the ground sensors saw last, kept up to date in the background."""
    newest = {"ground": robot.ground.read()}

    def note(seen: paddock.Observation) -> None:
        newest["ground"] = seen.ground

    robot.watch(PERIOD)
    stack.callback(robot.on_sense(note, "ground"))
    return newest


def _drive(arena: BaseArena, robot: Robot, floor: Any) -> None:
    """Line following, and a tick: the command has reached the robot, and its effect has been computed."""
    robot.wheels.set(0.02 if floor[0] < 0.5 else 0.07, 0.02 if floor[2] < 0.5 else 0.07)
    arena.step()


GROUND = ("ground",)
TESTS = (
    TimingTest(
        name="01",
        what="one sensor asked directly",
        paper={"sensor": 69.73, "motor": 70.12, "loop": 139.94},
        devices=GROUND,
        make=_ask_sensor,
    ),
    TimingTest(
        name="01 anew",
        what="the same, with a question of its own to the server",
        paper={"sensor": 69.73, "motor": 70.12, "loop": 139.94},
        devices=GROUND,
        make=_ask_sensor_anew,
    ),
    TimingTest(
        name="02",
        what="sense all together",
        paper={"sensors": 0.05, "motor": 67.89, "loop": 67.96},
        devices=("proximity", "light", "ground", "accelerometer", "encoders", "position"),
        make=_sense_all,
    ),
    TimingTest(
        name="03",
        what="two sensors directly",
        paper={"pose": 69.46, "ground": 67.77, "motor": 68.58, "loop": 205.86},
        devices=("position", "ground"),
        make=_ask_two_sensors,
    ),
    TimingTest(
        name="04",
        what="two sensors through sense-all",
        paper={"loop": 72.71},
        devices=("position", "ground"),
        make=_sense_two,
    ),
    TimingTest(
        name="05",
        what="sensors by thread",
        paper={"sensors": 0.02, "motor": 71.09, "loop": 71.11},
        devices=GROUND,
        make=_watch_sensors,
    ),
    TimingTest(
        name="06",
        what="camera and sense-all, no threads",
        paper={"camera": 77.39, "motor": 95.89, "loop": 173.34},
        devices=("ground", "camera"),
        make=_ask_camera,
    ),
    TimingTest(
        name="07", what="camera by thread", paper={"loop": 83.19}, devices=("ground", "camera"), make=_watch_camera
    ),
    TimingTest(
        name="08",
        what="camera and sensors by threads",
        paper={"camera fetch": 71.46, "motor": 83.36, "loop": 83.37},
        devices=("ground", "camera"),
        make=_watch_all,
    ),
)

WAYS = ("in process", "server")


def measure_tests(
    tests: Sequence[TimingTest] = TESTS, *, cycles: int = CYCLES
) -> dict[tuple[str, str], dict[str, float]]:
    """Medians [ms] by part, for every test (by its name) and way."""
    took = {}
    for way in WAYS:
        with _open_arenas(way) as connect:
            for test in tests:
                with connect() as arena:
                    took[test.name, way] = _time_test(test, arena, cycles)
    return took


@contextmanager
def _open_arenas(way: str) -> Iterator[Callable[[], BaseArena]]:
    """Arenas in this process, or in that of a server on this machine, in lock-step."""
    if way == "in process":
        yield lambda: paddock.open(WORLD, seed=1)
    else:
        with PaddockProcess("serve", WORLD, "--seed", "1", "--lock-step") as server:
            yield lambda: paddock.connect(server.url)


def _time_test(test: TimingTest, arena: BaseArena, cycles: int) -> dict[str, float]:
    robot, clock, loops = arena[ROBOT], Stopwatch(), []
    robot.enable(*test.devices)
    arena.step()
    with ExitStack() as stack:
        cycle = test.make(arena, robot, clock, stack)
        for _ in range(WARM_UP):
            cycle()
        clock.parts.clear()
        for _ in range(cycles):
            started = clock.start()
            cycle()
            loops.append(time.perf_counter() - started)
    took = {part: 1000 * median(clock.parts.get(part) or [math.nan]) for part in test.paper if part != "loop"}
    return {**took, "loop": 1000 * median(loops)}
