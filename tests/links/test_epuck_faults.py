"""Whatever happens on the line, a call gives the right value or a named error, in time; and then things work again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from bridges.pucks import bench
from links.nasty import TIMEOUT, Fault, NastySerial, NastyWifi, faults
from paddock.bridges.puck import Puck
from paddock.bridges.sercom import SercomFirmware
from paddock.bridges.wifi import WifiFirmware
from paddock.links.epuck import RealRobot

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")

CALLS: dict[str, Callable[[RealRobot], Any]] = {
    "sense": lambda robot: values_of(robot.sense()),
    "proximity": lambda robot: robot.proximity.raw(),
    "accelerometer": lambda robot: robot.accelerometer.read(),
    "selector": lambda robot: robot.selector.read(),
    "image": lambda robot: robot.camera.image(),
    "wheels": lambda robot: robot.wheels.set(0.0, 0.0),
    "lamp": lambda robot: robot.leds.set("front", 1.0),
    "pose": lambda robot: robot.pose,
}


def values_of(seen: Any) -> dict[str, Any]:
    return {name: getattr(seen, name) for name in seen}


class Line:
    """A robot behind a bad line, and what it should say."""

    def __init__(self, twin: NastySerial | NastyWifi) -> None:
        self.twin = twin
        self.robot: RealRobot = paddock.connect(twin.url, timeout=TIMEOUT)
        self.robot.enable(*(name for name in self.robot.devices if name != "camera"))
        self.robot.camera.enable()
        self.robot.camera.poll_only()
        self.truth = {name: call(self.robot) for name, call in CALLS.items()}

    def close(self) -> None:
        self.robot.close()
        self.twin.close()


@pytest.fixture(scope="module", params=["serial", "serial-e-puck2", "wifi"])
def line(request: pytest.FixtureRequest) -> Iterator[Line]:
    arena = bench()  # time does not pass, so readings stay the same
    twin: NastySerial | NastyWifi
    if request.param == "wifi":
        twin = NastyWifi(WifiFirmware(Puck(arena, "blue")))
    else:
        twin = NastySerial(SercomFirmware(Puck(arena, "red" if request.param == "serial" else "blue")))
    one = Line(twin)
    yield one
    one.close()


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return all(same(a[key], b[key]) for key in a)
    return a is b is None or bool(np.array_equal(a, b))


def check(line: Line, name: str) -> bool:
    """Whether a call succeeds; it must not be wrong, late, or fail in any other way."""
    began = time.monotonic()
    try:
        value = CALLS[name](line.robot)
    except paddock.LinkError:
        told = False
    else:
        assert same(value, line.truth[name]), name
        told = True
    # At most: make sure of the line, then ask (settings of the camera and the image are two questions).
    assert time.monotonic() - began < 4 * TIMEOUT + 1.0
    return told


def recovers(line: Line) -> None:
    """Once the line is good again, so are calls."""
    line.twin.script.faults.clear()
    deadline = time.monotonic() + 10
    while not check(line, "proximity"):
        assert time.monotonic() < deadline, "it does not work again"
    check(line, "sense")


@settings(max_examples=8)
@given(st.data())
def test_a_call_is_right_or_fails_by_name_and_never_hangs(line: Line, data: st.DataObject) -> None:
    script = data.draw(st.lists(faults, min_size=1, max_size=4))
    calls = data.draw(st.lists(st.sampled_from(sorted(CALLS)), min_size=2, max_size=4))
    line.twin.script.faults[:] = script
    for name in calls:
        check(line, name)
    recovers(line)


@pytest.mark.parametrize("where", [0.0, 0.97])
@pytest.mark.parametrize("kind", ["drop", "garbage", "late", "split", "keep", "reset", "silence"])
def test_each_fault_by_itself(line: Line, kind: Any, where: float) -> None:
    for name in ("sense", "image") if kind in ("drop", "garbage", "split") else ("sense",):
        line.twin.script.faults[:] = [Fault(kind, where, b"\x02\x07\xff")]
        told = check(line, name)
        if kind in ("late", "silence", "keep", "reset"):
            assert not told
        recovers(line)


def test_garbage_before_the_connection_does_not_matter(line: Line) -> None:
    line.robot.port.hang_up()
    assert check(line, "proximity")
