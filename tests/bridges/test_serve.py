"""`paddock serve` with emulators, as people start it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import paddock
from bridges.epuck_room import ROOM, bench
from paddock.bridges import EPuckEmulators

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")

SERVE = [sys.executable, "-u", "-c", "from paddock.cli import main; main()", "serve", "line-crossing", "--port", "0"]


@pytest.mark.parametrize("clock", [[], ["--lock-step"]], ids=["free", "lock-step"])
def test_served_robots_have_twins(clock: list[str]) -> None:
    command = [*SERVE, *clock, "--epuck-serial", "red", "--epuck2", "blue=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            lines = [server.stdout.readline() for _ in range(3)]
            urls = [re.search(r"epuck2?://[^)]+", line) for line in lines[1:]]
            for name, url in zip(("red", "blue"), urls, strict=True):
                assert url is not None, lines
                with paddock.connect(url[0], name=name, timeout=10) as robot:
                    robot.enable()
                    robot.wheels.set(0.05, 0.05)
                    assert robot.sense().ground.shape == (3,)
                    before = robot.encoders.read()
                    robot.step(10)
                    moved = robot.encoders.read() - before
                    # In lock-step time waits for clients of the server, and emulators are none.
                    assert (moved.left > 0.005) == (not clock)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
    assert server.returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--epuck-serial", "red", "--epuck-serial", "red"], "robot 'red' was to get a serial device twice"),
        (["--epuck2", "blue=0", "--epuck2", "blue=0"], "robot 'blue' was to be an e-puck2 twice"),
    ],
)
def test_a_robot_that_is_named_twice_is_refused(options: list[str], message: str) -> None:
    refused = subprocess.run([*SERVE, *options], capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode != 0
    assert message in " ".join((refused.stdout + refused.stderr).split())


def test_the_kind_of_a_twin_is_told() -> None:
    arena = bench()
    with EPuckEmulators(arena, serial=["red", "blue"]) as emulators:
        assert emulators.kinds == {"red": "e-puck", "blue": "e-puck2"}


def test_a_serial_e_puck2_is_called_one(tmp_path: Path) -> None:
    world = tmp_path / "bench.toml"
    world.write_text(ROOM.to_toml())
    command = [*SERVE[:5], str(world), "--port", "0", "--epuck-serial", "blue"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            server.stdout.readline()
            assert server.stdout.readline().startswith("blue: an e-puck2 at /dev/")
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
