"""One program for the simulated and the real robot: what only one of them can do is there on both, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import paddock
from bridges.pucks import bench
from links.test_epuck_stops import url_of
from paddock.bridges import Twins
from paddock.server import Server, Settings

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
    """What a program for real robots does first."""
    robot.calibrate()
    robot.enable("proximity", "encoders")
    return f"{robot.version()} {robot.encoders.read().left:g}"


def test_a_program_for_real_robots_runs_in_a_simulation(simulated: paddock.Robot) -> None:
    assert prepare(simulated) == "simulated e-puck 0"


@pytest.mark.parametrize(
    ("call", "arguments", "instead"),
    [
        ("sound", (1,), "speaker.play"),
        ("believe", (0.5, 0.2, 0.0), "set_pose"),
        ("hardware", (), "raw()"),
    ],
)
def test_what_only_real_robots_can_do_is_refused_by_name(
    simulated: paddock.Robot, call: str, arguments: tuple[float, ...], instead: str
) -> None:
    with pytest.raises(
        paddock.DeviceRefused, match=r"red: only a real robot can .*; this one is simulated: "
    ) as caught:
        getattr(simulated, call)(*arguments)
    assert instead in str(caught.value)


@pytest.mark.parametrize("name", ["red", "blue"])
def test_a_real_robot_counts_from_zero_as_a_simulated_one_does(name: str) -> None:
    arena = bench()
    arena[name].set_pose(0.15, 0.8)
    with Twins(arena, serial=["red"], wifi={"blue": 0}) as twins:
        arena[name].wheels.set(0.05, 0.04)
        arena.step(100)
        arena[name].stop()
        arena.step()
        with paddock.connect(url_of(twins, name), name=name, timeout=5) as robot:
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


def test_a_real_robot_has_no_world_and_says_so() -> None:
    arena = bench()
    with (
        Twins(arena, serial=["blue"]) as twins,
        paddock.connect(f"epuck://{twins.devices['blue']}", name="blue", timeout=5) as robot,
    ):
        with pytest.raises(paddock.SimulationError, match=r"blue\.world: a real robot has no world"):
            robot.world  # noqa: B018
        robot.enable("compass")
        with pytest.raises(paddock.DeviceRefused, match=r"blue\.hardware\(\)\.magnetometer"):
            robot.compass.raw()


def test_observers_are_functions() -> None:
    with pytest.raises(paddock.PaddockError, match=r"red\.on_sense: expected a function .*, got 5"):
        bench()["red"].on_sense(5, "ground")  # type: ignore[arg-type]
