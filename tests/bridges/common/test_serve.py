"""`paddock serve` with emulators, run as a process."""

from __future__ import annotations

import re
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

import paddock
from bridges.epuck.epuck_fixtures import ROOM, bench
from paddock.bridges import OpenBridges
from paddock.bridges.epuck import EPuckEmulators
from paddock.core.errors import LinkError
from paddock.network.server import Server, Settings
from paddock.testing import PaddockProcess, wait_for
from warm_start import run_python

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")

NO_TOKEN = "no token required: any client of this port can drive the robot"
SERVE = ["-m", "paddock", "serve", "line-crossing", "--port", "0"]


def drive(robot: Any) -> float:
    """Drive on, also after a pause in which the watchdog has stopped the robot. Return the travel of its left wheel."""
    robot.wheels.set(0.05, 0.05)
    return float(robot.encoders.read().left)


@pytest.mark.parametrize("clock", [[], ["--lock-step"]], ids=["free", "lock-step"])
def test_served_robots_have_emulators(clock: list[str]) -> None:
    with PaddockProcess(
        "serve", "line-crossing", *clock, "--bridge", "epuck-serial=red", "--bridge", "epuck2=blue=0"
    ) as server:
        for name in ("red", "blue"):
            url = server.line(rf"^{name}: .*?(epuck2?://[^)]+)")
            with paddock.connect(url, name=name, timeout=60) as robot:
                robot.enable()
                before = drive(robot)
                assert robot.sense().ground.shape == (3,)
                if clock:  # time waits for clients of the server, and emulators are none
                    robot.step(10)
                    assert drive(robot) == before
                else:
                    wait_for(lambda robot=robot, before=before: drive(robot) > before + 0.005)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(120) == 0


def test_port_descriptions_name_their_robots() -> None:
    arena = paddock.open("line-crossing")
    Server(arena, Settings(port=0))
    with OpenBridges(arena, [("player", "0"), ("vrep", "0"), ("coppelia", "0")]) as bridges:
        player, vrep, coppelia = bridges.describe()
        assert ": position2d:0 red, position2d:1 blue   (player://" in player
        assert ": ePuck, ePuck#0   (vrep://" in vrep
        assert ": /ePuck[0], /ePuck[1]   (coppelia://" in coppelia
    with OpenBridges(arena, [("player", "0,0")]) as bridges:
        first, second = bridges.describe()
        assert ": position2d:0 red   (" in first
        assert ": position2d:0 blue   (" in second


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bridge", "epuck-serial=red", "--bridge", "epuck-serial=red"], "robot 'red' already has a serial device"),
        (["--bridge", "epuck2=blue=0", "--bridge", "epuck2=blue=0"], "robot 'blue' is listed twice"),
    ],
)
def test_duplicate_robot_is_refused(options: list[str], message: str) -> None:
    refused = run_python(*SERVE, *options)
    assert refused.returncode != 0
    assert message in " ".join((refused.stdout + refused.stderr).split())


def test_emulators_listen_on_localhost_even_if_the_server_does_not() -> None:
    with PaddockProcess("serve", "line-crossing", "--host", "0.0.0.0", "--bridge", "epuck2=blue=0") as server:
        line = server.line("an e-puck2 at")
        found = re.search(r"at 127\.0\.0\.1, port (\d+)", line)
        assert found is not None, line
        assert NO_TOKEN not in line
        port = int(found[1])
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
        with pytest.raises(ConnectionRefusedError):  # any address would do that is not this one
            socket.create_connection(("127.0.0.2", port), timeout=60)


def test_emulators_on_the_network_need_an_option_and_warn_about_no_token() -> None:
    options = ("serve", "line-crossing", "--bridge-host", "0.0.0.0", "--bridge", "epuck2=blue=0")
    with pytest.raises(LinkError, match="could drive its robots: `--open-bridges` accepts that"):
        PaddockProcess(*options)
    with PaddockProcess(*options, "--open-bridges") as server:
        line = server.line("an e-puck2 at")
        found = re.search(r"at 0\.0\.0\.0, port (\d+)", line)
        assert found is not None, line
        assert NO_TOKEN in line
        socket.create_connection(("127.0.0.2", int(found[1])), timeout=60).close()


def test_bridges_are_selected_by_name_or_loaded_from_a_user_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def __init__(self, arena, robots, host):\n"
        "        self.lines = [f'{robot} is at {arena[robot].pose.x:.2f}, {host}' for robot in robots]\n"
        "    def describe(self):\n"
        "        return self.lines\n"
        "    def close(self):\n"
        "        pass\n"
    )
    bridges = ("--bridge", f"{tmp_path / 'mine.py'}:Mine=red", "--bridge", "epuck2=blue=0")
    with PaddockProcess("serve", "line-crossing", *bridges) as server:
        assert server.line("red is at") == "red is at 0.50, 127.0.0.1\n"
        assert "blue: an e-puck2 at" in server.line("blue")
    with pytest.raises(paddock.UnknownName, match=r"no bridge called 'epuk2' \(did you mean 'epuck2'\?\)"):
        OpenBridges(bench(), [("epuk2", "blue")])


def test_bridge_that_fails_to_open_closes_the_earlier_ones() -> None:
    arena = bench()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        threads = threading.active_count()
        with pytest.raises(paddock.LinkError, match="is in use"):
            OpenBridges(arena, [("epuck-serial", "red"), ("epuck2", f"blue={port}")])
        assert threading.active_count() == threads


def test_markup_in_names_is_not_interpreted_by_the_terminal(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Eve [/b][red]\nBob\n")
    with PaddockProcess("serve", "line-track", "--classroom", str(names)) as server:
        line = server.line("Eve")
        assert "[/b][red]" in line
        assert "\x1b" not in line
        server.line("Bob")


def test_emulators_report_their_robot_kinds() -> None:
    arena = bench()
    with EPuckEmulators(arena, serial=["red", "blue"]) as emulators:
        assert emulators.kinds == {"red": "e-puck", "blue": "e-puck2"}


def test_serial_e_puck2_is_described_as_e_puck2(tmp_path: Path) -> None:
    world = tmp_path / "bench.toml"
    world.write_text(ROOM.to_toml())
    with PaddockProcess("serve", str(world), "--bridge", "epuck-serial=blue") as server:
        assert server.line("^blue: ").startswith("blue: an e-puck2 at /dev/")
