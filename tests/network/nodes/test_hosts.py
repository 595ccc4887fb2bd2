"""Tests of modules on two hosts: network namespaces connected by a router, with a cable that is unplugged."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from network.nodes.rooms import configure, write_configuration

pytestmark = pytest.mark.long
PORT = 7447
STILL = 1e-3  # [m/s]


def ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"network namespaces are not allowed here: ip {' '.join(words)}: {done.stderr.strip()}")


@contextmanager
def host(number: int) -> Iterator[tuple[str, str, str]]:
    """Make a host with a cable; yield its name, the router's end of the cable, and the router's address on it."""
    name = f"pad{os.getpid() % 100000}h{number}"
    cable, network = f"{name}r", f"10.{100 + os.getpid() % 100}.{number}"
    try:
        ip("netns", "add", name)
        ip("link", "add", cable, "type", "veth", "peer", "name", f"{name}e", "netns", name)
        ip("addr", "add", f"{network}.1/30", "dev", cable)
        ip("link", "set", cable, "up")
        ip("-n", name, "addr", "add", f"{network}.2/30", "dev", f"{name}e")
        ip("-n", name, "link", "set", f"{name}e", "up")
        ip("-n", name, "link", "set", "lo", "up")
        yield name, cable, f"{network}.1"
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True)
        subprocess.run(["ip", "link", "del", cable], capture_output=True)


def read_trace(path: Path) -> list[dict[str, float]]:
    """Return the rows of the coordinator's trace without an incomplete last line."""
    heads, *rows = (
        [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else [[]]
    )
    return [dict(zip(heads, map(float, row), strict=True)) for row in rows if len(row) == len(heads) and row[-1]]


def is_told(row: dict[str, float]) -> bool:
    """Return whether wheels are commanded to turn."""
    return abs(row["command_left"]) + abs(row["command_right"]) > STILL


def until(path: Path, moves: bool, after: float) -> float:
    """Wait until wheels are commanded to turn or to stop; return the time."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        for row in read_trace(path):
            if row["wall"] > after and is_told(row) is moves:
                return row["wall"]
        time.sleep(0.05)
    raise AssertionError(f"the robot never {'moved' if moves else 'stood'}")


def test_robot_stops_on_unplugged_cable_and_resumes_on_reconnection(tmp_path: Path) -> None:
    pytest.importorskip("zenoh", reason="pip install -e '.[modules]'")
    from paddock.network.nodes.transports.zenoh import ZenohRouter

    spec = configure(tmp_path, seconds=600.0, options={"coordinator": {"trace": "trace.csv"}})
    file, trace = write_configuration(spec), tmp_path / "trace.csv"
    with host(1) as (body, _, near), host(2) as (mind, cable, far), ExitStack() as stack:
        stack.enter_context(ZenohRouter(f"tcp/{near}:{PORT}", f"tcp/{far}:{PORT}"))
        places = {"coordinator": (body, near), "sensor": (body, near), "motor": (body, near)}
        places |= {"reflex": (mind, far), "planner": (mind, far)}
        for module, (where, router) in places.items():
            command = [sys.executable, "-m", "paddock", "nodes", "run", module, "--config", str(file)]
            line = ["ip", "netns", "exec", where, *command, "--bus", f"zenoh://{router}:{PORT}"]
            process = subprocess.Popen(line)
            stack.callback(process.wait)
            stack.callback(process.terminate)
        until(trace, True, 0.0)
        pulled = time.time()
        ip("link", "set", cable, "down")
        stood = until(trace, False, pulled)
        time.sleep(2.0)  # the cable is out
        plugged = time.time()
        assert not any(is_told(row) for row in read_trace(trace) if stood < row["wall"] < plugged)
        ip("link", "set", cable, "up")
        until(trace, True, plugged)
        rows = read_trace(trace)
        turning = [row["time"] - row["measured"] for row in rows if abs(row["left"]) + abs(row["right"]) > STILL]
        assert max(turning) < spec.stop_within  # simulated: in the tick after it the wheels are at rest
        assert not any(row["contacts"] for row in rows)
