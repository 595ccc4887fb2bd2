"""A real robot stops soon after its program is killed, crashes or hangs, on every wire."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import paddock
from bridges.common.drivers import WIRES, DrivingPrograms, drive_on_lawn, find_watchdogs, note_speeds
from paddock.arena import Arena
from paddock.bridges.common.watchdog import PROGRAM
from paddock.testing import wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")

STANDS = (0.0, 0.0)
HOST = """
import sys
from paddock.core.geometry import Pose
from paddock.experiments.ecoli.waypoint_robots import Host, RobotPlan
plan = RobotPlan(name="orders", start=Pose(0.0, 0.0, 0.0), threshold=6000, targets=[(20.0, 0.0)])
Host([(plan, sys.argv[1])]).run()
"""
SOON = 60.0  # [s] on a busy machine; benchmarks/watchdog_times.py tells the times


@pytest.fixture(scope="module")
def lawn() -> Iterator[tuple[Arena, dict[str, str]]]:
    with drive_on_lawn() as lawn:
        yield lawn


@pytest.fixture(scope="module")
def programs() -> Iterator[DrivingPrograms]:
    with DrivingPrograms() as programs:
        yield programs


@pytest.fixture
def told() -> Iterator[dict[str, list[tuple[int, int]]]]:
    with note_speeds() as told:
        yield told


@contextmanager
def killed_in_the_end(process: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.kill(process, signal.SIGKILL)


def stands(arena: Arena, name: str) -> bool:
    return arena[name].wheels.speeds == STANDS


def connect_soon(url: str) -> Any:
    """Connect to a robot whose program has just ended, allowing time for the process to exit."""
    found: list[Any] = []

    def connects() -> bool:
        try:
            found.append(paddock.connect(url, timeout=60))
        except paddock.LinkError:
            return False
        return True

    wait_for(connects, SOON)
    return found[0]


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGSEGV", "SIGSTOP"])
def test_robot_stops_when_its_program_receives_signal(
    lawn: tuple[Arena, dict[str, str]], programs: DrivingPrograms, name: str, end: str
) -> None:
    arena, urls = lawn
    process = programs.start(urls[name])
    wait_for(lambda: not stands(arena, name))
    with killed_in_the_end(process):
        os.kill(process, signal.Signals[end])
        wait_for(lambda: stands(arena, name), SOON)
    wait_for(lambda: not find_watchdogs(process))
    with connect_soon(urls[name] + "?silence=inf") as robot:  # nobody has the line, nobody disturbs
        wait_for(lambda: robot.wheels.set(0.03, 0.03) or not stands(arena, name))
        robot.step(4)
        assert name == "orders" or not stands(arena, name)  # which may stand by itself after half a second


@pytest.mark.parametrize("name", ["serial", "wifi"])
@pytest.mark.parametrize("end", ["os._exit(3)", "ctypes.string_at(0)"])
def test_robot_stops_when_its_program_crashes(
    lawn: tuple[Arena, dict[str, str]], programs: DrivingPrograms, name: str, end: str
) -> None:
    drive = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1]); robot.wheels.set(0.05, 0.06)"
    process = programs.start(lawn[1][name] + "?silence=inf", drive, f"signal.sigwait([signal.SIGUSR1]); {end}")
    wait_for(lambda: not stands(lawn[0], name))
    os.kill(process, signal.SIGUSR1)
    wait_for(lambda: stands(lawn[0], name), SOON)


def test_robot_on_way_to_point_stops_when_its_program_ends(
    lawn: tuple[Arena, dict[str, str]], programs: DrivingPrograms
) -> None:
    arena, urls = lawn
    drive = "threading.Thread(target=robot.go_to, args=(20.0, 0.0), daemon=True).start()"
    for end in (signal.SIGKILL, signal.SIGSTOP):
        process = programs.start(urls["orders"], drive, "signal.pause()")
        wait_for(lambda: not stands(arena, "orders"))
        with killed_in_the_end(process):
            os.kill(process, end)
            wait_for(lambda: stands(arena, "orders"), SOON)


def test_robot_walked_by_host_stops_when_host_is_killed(lawn: tuple[Arena, dict[str, str]]) -> None:
    arena, urls = lawn
    with subprocess.Popen([sys.executable, "-c", HOST, urls["orders"].removeprefix("orders://")]) as host:
        try:
            wait_for(lambda: not stands(arena, "orders") and bool(find_watchdogs(host.pid)), SOON)
        finally:
            host.kill()
    wait_for(lambda: stands(arena, "orders"), SOON)
    wait_for(lambda: not find_watchdogs(host.pid))


@pytest.mark.parametrize("name", ["serial", "wifi"])
def test_background_reads_do_not_keep_robot_of_hung_program_driving(
    lawn: tuple[Arena, dict[str, str]], programs: DrivingPrograms, told: dict[str, list[tuple[int, int]]], name: str
) -> None:
    drive = "robot.enable('proximity'); robot.watch(0.05); robot.wheels.set(0.05, 0.06)"
    process = programs.start(lawn[1][name], drive, "signal.pause()")
    with killed_in_the_end(process):
        assert any(map(any, told[name]))
        wait_for(lambda: not any(told[name][-1]), SOON)


def test_children_of_killed_program_do_not_keep_robot_driving(
    lawn: tuple[Arena, dict[str, str]], programs: DrivingPrograms
) -> None:
    arena, urls = lawn
    drive = "robot.wheels.set(0.05, 0.06); child = os.fork(); child or signal.pause()"  # it has every file open, too
    process = programs.start(urls["serial"], drive, "print(child, flush=True); robot.step(100_000)")
    child = programs.read_number()
    with killed_in_the_end(child):
        os.kill(process, signal.SIGKILL)
        wait_for(lambda: stands(arena, "serial"), SOON)


@pytest.mark.parametrize("name", [name for name in WIRES if name != "orders"])  # which stands by itself before
def test_program_resumes_after_watchdog_stopped_its_robot(
    lawn: tuple[Arena, dict[str, str]],
    told: dict[str, list[tuple[int, int]]],
    name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with connect_soon(lawn[1][name] + "?silence=2") as robot:
        robot.enable("proximity")
        robot.wheels.set(0.05, 0.06)
        assert any(map(any, told[name]))
        wait_for(lambda: not any(told[name][-1]), SOON)  # while nothing is asked
        robot.proximity.read()
        assert robot.wheels.speeds == STANDS
        assert "?silence=" in caplog.text
        robot.wheels.set(0.05, 0.06)
        robot.step(50)  # longer than that, but the robot is asked something meanwhile
        assert robot.wheels.speeds != STANDS
        assert any(told[name][-1])
    wait_for(lambda: not find_watchdogs(os.getpid()))


def test_killed_watchdog_is_replaced(lawn: tuple[Arena, dict[str, str]]) -> None:
    with connect_soon(lawn[1]["serial"] + "?silence=inf") as robot:
        robot.enable("proximity")
        assert find_watchdogs(os.getpid()) == []  # there is none as long as the robot stands
        robot.wheels.set(0.05, 0.05)
        (watchdog,) = find_watchdogs(os.getpid())
        os.kill(watchdog, signal.SIGKILL)
        wait_for(lambda: find_watchdogs(os.getpid()) == [])
        robot.proximity.read()
        assert len(find_watchdogs(os.getpid())) == 1


@pytest.fixture
def watched() -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """A separate watchdog process, and the robot's end of its line."""
    line, robot = socket.socketpair()
    line.setblocking(False)
    command = [sys.executable, str(PROGRAM), str(line.fileno()), "0.1", b"stop".hex(), str(os.getpid())]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
    with line, robot, subprocess.Popen(command, pass_fds=(line.fileno(),), **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"r"
        yield process, robot


def test_program_that_answers_during_stop_is_watched_again(
    watched: tuple[subprocess.Popen[bytes], socket.socket],
) -> None:
    process, robot = watched
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"d")
    assert process.stdout.read(1) == b"!"  # it was silent
    process.communicate(b".", timeout=60)  # but was about to drive, and answered; then it is gone
    assert robot.recv(1000).count(b"stop") > 3  # as often as it is told at the most when it is silent


def test_last_stop_is_sent_three_times(watched: tuple[subprocess.Popen[bytes], socket.socket]) -> None:
    process, robot = watched
    process.communicate(b"f", timeout=60)
    assert robot.recv(1000) == 3 * b"stop"
