"""Robots that accept orders on pseudo-terminals, and hosts that control them."""

from __future__ import annotations

import os
import select

import pytest

import paddock
from experiments.ecoli.waypoint_robots.order_fixtures import open_room, place, plan_square, running
from paddock.bridges import OpenBridges
from paddock.core.geometry import Point, Pose
from paddock.experiments.ecoli.waypoint_robots import (
    DistalAvoidance,
    Host,
    HostTiming,
    OrderEvent,
    OrderRobots,
    RobotPlan,
    SteeredAvoidance,
)
from paddock.experiments.ecoli.waypoint_robots.driving import Reaction, Sight
from paddock.experiments.ecoli.waypoint_robots.frames import write_checked
from paddock.testing import PaddockProcess, wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pty = pytest.importorskip("pty", reason="no pseudo terminals here")

pytestmark = pytest.mark.heavy
QUICK = HostTiming(greeting=0.2, round_trip=0.1, reopening=0.3, silence=4.0)
GREETING = b"\2UNKNOWN ORDER, length string is: 16\3"


def read_frame(file: int) -> bytes:
    """Return the next bytes up to an ETX."""
    seen = b""
    while not seen.endswith(b"\3"):
        ready, _, _ = select.select([file], [], [], 30)
        assert ready, f"nothing came but {seen!r}"
        seen += os.read(file, 4096)
    return seen


def test_host_controls_ten_robots_from_one_thread() -> None:
    arena = open_room(10)
    names = {f"r{i}": i % 2 == 0 for i in range(10)}
    with OrderRobots(arena, names) as robots, running(arena):
        sessions = Host([(plan_square(i), robots.devices[f"r{i}"]) for i in range(10)]).run()
    for i, session in enumerate(sessions.values()):
        assert session.result.mode == ("checked" if i % 2 == 0 else "legacy")
        assert (session.result.done, session.result.lost) == (4, "")
        x, y = place(i)
        assert arena[f"r{i}"].pose[:2] == pytest.approx((x + 0.04, y - 0.04), abs=4e-3)


def test_robot_greets_every_host_that_connects() -> None:
    arena = open_room(1)
    with OrderRobots(arena, {"r0": False}) as robots, running(arena):
        for _ in range(3):
            file = os.open(robots.devices["r0"], os.O_RDWR | os.O_NOCTTY)
            assert read_frame(file) == GREETING
            os.write(file, b"\2P1.00;2.00\3")
            assert read_frame(file) == b"\2SEND_POSITION(1.000000,2.000000)\3"
            os.close(file)
            wait_for(lambda: not robots.connected)
    assert not os.path.exists(robots.devices["r0"])  # noqa: PTH110


def test_unresponsive_robots_are_reported_and_the_others_continue() -> None:
    arena = open_room(2)
    ours, theirs = pty.openpty()
    events: list[OrderEvent] = []
    try:
        with OrderRobots(arena, {"r0": True}) as robots, running(arena):
            devices = [robots.devices["r0"], os.ttyname(theirs), "/dev/nowhere"]
            plans = [plan_square(0), plan_square(1), RobotPlan(name="far", start=Pose(0, 0, 0), threshold=1)]
            sessions = Host(zip(plans, devices, strict=True), timing=QUICK, on_event=events.append).run()
    finally:
        os.close(ours)
        os.close(theirs)
    assert sessions["r0"].result.done == 4
    assert "silent" in sessions["r1"].result.lost
    assert "/dev/nowhere: cannot open it: No such file" in sessions["far"].result.lost
    assert {event.robot for event in events if event.kind == "lost"} == {"r1", "far"}


def test_silent_line_is_reopened_and_the_walk_continues() -> None:
    arena = open_room(1)
    with OrderRobots(arena, {"r0": True}) as robots, running(arena) as clock:

        def react(event: OrderEvent) -> None:
            if event.kind == "done" and event.order == 0:
                clock.pause()  # the robot stands still and says nothing, as if its line were cut
            if event.kind == "reopened":
                clock.resume()

        sessions = Host([(plan_square(0), robots.devices["r0"])], timing=QUICK, on_event=react).run()
    assert (sessions["r0"].result.done, sessions["r0"].result.lost) == (4, "")
    assert sessions["r0"].statistics.reopenings >= 1


def test_removed_robot_falls_silent_and_reset_restarts_the_firmware() -> None:
    arena = open_room(2)
    with OrderRobots(arena, {"r0": True, "r1": True}) as robots, running(arena):
        file = os.open(robots.devices["r1"], os.O_RDWR | os.O_NOCTTY)
        assert read_frame(file) == GREETING
        os.write(file, b"\2P5.00;6.00\3")
        assert read_frame(file) == b"\2SEND_POSITION(5.000000,6.000000)\3"
        arena.remove("r0")
        wait_for(lambda: "r0" not in robots.firmware)
        before = arena.tick
        arena.reset()
        wait_for(lambda: robots.firmware["r1"].pose == (0.0, 0.0, 0.0) and arena.tick != before)
        os.write(file, b"\2D\3")
        assert read_frame(file) == b"\2X:0.000000,Y:0.000000,ANGLE:0.000000\3"
        os.close(file)


class BrokenAvoidance:
    """A strategy that raises an exception."""

    detections = 0

    def start(self, pose: Pose, target: Point) -> None:
        pass

    def react(self, sight: Sight) -> Reaction:
        if sight.pose.x > 0.02:
            raise ZeroDivisionError("a mistake")
        return None


def test_robot_whose_firmware_fails_stops_and_time_continues(caplog: pytest.LogCaptureFixture) -> None:
    arena = open_room(2)
    with OrderRobots(arena, {"r0": True, "r1": True}, avoidance=BrokenAvoidance) as robots:
        robots.firmware["r0"].receive(write_checked(0, "K1"))
        arena.step(1)
        robots.firmware["r0"].receive(write_checked(1, "O10;0"))
        arena.step(100)
        assert list(robots.firmware) == ["r1"]
        stands = arena["r0"].pose
        arena.step(50)
        assert arena["r0"].pose == stands
        assert stands.x > place(0)[0]
    assert "r0: its program failed" in caplog.text


def test_respawned_robot_of_the_same_name_gets_no_firmware() -> None:
    arena = open_room(2)
    with OrderRobots(arena, {"r0": True, "r1": True}) as robots:
        arena.remove("r0")
        arena.spawn("r0", "e-puck", at=place(0))
        arena.step(2)
        assert list(robots.firmware) == ["r1"]


def test_served_robots_accept_orders_and_are_lost_when_the_server_dies() -> None:
    with PaddockProcess("serve", "petri-dish", "--port", "0", "--speed", "0", "--bridge", "orders=all") as server:
        names = ("e-puck_2478", "e-puck_2479", "e-puck_2481")
        devices = [server.line(rf"^{name}: takes orders at .*?orders://([^)]+)") for name in names]
        with paddock.open("petri-dish") as arena:
            starts = [arena[name].pose for name in names]
        plans = [
            RobotPlan(name=name, start=start, threshold=700, targets=[(start.x, start.y + up)])
            for name, start, up in zip(names, starts, (0.2, -0.2, 0.3), strict=True)
        ]
        sessions = Host(zip(plans, devices, strict=True)).run()
        assert [session.result.done for session in sessions.values()] == [1, 1, 1]

        def kill(event: OrderEvent) -> None:
            if event.kind == "connected":
                server.process.kill()
                server.process.wait()

        sessions = Host(zip(plans, devices, strict=True), timing=QUICK, on_event=kill).run()
        assert all(session.result.lost for session in sessions.values())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["r00"], r"no robot called 'r00' \(did you mean 'r0'"),
        (["r0", "r0=legacy"], "orders r0=legacy: robot 'r0' is listed twice"),
        (["all", "r1"], "orders r1: robot 'r1' is listed twice"),
        (["r0=fast"], r"no mode or avoidance \(orders r0=fast\) called 'fast' \(there are: checked, distal, legacy"),
        (["r0=planing"], "did you mean 'planning'"),
        (["r0=nowhere:Mine"], "nowhere"),
    ],
)
def test_invalid_request_is_refused(asked: list[str], message: str) -> None:
    with pytest.raises(paddock.PaddockError, match=message):
        OpenBridges(open_room(2), [("orders", text) for text in asked])


def test_host_refuses_a_duplicate_robot() -> None:
    with pytest.raises(paddock.PaddockError, match="robot 'r0' is given twice"):
        Host([(plan_square(0), "/dev/a"), (plan_square(0), "/dev/b")])


def test_served_robot_uses_the_requested_avoidance_strategy() -> None:
    arena = open_room(3)
    with OpenBridges(arena, [("orders", "r0=planning"), ("orders", "r1=distal"), ("orders", "r2")]) as opened:
        (robots,) = opened.bridges
        assert isinstance(robots, OrderRobots)
        steered = {name: firmware.driver.checked_avoidance for name, firmware in robots.firmware.items()}
    assert [type(strategy) for strategy in steered.values()] == [SteeredAvoidance, DistalAvoidance, DistalAvoidance]
