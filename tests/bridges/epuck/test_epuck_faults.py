"""With any line fault a call returns the right value or raises a named error, and later calls work again."""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from bridges.epuck.epuck_fixtures import bench
from bridges.epuck.faulty_server import TIMEOUT, Fault, FaultySerial, FaultyWifi, faults
from paddock.arena import Arena
from paddock.bridges.epuck.bridge import emulate
from paddock.bridges.epuck.emulator.emulated_robot import EmulatedEPuck
from paddock.bridges.epuck.emulator.serial_firmware import SerialFirmware
from paddock.bridges.epuck.emulator.wifi_firmware import WifiFirmware
from paddock.bridges.epuck.link import EPuck
from paddock.simulation.robots import load_robot

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")

HANGS = 30.0  # [s] after which a call is not slow but hangs
CALLS: dict[str, Callable[[EPuck], Any]] = {
    "sense": lambda robot: list_values(robot.sense()),
    "proximity": lambda robot: robot.proximity.raw(),
    "accelerometer": lambda robot: robot.accelerometer.read(),
    "selector": lambda robot: robot.selector.read(),
    "image": lambda robot: robot.camera.image(),
    "wheels": lambda robot: robot.wheels.set(0.05, -0.03),
    "led": lambda robot: robot.leds.set("front", 1.0),
    "pose": lambda robot: robot.pose,
}


def list_values(seen: Any) -> dict[str, Any]:
    return {name: getattr(seen, name) for name in seen}


class Line:
    """A robot behind a faulty line, and its expected readings."""

    def __init__(self, arena: Arena, emulator: FaultySerial | FaultyWifi) -> None:
        self.arena, self.emulator = arena, emulator
        self.robot: EPuck = paddock.connect(emulator.url)
        self.robot.enable(*(name for name in self.robot.devices if name != "camera"))
        self.robot.camera.enable()
        self.robot.camera.poll_only()
        self.truth = {name: call(self.robot) for name, call in CALLS.items()}
        self.robot.port.timeout = TIMEOUT

    def close(self) -> None:
        self.robot.close()
        self.emulator.close()


LINKS = ["serial", "serial-e-puck2", "wifi"]


def find_emulator(arena: Arena, link: str) -> FaultySerial | FaultyWifi:
    if link == "wifi":
        return FaultyWifi(WifiFirmware(emulate(arena, "blue")))
    return FaultySerial(SerialFirmware(emulate(arena, "red" if link == "serial" else "blue")))


@pytest.fixture(scope="module", params=LINKS)
def line(request: pytest.FixtureRequest) -> Iterator[Line]:
    arena = bench()  # time does not pass, so readings stay the same
    one = Line(arena, find_emulator(arena, request.param))
    yield one
    one.close()


@pytest.fixture(scope="module", params=LINKS)
def moving(request: pytest.FixtureRequest) -> Iterator[Line]:
    arena = bench()
    one = Line(arena, find_emulator(arena, request.param))
    yield one
    one.close()


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return all(same(a[key], b[key]) for key in a)
    return a is b is None or bool(np.array_equal(a, b))


def check(line: Line, name: str) -> bool:
    """Return whether a call succeeds; a wrong value, a hang or another error fails the test."""
    began = time.monotonic()
    try:
        value = CALLS[name](line.robot)
    except paddock.LinkError:
        told = False
    else:
        assert same(value, line.truth[name]), name
        told = True
    assert time.monotonic() - began < HANGS
    return told


@contextlib.contextmanager
def longer_timeout(line: Line) -> Iterator[None]:
    """Use a longer timeout for calls that must succeed."""
    line.robot.port.timeout = HANGS / 2
    yield
    line.robot.port.timeout = TIMEOUT


def recovers(line: Line) -> None:
    """Check that calls succeed after the faults end."""
    line.emulator.script.faults.clear()
    line.emulator.script.lost.clear()
    deadline = time.monotonic() + HANGS
    while not check(line, "proximity"):
        assert time.monotonic() < deadline, "it does not work again"
    check(line, "sense")


places = st.floats(0, 1)
scripts = st.lists(faults, min_size=1, max_size=4)
losses = st.lists(st.none() | places, max_size=3)


@settings(max_examples=8)
@given(st.data())
def test_call_is_correct_or_raises_link_error_and_never_hangs(line: Line, data: st.DataObject) -> None:
    calls = data.draw(st.lists(st.sampled_from(sorted(CALLS)), min_size=2, max_size=4))
    line.emulator.script.faults[:], line.emulator.script.lost[:] = data.draw(scripts), data.draw(losses)
    for name in calls:
        check(line, name)
    recovers(line)


MOVING: dict[str, Callable[[EmulatedEPuck], Sequence[float]]] = {
    "encoders": lambda emulated: emulated.steps,
    "proximity": lambda emulated: emulated.proximity,
    "light": lambda emulated: emulated.read("light", 8),
}


@settings(max_examples=8)
@given(st.data())
def test_readings_of_moving_robot_are_current(moving: Line, data: st.DataObject) -> None:
    robot, emulated, script = moving.robot, moving.emulator.firmware.robot, moving.emulator.script
    simulated = moving.arena[emulated.hardware.robot.name]
    calls = data.draw(st.lists(st.sampled_from(["wheels", *MOVING]), min_size=2, max_size=5))
    script.faults[:], script.lost[:] = data.draw(scripts), data.draw(losses)
    for name in ["wheels", *calls, "encoders"]:
        moving.arena.step(3)
        with contextlib.suppress(paddock.LinkError):
            if name == "wheels":
                speed = data.draw(st.sampled_from([0.02, 0.05, -0.04]))
                robot.wheels.set(speed, -speed / 2)
                moving.arena.step()
                assert simulated.wheels.speeds == pytest.approx((speed, -speed / 2), abs=1e-4)
            else:
                assert tuple(robot.device(name).raw()) == tuple(MOVING[name](emulated))
    script.faults.clear()
    script.lost.clear()
    with contextlib.suppress(paddock.LinkError):  # what is left of the last fault
        robot.encoders.raw()
    with longer_timeout(moving):
        assert tuple(robot.encoders.raw()) == tuple(emulated.steps)


@pytest.mark.parametrize("link", LINKS)
@settings(max_examples=6)
@given(script=scripts, lost=st.none() | places, when=st.integers(0, 6))
def test_connecting_finds_right_robot_or_raises_link_error(
    link: str, script: list[Fault], lost: float | None, when: int
) -> None:
    emulator = connecting(link)
    emulator.script.faults[:] = [Fault()] * when + script[: 1 + when // 3]
    emulator.script.lost[:] = [*[None] * when, lost]
    began = time.monotonic()
    try:
        robot = paddock.connect(emulator.url, timeout=TIMEOUT)
    except paddock.LinkError:
        pass
    else:
        emulator.script.faults.clear()
        emulator.script.lost.clear()
        assert (robot.spec.name, set(robot.devices)) == KINDS[link]
        robot.close()
    assert time.monotonic() - began < HANGS
    emulator.script.faults.clear()
    emulator.script.lost.clear()


@functools.cache
def connecting(link: str) -> FaultySerial | FaultyWifi:
    """An emulator for many connections; its thread ends with the tests."""
    return find_emulator(bench(), link)


def kind(name: str) -> tuple[str, set[str]]:
    return name, {sensor.name for sensor in load_robot(name).sensors if sensor.kind != "position"}


KINDS = {"serial": kind("e-puck"), "serial-e-puck2": kind("e-puck2"), "wifi": kind("e-puck2")}


@pytest.mark.parametrize("kind", ["drop", "garbage", "late", "split", "keep", "reset", "silence"])
def test_driver_recovers_after_each_fault(line: Line, kind: Any) -> None:
    outcomes = []
    places = (0.0, 0.5, 0.97) if kind in ("drop", "garbage", "split") else (0.97,)
    for name, where in itertools.product(("sense", "image") if len(places) > 1 else ("sense",), places):
        line.emulator.script.faults[:] = [Fault(kind, where, b"\x02\x07\xff")]
        with longer_timeout(line) if kind == "split" else contextlib.nullcontext():
            outcomes.append(check(line, name))
        recovers(line)
    if kind == "split":
        assert all(outcomes)
    elif kind == "drop":
        assert not all(outcomes)
    elif kind != "garbage":
        assert not any(outcomes)


def test_garbage_before_connection_is_ignored(line: Line) -> None:
    line.robot.port.disconnect()
    with longer_timeout(line):
        assert check(line, "proximity")
