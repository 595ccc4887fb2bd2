"""Programs that drive robots and come to a bad end. They are forks of one that has imported everything."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import pytest

import paddock
from paddock.arena import Arena
from paddock.bridges import EPuckEmulators, OrderRobots
from paddock.bridges.epuck import SimulatedHardware
from paddock.worlds.spec import Placed, WorldSpec

FORKING = """
import ctypes, os, signal, sys, threading, time
import paddock, paddock.links.epuck, paddock.links.orders
for line in sys.stdin:
    url, start, end = line.rstrip("\\n").split("|")
    if os.fork() == 0:
        while True:
            try:
                robot = paddock.connect(url, timeout=60)
                break
            except paddock.LinkError:  # the last program that drove it, or its guard, is about to end
                time.sleep(0.02)
        exec(start)
        sys.stdout.write(f"{os.getpid()}\\n")
        sys.stdout.flush()
        exec(end)
        os._exit(0)
"""
WIRES = ("serial", "serial-e-puck2", "wifi", "orders")
LAWN = WorldSpec(
    name="lawn",
    bounds=(0, 0, 40, 4),
    robots=tuple(
        Placed(name=name, type="e-puck2" if name in ("serial-e-puck2", "wifi") else "e-puck", at=(0.5, 0.5 + number))
        for number, name in enumerate(WIRES)
    ),
)


class DrivingPrograms:
    """Starts programs that drive robots; each is a process of its own."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-c", FORKING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._written: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._parent.stdout is not None
        for line in self._parent.stdout:
            self._written.put(line)

    def start(self, url: str, start: str = "robot.wheels.set(0.05, 0.06)", end: str = "robot.step(100_000)") -> int:
        """The number of the process, once it drives."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{url}|{start}|{end}\n")
        self._parent.stdin.flush()
        return self.read_number()

    def read_number(self) -> int:
        """What a program has written."""
        return int(self._written.get(timeout=60))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._parent:
            self._parent.kill()


@contextmanager
def note_speeds() -> Iterator[dict[str, list[tuple[int, int]]]]:
    """All that emulated e-pucks are told, by name: what they do may be over before anybody looks."""
    told, plain = defaultdict[str, list[tuple[int, int]]](list), SimulatedHardware.set_speeds

    def set_speeds(hardware: SimulatedHardware, left: int, right: int) -> None:
        plain(hardware, left, right)
        told[hardware.robot.name].append((left, right))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SimulatedHardware, "set_speeds", set_speeds)
        yield told


@contextmanager
def drive_on_lawn() -> Iterator[tuple[Arena, dict[str, str]]]:
    """A robot for every wire with a lot of room, in real time; the robots' addresses."""
    arena, over = paddock.open(LAWN), threading.Event()
    clock = threading.Thread(target=lambda: arena.run(3600, until=lambda arena: over.is_set(), speed=1))
    with (
        EPuckEmulators(arena, serial=WIRES[:2], wifi={"wifi": 0}) as emulators,
        OrderRobots(arena, {"orders": True}) as orders,
    ):
        clock.start()
        try:
            yield (
                arena,
                {
                    **{name: f"epuck://{device}" for name, device in emulators.devices.items()},
                    "wifi": "epuck2://{}:{}".format(*emulators.addresses["wifi"]),
                    "orders": f"orders://{orders.devices['orders']}",
                },
            )
        finally:
            over.set()
            clock.join()
