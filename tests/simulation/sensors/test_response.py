"""Raw hardware values are converted back to SI units by the same tables."""

from __future__ import annotations

import numpy as np
import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from paddock.simulation.sensors.response import Counter, convert_to_raw, convert_to_si


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["red", "blue"])
def test_raw_values_convert_to_the_simulated_readings(name: str) -> None:
    with bench() as arena:
        robot = arena[name]
        robot.enable()
        robot.wheels.set(0.05, 0.02)
        for _ in range(60):
            arena.step(5)
            for device in robot.devices.values():
                if (device.spec.response or device.spec.scale) and device.spec.channels:
                    raw = device.raw_values()
                    assert convert_to_si(device.spec, raw) == pytest.approx(np.atleast_1d(device.read()), abs=1e-9), (
                        device
                    )
                    if device.name != "proximity":  # of which the far end is not one to one
                        assert convert_to_raw(device.spec, np.atleast_1d(device.read())) == pytest.approx(raw), device


def test_counters_are_unwrapped() -> None:
    counter = Counter(32768)
    assert counter.unwrapped(np.array([32000, -32000])).tolist() == [32000, -32000]
    assert counter.unwrapped(np.array([-32500, 32500])).tolist() == [33036, -33036]
    counter.restart(np.array([0, 0]))
    assert counter.unwrapped(np.array([10, -10])).tolist() == [33046, -33046]


def test_angles_are_wrapped() -> None:
    compass = paddock.RobotSpec.from_toml(
        'name = "x"\nbody = { radius = 0.05, height = 0.1 }\n'
        "drive = { wheel_separation = 0.08, wheel_diameter = 0.04, max_speed = 0.3 }\n"
        '[[sensors]]\nkind = "compass"\nname = "compass"\n'
    ).sensor("compass")
    assert convert_to_si(compass, np.array([4.0])) == pytest.approx([4.0 - 2 * np.pi])
    assert convert_to_si(compass, np.array([np.pi])) == pytest.approx([np.pi])
