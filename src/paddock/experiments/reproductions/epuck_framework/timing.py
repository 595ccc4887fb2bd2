"""The framework's eight timing tests: cycles of line following, with the time of each part measured."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from operator import attrgetter
from statistics import median
from typing import Any

import paddock
from paddock.arena import Robot
from paddock.arena.base_arena import BaseArena
from paddock.network.server.process import PaddockProcess

WORLD, ROBOT = "line-track", "red"
CYCLES, WARM_UP = 1500, 100
PERIOD = 0.02  # [s] simulated time between two readings in the background; one tick
FETCH_EVERY = 0.01  # [s] between two pictures that a thread of the user reads

Looks = Mapping[str, Callable[[], Any]]
"""Functions that read the sensors in a cycle, by part; the last one returns the ground sensors' values."""


class Stopwatch:
    """Measures the times of the parts of a cycle."""

    def __init__(self) -> None:
        self.parts: dict[str, list[float]] = {}  # [s]
        self._last = 0.0

    def start(self) -> float:
        """Start a cycle and return the time [s]."""
        self._last = time.perf_counter()
        return self._last

    def mark(self, part: str) -> None:
        """Record the time since the last mark as the time of a part."""
        now = time.perf_counter()
        self.note(part, now - self._last)
        self._last = now

    def note(self, part: str, took: float) -> None:
        """Record the time of a part [s]."""
        self.parts.setdefault(part, []).append(took)


@dataclass(frozen=True, slots=True)
class TimingTest:
    """A test of the framework, with its published means."""

    name: str
    what: str
    devices: tuple[str, ...]
    paper: Mapping[str, float]  # [ms] by part
    prepare: Callable[[Robot, Stopwatch, ExitStack], Looks]


def _watch_floor(robot: Robot, stack: ExitStack) -> Callable[[], Any]:
    """Return a function that returns the latest ground readings, which are updated in the background."""
    newest = [robot.ground.read()]
    robot.watch(PERIOD)
    stack.callback(robot.on_sense(lambda seen: newest.__setitem__(0, seen.ground), "ground"))
    return lambda: newest[0]


def _watch_camera(robot: Robot, clock: Stopwatch, stack: ExitStack) -> Looks:
    pictures = [robot.camera.read()]
    stack.callback(robot.camera.on_image(lambda picture: pictures.__setitem__(0, picture), PERIOD))

    def look() -> Any:
        assert pictures[0].shape == (64, 64, 3)
        return robot.sense().ground

    return {"sensors": look}


def _watch_all(robot: Robot, clock: Stopwatch, stack: ExitStack) -> Looks:
    newest, stop = _watch_floor(robot, stack), threading.Event()

    def fetch() -> None:
        while not stop.wait(FETCH_EVERY):
            started = time.perf_counter()
            robot.camera.read()
            clock.note("camera fetch", time.perf_counter() - started)

    thread = threading.Thread(target=fetch, daemon=True)
    stack.callback(thread.join)
    stack.callback(stop.set)
    thread.start()
    return {"sensors": newest}


GROUND, CAMERA = ("ground",), ("ground", "camera")
MANY = ("proximity", "light", "ground", "accelerometer", "encoders", "position")
ONE = {"sensor": 69.73, "motor": 70.12, "loop": 139.94}
TESTS = (
    TimingTest("01", "one sensor read directly", GROUND, ONE, lambda robot, *_: {"sensor": robot.ground.read}),
    TimingTest(
        *("01 uncached", "by a separate request", GROUND, ONE),
        lambda robot, *_: {"sensor": lambda: robot.ground.raw() / 1000},  # never answered from the cached readings
    ),
    TimingTest(
        *("02", "sense all together", MANY, {"sensors": 0.05, "motor": 67.89, "loop": 67.96}),
        lambda robot, *_: {"sensors": lambda: robot.sense().ground},
    ),
    TimingTest(
        *("03", "two sensors directly", ("position", "ground")),
        {"pose": 69.46, "ground": 67.77, "motor": 68.58, "loop": 205.86},
        lambda robot, *_: {"pose": robot.position.read, "ground": robot.ground.read},
    ),
    TimingTest(
        *("04", "two sensors through sense-all", ("position", "ground"), {"loop": 72.71}),
        lambda robot, *_: {"sensors": lambda: attrgetter("position", "ground")(robot.sense())[1]},
    ),
    TimingTest(
        *("05", "sensors by thread", GROUND, {"sensors": 0.02, "motor": 71.09, "loop": 71.11}),
        lambda robot, clock, stack: {"sensors": _watch_floor(robot, stack)},
    ),
    TimingTest(
        *("06", "camera and sense-all, no threads", CAMERA, {"camera": 77.39, "motor": 95.89, "loop": 173.34}),
        lambda robot, *_: {"camera": robot.camera.read, "sense-all": lambda: robot.sense().ground},
    ),
    TimingTest("07", "camera by thread", CAMERA, {"loop": 83.19}, _watch_camera),
    TimingTest(
        *("08", "camera and sensors by threads", CAMERA, {"camera fetch": 71.46, "motor": 83.36, "loop": 83.37}),
        _watch_all,
    ),
)

WAYS = ("in process", "server")


def measure_tests(
    tests: Sequence[TimingTest] = TESTS, *, cycles: int = CYCLES
) -> dict[tuple[str, str], dict[str, float]]:
    """Return medians [ms] by part, for every test name and connection."""
    took = {}
    for way in WAYS:
        with _open_arenas(way) as connect:
            for test in tests:
                with connect() as arena:
                    took[test.name, way] = _time_test(test, arena, cycles)
    return took


@contextmanager
def _open_arenas(access: str) -> Iterator[Callable[[], BaseArena]]:
    """Provide arenas in this process, or on a server on this machine in lock-step."""
    if access == "in process":
        yield lambda: paddock.open(WORLD, seed=1)
    else:
        with PaddockProcess("serve", WORLD, "--seed", "1", "--lock-step") as server:
            yield lambda: paddock.connect(server.url)


def _time_test(test: TimingTest, arena: BaseArena, cycles: int) -> dict[str, float]:
    robot, clock = arena[ROBOT], Stopwatch()
    loops: list[float] = []
    robot.enable(*test.devices)
    arena.step()
    with ExitStack() as stack:
        looks = test.prepare(robot, clock, stack)
        for number in range(WARM_UP + cycles):
            if number == WARM_UP:
                clock.parts.clear()
                loops.clear()
            started = clock.start()
            _follow_line(arena, robot, clock, looks)
            loops.append(time.perf_counter() - started)
    took = {part: 1000 * median(clock.parts.get(part) or [math.nan]) for part in test.paper if part != "loop"}
    return {**took, "loop": 1000 * median(loops)}


def _follow_line(arena: BaseArena, robot: Robot, clock: Stopwatch, looks: Looks) -> None:
    """Run one cycle, up to the tick in which the command takes effect."""
    floor = None
    for part, look in looks.items():
        floor = look()
        clock.mark(part)
    assert floor is not None
    robot.wheels.set(0.02 if floor[0] < 0.5 else 0.07, 0.02 if floor[2] < 0.5 else 0.07)
    arena.step()
    clock.mark("motor")
