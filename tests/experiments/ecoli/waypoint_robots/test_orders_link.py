"""Handles of robots that take orders: `orders://DEVICE`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddock
from experiments.ecoli.waypoint_robots.order_fixtures import open_room, running
from paddock.experiments.ecoli.waypoint_robots import OrderRobots
from paddock.experiments.ecoli.waypoint_robots.link import OrdersRobot
from paddock.testing import wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")


pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def room() -> Iterator[tuple[Any, OrderRobots]]:
    arena = open_room(2)
    with OrderRobots(arena, {"r0": True, "r1": False}) as robots, running(arena):
        yield arena, robots


@pytest.fixture(params=["r0", "r1"], ids=["checked", "legacy"])
def robot(request: pytest.FixtureRequest, room: tuple[Any, OrderRobots]) -> Iterator[OrdersRobot]:
    with paddock.connect(f"orders://{room[1].devices[request.param]}", name=request.param) as robot:
        robot.set_odometry(*room[0][request.param].pose)
        robot.set_threshold(6000)
        yield robot


def test_robot_drives_to_points_turns_and_reports_pose(robot: OrdersRobot, room: tuple[Any, OrderRobots]) -> None:
    start = robot.pose
    assert robot.go_to(start.x + 0.03, start.y + 0.02)
    assert robot.pose[:2] == pytest.approx((start.x + 0.03, start.y + 0.02), abs=2e-3)
    heading = robot.pose.heading
    assert math.remainder(robot.turn(1.0) - heading - 1.0, math.tau) == pytest.approx(0.0, abs=0.01)
    assert robot.forward(0.01) == pytest.approx(0.01 / 0.10304, rel=0.1)
    assert room[0][robot.name].pose == pytest.approx(robot.pose, abs=0.02)
    assert robot.moving_time > 0.5
    assert robot.detections == 0
    assert robot.mode in robot.version()
    assert robot.go_to(start.x, start.y)


def test_proximity_is_nan_for_sensors_that_mode_does_not_report(robot: OrdersRobot) -> None:
    robot.proximity.enable()
    values = robot.sense().proximity
    assert values.shape == (8,)
    assert np.isnan(values).tolist() == [robot.mode == "legacy" and 2 <= i <= 5 for i in range(8)]


def test_controller_drives_robot_in_mode_with_wheel_speeds(room: tuple[Any, OrderRobots]) -> None:
    arena, robots = room
    with paddock.connect(f"orders://{robots.devices['r0']}?name=r0&dt=0.02") as robot:
        robot.set_odometry(0.0, 0.0, 0.0)
        robot.enable("encoders")
        robot.run(0.2, {"r0": lambda seen: (-0.02, 0.02)})
        assert any(robot.wheels.speeds)
        robot.stop()
        wait_for(lambda: not any(arena["r0"].wheels.speeds))
        assert robot.pose.heading != 0.0
        assert abs(robot.encoders.read()).sum() > 0


def test_unsupported_orders_are_refused(robot: OrdersRobot) -> None:
    for call, what in (
        (lambda: robot.leds.set("led0", 1), "the LED led0"),
        (lambda: robot.calibrate(), "calibration"),
        (lambda: robot.reset(), "a restart"),
        (lambda: robot.play_sound(1), "sounds"),
    ):
        with pytest.raises(
            paddock.DeviceRefused, match=f"takes orders in {robot.mode} mode, which has none for {what}"
        ):
            call()
    if robot.mode == "legacy":
        with pytest.raises(paddock.DeviceRefused, match="none for wheel speeds; use go_to"):
            robot.wheels.set(0.01, 0.01)
    with pytest.raises(paddock.PaddockError, match="there is no order to drive backwards"):
        robot.forward(-0.1)
    with pytest.raises(paddock.PaddockError, match="expected finite numbers"):
        robot.go_to(math.nan, 0.0)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("orders://", "expected a serial device, such as 'orders:///dev/rfcomm0'"),
        ("orders://dev/x", "did you mean 'orders:///dev/x'"),
        ("orders:///dev/nowhere", "/dev/nowhere: cannot open it"),
        ("orders:///dev/x?speed=3", "no option called 'speed'"),
    ],
)
def test_invalid_address_is_refused(url: str, message: str) -> None:
    with pytest.raises(paddock.LinkError, match=message.replace("?", r"\?")):
        paddock.connect(url)
