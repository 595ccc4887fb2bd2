"""One program runs on simulated and real robots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from bridges.epuck.test_epuck_stops import find_url
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.link import EPuck
from paddock.network.server import Server, Settings

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")


@pytest.fixture(params=["here", "ws"])
def simulated(request: pytest.FixtureRequest) -> Iterator[paddock.Robot]:
    if request.param == "here":
        yield bench()["red"]
        return
    with (
        Server(bench(), Settings(port=0)).in_background() as server,
        paddock.connect(server.url(scheme="ws")) as arena,
    ):
        yield arena["red"]


def prepare(robot: Any) -> str:
    """The first calls of a program for real robots."""
    robot.calibrate()
    robot.enable("proximity", "encoders")
    return f"{robot.version()} {robot.encoders.read().left:g}"


def test_program_for_real_robots_runs_in_simulation(simulated: paddock.Robot) -> None:
    assert prepare(simulated) == "simulated e-puck 0"


@pytest.mark.parametrize("method", ["play_sound", "set_odometry", "raw_packet"])
def test_epuck_methods_are_missing_on_simulated_robots(simulated: paddock.Robot, method: str) -> None:
    assert callable(getattr(EPuck, method))
    assert not hasattr(simulated, method)
    with pytest.raises(paddock.UnknownName, match=f"no device of red called '{method}'"):
        getattr(simulated, method)


@pytest.mark.parametrize("name", ["red", "blue"])
def test_encoders_of_real_robot_start_at_zero(name: str) -> None:
    arena = bench()
    arena[name].set_pose(0.15, 0.8)
    with EPuckEmulators(arena, serial=["red"], wifi={"blue": 0}) as emulators:
        arena[name].wheels.set(0.05, 0.04)
        arena.step(100)
        arena[name].stop()
        arena.step()
        with paddock.connect(find_url(emulators, name), name=name, timeout=60) as robot:
            assert robot.seed == 0
            robot.enable("encoders")
            assert abs(robot.encoders.raw()).min() > 500
            assert robot.encoders.read() == pytest.approx((0, 0))
            robot.wheels.set(0.05, -0.05)
            arena.step(50)
            assert robot.encoders.read() == pytest.approx((0.05, -0.05), abs=2e-3)
            assert robot.sense().encoders == pytest.approx((0.05, -0.05), abs=2e-3)
            robot.reset()
            assert robot.encoders.read() == pytest.approx((0, 0))


def test_world_of_real_robot_is_refused() -> None:
    arena = bench()
    with (
        EPuckEmulators(arena, serial=["blue"]) as emulators,
        paddock.connect(f"epuck://{emulators.devices['blue']}", name="blue", timeout=60) as robot,
    ):
        with pytest.raises(paddock.SimulationError, match=r"world: blue is a real robot; only simulations have that"):
            robot.world  # noqa: B018
        robot.enable("compass")
        with pytest.raises(paddock.DeviceRefused, match=r"blue\.raw_packet\(\)\.magnetometer"):
            robot.compass.raw()


def test_observer_that_is_no_function_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match=r"red\.on_sense: expected a function .*, got 5"):
        bench()["red"].on_sense(5, "ground")  # type: ignore[arg-type]
