"""A third-party client for the e-puck2 controls a simulated one."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bridges.epuck.epuck_fixtures import bench
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.bridge import emulate

CLIENT = Path(__file__).with_name("unifr_client.py")
MISSING = [name for name in ("unifr_api_epuck", "socketio", "requests") if importlib.util.find_spec(name) is None]


@pytest.mark.skipif(bool(MISSING), reason=f"no {', '.join(MISSING)} here: make clients installs them")
def test_unifr_client_reads_and_drives_an_epuck2() -> None:
    arena = bench()
    blue = arena["blue"]
    blue.set_pose(0.5, 0.8)
    # The client takes the oldest packet for the answer: one that speaks unasked would tell it what was.
    with EPuckEmulators(arena, wifi={"blue": 0}, kind=["blue"]) as emulators:
        port = emulators.addresses["blue"][1]
        client = subprocess.Popen(
            [sys.executable, CLIENT, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert client.stdout is not None
        while client.stdout.readline() not in ("DRIVING\n", ""):
            pass
        arena.step(50)
        expected = emulate(arena, "blue").read_packet()
        out, _ = client.communicate("\n", timeout=60)
        assert client.returncode == 0
        (line,) = [line for line in out.splitlines() if line.startswith("TOLD ")]
        told = json.loads(line.removeprefix("TOLD "))
        leds = blue.leds.read()
    assert told["steps"] == [106, -106]  # one "Webots unit" each for a second
    blue.enable("camera")
    seen = blue.camera.read()
    for (row, column), pixel in zip(((0, 0), (60, 80), (119, 159)), told["image"], strict=True):
        assert all(abs(int(a) - b) <= 7 for a, b in zip(seen[row, column], pixel, strict=True))
    assert tuple(told["proximity"]) == expected.proximity
    assert tuple(told["ground"]) == expected.ground
    assert tuple(told["accelerometer"]) == expected.accelerometer
    assert tuple(told["gyroscope"]) == expected.gyroscope
    assert told["distance"] == expected.distance
    right, left, back, front = expected.microphones
    assert told["microphones"] == [front, right, back, left]
    assert (told["battery"], told["temperature"]) == (2082, 22)
    assert told["inclination"] == pytest.approx(expected.inclination)
    assert {name: round(value, 3) for name, value in leds.items() if value} == {
        "led0": 1.0, "led1_red": 0.1, "led1_green": 0.2, "led1_blue": 0.3, "front": 1.0,
    }  # fmt: skip
