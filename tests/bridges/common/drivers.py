"""Programs that drive robots and then crash, hang or are killed, forked from one process with all imports done."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

import paddock
from paddock.arena import Arena
from paddock.bridges.common.watchdog import PROGRAM
from paddock.bridges.coppelia import CoppeliaServer, VrepServer
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.bridge import SimulatedHardware
from paddock.bridges.player import PlayerServer
from paddock.bridges.usarsim import UsarSimServer
from paddock.experiments.ecoli.waypoint_robots import OrderRobots
from paddock.network.server import Server, Settings
from paddock.simulation.worlds.world_spec import RobotPlacement, Start, WorldSpec

FORKING = """
import ctypes, os, signal, sys, threading, time
import paddock, paddock.bridges.coppelia.zmq_link, paddock.bridges.coppelia.legacy_link, paddock.bridges.epuck.link
import paddock.bridges.player.link, paddock.bridges.usarsim.link, paddock.experiments.ecoli.waypoint_robots.link
for line in sys.stdin:
    url, start, end = line.rstrip("\\n").split("|")
    if os.fork() == 0:
        while True:
            try:
                robot = paddock.connect(url, timeout=60)
                break
            except paddock.LinkError:  # the last program that drove it, or its watchdog, is about to end
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
        RobotPlacement(
            name=name, type="e-puck2" if name in ("serial-e-puck2", "wifi") else "e-puck", at=(0.5, 0.5 + number)
        )
        for number, name in enumerate(WIRES)
    ),
)

SIMULATORS = ("vrep", "coppelia", "player", "usarsim")
FIELD = WorldSpec(
    name="field",
    bounds=(0, 0, 40, 8),
    robots=tuple(
        RobotPlacement(name=name, type="pioneer-p3dx", at=(0.5, 1.0 + 2 * number))
        for number, name in enumerate(SIMULATORS[:3])
    ),
    starts=(Start(name="usarsim", at=(0.5, 7.0)),),
)


class DrivingPrograms:
    """Starts programs that drive robots, each in its own process."""

    def __init__(self) -> None:
        program = [sys.executable, "-c", FORKING]
        self._parent = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self._written: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._parent.stdout is not None
        for line in self._parent.stdout:
            self._written.put(line)

    def start(self, url: str, start: str = "robot.wheels.set(0.05, 0.06)", end: str = "robot.step(100_000)") -> int:
        """Start a program; return its process id as soon as it drives."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{url}|{start}|{end}\n")
        self._parent.stdin.flush()
        return self.read_number()

    def read_number(self) -> int:
        """Read a number that a program has printed."""
        return int(self._written.get(timeout=60))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Kill all programs: those of failed tests hold the pipe open, and a pipe cannot be closed while it is read."""
        with self._parent:
            os.killpg(self._parent.pid, signal.SIGKILL)
            self._reader.join()


def find_watchdogs(process: int) -> list[int]:
    """The watchdog processes that belong, or belonged, to a program."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(PROGRAM).encode() in words and words[-2] == str(process).encode():
            found.append(int(entry.name))
    return found


@contextmanager
def note_speeds() -> Iterator[dict[str, list[tuple[int, int]]]]:
    """Record all wheel speeds sent to emulated e-pucks, by name: a speed may be replaced before a test reads it."""
    told, plain = defaultdict[str, list[tuple[int, int]]](list), SimulatedHardware.set_speeds

    def set_speeds(hardware: SimulatedHardware, left: int, right: int) -> None:
        plain(hardware, left, right)
        told[hardware.robot.name].append((left, right))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SimulatedHardware, "set_speeds", set_speeds)
        yield told


@contextmanager
def drive_on_lawn() -> Iterator[tuple[Arena, dict[str, str]]]:
    """Run a robot for every wire in a large open world in real time; yield the robots' addresses."""
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


@contextmanager
def drive_in_simulators() -> Iterator[tuple[Arena, dict[str, str]]]:
    """Run a robot for every API of another simulator in real time; yield URLs of the robots with free-running time."""
    arena = paddock.open(FIELD)
    server = Server(arena, Settings(port=0))
    with (
        VrepServer(arena, 0) as vrep,
        CoppeliaServer(arena, 0) as coppelia,
        PlayerServer(arena, 0) as player,
        UsarSimServer(arena, 0) as usarsim,
        server.in_background(),
    ):
        yield (
            arena,
            {
                "vrep": f"vrep://127.0.0.1:{vrep.addresses[0][1]}?robot=vrep&type=pioneer-p3dx&synchronous=no",
                "coppelia": f"coppelia://127.0.0.1:{coppelia.port}?robot=/coppelia&type=pioneer-p3dx&stepping=no",
                "player": f"player://127.0.0.1:{player.addresses[0][1]}?index=2&type=pioneer-p3dx&sensors=ranger:2",
                "usarsim": f"usarsim://127.0.0.1:{usarsim.address[1]}?name=usarsim&start=usarsim",
            },
        )
