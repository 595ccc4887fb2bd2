"""Fixtures: a served dish of robots that accept orders, and the host program as a process."""

from __future__ import annotations

import contextlib
import os
import pty
import selectors
import subprocess
import threading
from pathlib import Path
from typing import Any

from command_line import paddock
from paddock.experiments.ecoli.waypoint_robots import HostConfig, OrderRobotSpec
from paddock.testing import PaddockProcess
from terminal import TerminalProgram

FAST = 50.0  # simulated seconds per second
NAMES = ("e-puck_2478", "e-puck_2479", "e-puck_2481")
LEGACY = NAMES[2]
STARTS = {NAMES[0]: (90.0, 60.0), NAMES[1]: (90.0, 50.0), NAMES[2]: (100.0, 55.0)}
WALK = "e-puck_2478;120;75\ne-puck_2479;75;30\ne-puck_2481;130;45\ne-puck_2478;125;85\n"
FAR = "e-puck_2478;190;60\ne-puck_2479;10;50\ne-puck_2481;190;20\n"  # 8 s and more of driving


def serve_dish() -> PaddockProcess:
    """Serve the dish with its three robots, the third without checked mode."""
    robots = [part for name in NAMES for part in ("--bridge", f"orders={name}{'=legacy' if name == LEGACY else ''}")]
    return PaddockProcess("serve", "petri-dish", *robots, "--speed", str(FAST))


def find_devices(server: PaddockProcess) -> dict[str, str]:
    """Return the serial device of each robot."""
    return {name: server.line(rf"^{name}: takes orders.* at (\S+) ") for name in NAMES}


def run_orders(*arguments: str, status: int = 0) -> str:
    """Run a command in this process and return its output, or its error message for status 2."""
    printed = paddock("ecoli", "host", *arguments)
    assert printed.returncode == status, printed
    return printed.stderr if status == 2 else printed.stdout


def configure(path: Path, devices: dict[str, str], **options: Any) -> Path:
    """Write a configuration."""
    robots = tuple(OrderRobotSpec(name=name, device=device, at_cm=STARTS[name]) for name, device in devices.items())
    path.write_text(HostConfig(robots=robots, **options).to_toml(), encoding="utf-8")
    return path


class Program(TerminalProgram):
    """`paddock ecoli host menu …` in its own terminal."""

    def __init__(self, *arguments: str, folder: Path, language: str = "en", columns: int = 120) -> None:
        settings = {"COLUMNS": str(columns), "LANGUAGE": language}
        super().__init__("ecoli", "host", *arguments, folder=folder, settings=settings)


class Relay:
    """A serial device between the host and the robot's device that can be disconnected."""

    def __init__(self, device: str) -> None:
        self._robot = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._ours, self._theirs = pty.openpty()
        for file in (self._theirs, self._robot):
            subprocess.run(["stty", "raw", "-echo"], stdin=file, check=True)
        self.device = os.ttyname(self._theirs)
        self.heard = threading.Event()  # a go-to has passed
        self._wake, self._stop = os.pipe()
        self._thread = threading.Thread(target=self._copy, daemon=True)
        self._thread.start()

    def _copy(self) -> None:
        with selectors.DefaultSelector() as selector:
            for file in (self._robot, self._ours, self._wake):
                selector.register(file, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fd == self._wake:
                        return
                    data = os.read(key.fd, 4096)
                    os.write(self._ours if key.fd == self._robot else self._robot, data)
                    if b"G" in data and key.fd == self._ours:
                        self.heard.set()

    def cut(self) -> None:
        """Remove the device."""
        os.write(self._stop, b"!")
        self._thread.join()
        for file in (self._ours, self._theirs, self._robot, self._wake, self._stop):
            with contextlib.suppress(OSError):
                os.close(file)
