"""A robot in another simulator stops soon after its program is killed, crashes or hangs."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

import paddock
from bridges.common.drivers import SIMULATORS, DrivingPrograms, drive_in_simulators, find_watchdogs
from bridges.common.test_watchdog import SOON, STANDS, killed_in_the_end
from paddock.arena import Arena
from paddock.testing import wait_for

pytest.importorskip("cbor2", reason="pip install cbor2")

ALL = pytest.mark.parametrize("name", SIMULATORS)
DRIVE = "robot.wheels.set(0.05, 0.15)"  # a small circle, away from the other robots


@pytest.fixture(scope="module")
def field() -> Iterator[tuple[Arena, dict[str, str]]]:
    with drive_in_simulators() as field:
        yield field


@pytest.fixture(scope="module")
def programs() -> Iterator[DrivingPrograms]:
    with DrivingPrograms() as programs:
        yield programs


def stands(arena: Arena, name: str) -> bool:
    """Whether a robot stands or is gone: a USARSim server removes robots without a program."""
    with arena.mutex:
        return name not in arena.robots or arena[name].wheels.speeds == STANDS


@ALL
@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGSEGV", "SIGSTOP"])
def test_robot_stops_when_its_program_receives_signal(
    field: tuple[Arena, dict[str, str]], programs: DrivingPrograms, name: str, end: str
) -> None:
    arena, urls = field
    process = programs.start(urls[name], DRIVE, f"while True: {DRIVE}; robot.step(5)")
    with killed_in_the_end(process):
        wait_for(lambda: not stands(arena, name))
        os.kill(process, signal.Signals[end])
        wait_for(lambda: stands(arena, name), SOON)
    wait_for(lambda: not find_watchdogs(process))


@ALL
def test_background_reads_do_not_keep_robot_of_hung_program_driving(
    field: tuple[Arena, dict[str, str]], programs: DrivingPrograms, name: str
) -> None:
    arena, urls = field
    hangs = "hung = threading.Event(); signal.signal(signal.SIGUSR1, lambda *_: hung.set())"
    drive = f"while True: hung.is_set() and signal.pause(); {DRIVE}; robot.step(5)"
    process = programs.start(urls[name], f"{hangs}; robot.enable('sonar'); robot.watch(0.05)", drive)
    with killed_in_the_end(process):
        wait_for(lambda: not stands(arena, name))
        os.kill(process, signal.SIGUSR1)
        wait_for(lambda: stands(arena, name), SOON)


@ALL
def test_program_resumes_after_watchdog_stopped_its_robot(
    field: tuple[Arena, dict[str, str]], name: str, caplog: pytest.LogCaptureFixture
) -> None:
    arena, urls = field
    silence = 0.5
    with paddock.connect(f"{urls[name]}&silence={silence}", timeout=60) as robot:
        robot.enable("sonar")
        wait_for(lambda: robot.wheels.set(0.2, 0.2) or not stands(arena, name))  # type: ignore[func-returns-value]
        wait_for(lambda: stands(arena, name), SOON)  # while nothing is asked
        assert min(robot.sonar.read()) > 0
        assert robot.wheels.speeds == STANDS
        assert "silence=SECONDS" in caplog.text
        robot.wheels.set(0.2, 0.2)
        robot.step(round(1.0 / robot.dt))  # longer than that, but the program asks for the time
        caplog.clear()
        calls = [time.monotonic()]
        while calls[-1] < calls[0] + 2 * silence:
            robot.wheels.set(0.2, 0.2)  # it tells, and asks nothing
            calls.append(time.monotonic())
        drives = not stands(arena, name)
        stopped = robot.body.watchdog.renew() or "silence" in caplog.text
        longest = max(later - earlier for earlier, later in zip(calls, [*calls[2:], time.monotonic()], strict=False))
        assert not stopped or longest > silence  # another program had the processor
        assert stopped or drives
    wait_for(lambda: not find_watchdogs(os.getpid()))


@pytest.mark.parametrize("name", ["vrep", "coppelia"])
def test_watchdog_is_disabled_while_simulated_time_waits_for_program(
    field: tuple[Arena, dict[str, str]], name: str, caplog: pytest.LogCaptureFixture
) -> None:
    url = field[1][name].replace("=no", "=yes") + "&silence=0.5"
    with paddock.connect(url, timeout=60) as robot:
        robot.wheels.set(0.2, 0.2)
        robot.step()
        assert robot.body.watchdog.silence == float("inf")
        assert robot.wheels.speeds == (0.2, 0.2)
    assert "silence" not in caplog.text


@ALL
def test_too_short_silence_is_refused(field: tuple[Arena, dict[str, str]], name: str) -> None:
    with pytest.raises(paddock.LinkError, match=r"silence: expected seconds >= 0.5, or inf for never, got '0.1'"):
        paddock.connect(f"{field[1][name]}&silence=0.1")
