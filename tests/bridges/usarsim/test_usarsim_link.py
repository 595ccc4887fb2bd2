"""Robots in a USARSim server, with the handles, controllers and traces of local robots."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import paddock
from bridges.usarsim.usarsim_fixtures import running
from paddock.arena.metrics import Distance
from paddock.bridges.usarsim import UsarSimServer
from paddock.bridges.usarsim.link import UsarSimRobot
from paddock.testing import wait_for


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a long timeout, so that a server on a busy machine has time to answer."""
    monkeypatch.setattr("paddock.bridges.usarsim.link.connection.SHORT", 60.0)


@pytest.fixture
def server() -> Iterator[UsarSimServer]:
    arena = paddock.open("yellow-rooms", seed=3)
    with UsarSimServer(arena, 0, image_port=0) as server, running(arena):
        yield server


def url(server: UsarSimServer, *options: str) -> str:
    host, port = server.address
    return f"usarsim://{host}:{port}?" + "&".join(["class=P2DX", *options])


def reach(address: str, timeout: float = 60.0) -> UsarSimRobot:
    robot = paddock.connect(address, timeout=timeout)
    assert isinstance(robot, UsarSimRobot)
    return robot


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("paddock-usarsim")]


def test_robot_is_driven_and_sensed_like_local_robot(server: UsarSimServer) -> None:
    with reach(url(server, "name=R1", "at=1.5,2.0", "heading=0.5")) as robot:
        robot.enable()
        simulated = server.arena["pioneer"]
        assert (robot.name, robot.pose_source, list(robot.robots)) == ("R1", "truth", ["R1"])
        assert robot.pose == pytest.approx((1.5, 2.0, 0.5), abs=1e-3)
        assert robot.spec.drive.wheel_separation == pytest.approx(0.317)
        assert robot.sonar.spec.mounts[0] == pytest.approx((0.069, 0.136, 0.211, 90), abs=0.01)
        simulated.enable("sonar", "laser")
        assert robot.sonar.read() == pytest.approx(simulated.sonar.read(), abs=0.03)
        assert np.median(abs(robot.laser.read() - simulated.laser.read())) < 0.03
        robot.wheels.set(0.1, 0.3)
        robot.step(20)
        robot.stop()
        wait_for(lambda: simulated.body.wheel_speeds == (0, 0))
        robot.step(10)  # pose, odometry and INS come in messages of their own: they agree where the robot stands
        assert robot.pose.heading > 0.7
        assert robot.odometry is not None
        assert robot.odometry.heading == pytest.approx(robot.pose.heading - 0.5, abs=0.1)
        travel = robot.encoders.read()
        assert travel.right > 2 * travel.left > 0.2
        assert tuple(robot.ins.read()) == pytest.approx(tuple(robot.pose), abs=0.15)
    wait_for(lambda: simulated.body.command == (0, 0))
    assert threads() == []


def test_normalized_and_radian_commands_give_same_speed(server: UsarSimServer) -> None:
    for drive in ("normalized", "radians"):
        with reach(url(server, "at=1.5,2.0", f"drive={drive}")) as robot:
            robot.wheels.set(0.24, 0.24)
            wait_for(lambda: server.arena["pioneer"].body.command[0] == pytest.approx(0.24, abs=1e-3))


def test_run_gives_episode_with_trace_and_metrics(server: UsarSimServer) -> None:
    with reach(url(server, "at=1.5,2.0")) as robot:
        robot.enable("sonar", "encoders")
        episode = robot.run(
            600.0,  # how soon it drives, and how far between two looks, depends on this machine
            lambda seen: (0.2, 0.2) if seen.sonar.min() > 0.3 else (0, 0),
            until=lambda _: robot.pose.x > 1.65,
            metrics=[Distance()],
        )
        trace = episode.trace
        driven = trace.pose[-1][0] - trace.pose[0][0]
        assert driven > 0.1
        assert trace.reading("sonar").shape[1] == 8
        assert episode.metrics["distance"] == pytest.approx(driven, abs=0.05)
        with pytest.raises(paddock.SimulationError, match="cannot run at speed 5"):
            robot.run(1.0, lambda seen: None, speed=5)
        with pytest.raises(paddock.SimulationError, match=r"snapshot: R1 is a robot of a USARSim server"):
            robot.snapshot()


def test_observers_are_called_and_their_thread_ends(server: UsarSimServer) -> None:
    robot = reach(url(server, "at=1.5,2.0"))
    robot.enable("sonar")
    told: list[float] = []
    robot.watch(0.01)
    robot.on_sense(lambda seen: told.append(seen.time))
    wait_for(lambda: len(told) > 3)
    robot.close()
    wait_for(lambda: not any(thread.name.startswith("paddock-watch") for thread in threading.enumerate()))
    assert threads() == []


def test_pictures_come_from_image_server(server: UsarSimServer) -> None:
    assert server.image_address is not None
    with reach(url(server, "at=1.5,2.0", f"camera={server.image_address[1]}")) as robot:
        robot.enable("camera")
        assert robot.camera.read().shape == (120, 160, 3)
        assert robot.sense().camera.std() > 1
        robot.camera.pan(0.3)
        wait_for(lambda: server.arena["pioneer"].devices["camera"].pan_angle > 0.05)


def test_reset_respawns_robot(server: UsarSimServer) -> None:
    with reach(url(server, "at=1.5,2.0")) as robot:
        robot.enable("encoders")
        robot.wheels.set(0.05, 0.05)
        robot.step(200)
        before = robot.time
        robot.reset()
        assert robot.time < before / 2
        assert robot.pose.x == pytest.approx(1.5, abs=0.01)
        assert robot.encoders.read() == pytest.approx([0, 0], abs=0.01)
        assert len(server.arena.robots) == 1
        assert len(threads()) == 1


def test_reset_of_world_restarts_run(server: UsarSimServer) -> None:
    with reach(url(server, "at=1.5,2.0")) as robot:
        resets: list[float] = []

        def drive(seen: paddock.Observation) -> tuple[float, float]:
            if seen.time > 0.5 and not resets:
                resets.append(seen.time)
                server.arena.reset()
            return 0.1, 0.1

        robot.enable("sonar")
        episode = robot.run(1.0, drive)
        assert len(resets) == 1
        assert "reset" in [event.kind for event in episode.events]


# ---- servers that are not as they should be


def lone_server(*lines: str, on_drive: str = "") -> tuple[socket.socket, str]:
    """A port and its URL; the client receives these lines, the last one repeatedly, and one more when it drives."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        try:
            accepted, _ = listener.accept()
            with accepted:
                accepted.settimeout(0.02)
                accepted.sendall("".join(f"{line}\r\n" for line in lines).encode())
                while True:
                    try:
                        data = accepted.recv(4096)
                        if not data:
                            return
                        if b"DRIVE" in data:
                            accepted.sendall(f"{on_drive}\r\n".encode())
                    except TimeoutError:
                        accepted.sendall(f"{lines[-1]}\r\n".encode())
        except OSError:
            pass

    threading.Thread(target=serve, daemon=True).start()
    return listener, f"usarsim://127.0.0.1:{listener.getsockname()[1]}"


def test_silent_server_and_missing_server_give_different_errors() -> None:
    listener, address = lone_server("NFO {Gametype x} {Level y} {TimeLimit 0}")
    with pytest.raises(paddock.Timeout, match=r"no report about R1 for 1 s; is the simulation paused.*class P2DX"):
        paddock.connect(address, timeout=1)
    listener.close()
    with pytest.raises(paddock.LinkError, match=r"cannot connect: .*paddock serve yellow-rooms --bridge usarsim="):
        paddock.connect(address, timeout=1)
    assert threads() == []


def test_messages_of_later_server_generation_are_parsed() -> None:
    ranges = ",".join(f"{1 + 0.01 * k:.2f}" for k in range(133))
    said = [
        "NFO {Gametype USARDeathMatch} {Level USAR-x} {TimeLimit 0}",
        *(f"SEN {{Time 7.1}} {{Type Sonar}} {{Name F{k}}} {{Range {k}.5}}" for k in range(1, 9)),
        "SEN {Time 7.1} {Type RangeScanner} {Name S} {Resolution 0.0174} {FOV 3.1415}" + f" {{Range {ranges}}}",
        "SEN {Time 7.1} {Type Encoder} {Name W1} {Tick 100} {Name W2} {Tick 50}",
        "SEN {Type Odometry} {Name Odometry} {Pose 1.0,2.0,0.5}",
        "SEN {Time broken} {Type Sonar} {Name F1} {Range nan}",
        "STA {Time 9.0} {Battery 90} {FrontSteer 0} {RearSteer 0}",
    ]
    listener, address = lone_server(*said)
    with reach(f"{address}?scan=clockwise", timeout=1) as robot:
        robot.enable()
        assert robot.sonar.read().tolist() == [k + 0.5 for k in range(1, 9)]
        assert (robot.laser.spec.channels, robot.laser.read()[0]) == (133, 2.32)
        assert robot.laser.spec.angles[1] - robot.laser.spec.angles[0] == pytest.approx(3.1415 / 132, rel=1e-3)
        assert robot.pose == pytest.approx((1.0, -2.0, -0.5))
        assert robot.pose_source == "odometry"
        assert "position" not in robot.devices
        assert robot.encoders.raw().tolist() == [100, 50]
        with pytest.raises(paddock.Timeout, match=r"no report of a later time for 1 s"):
            robot.step()
    listener.close()


def test_late_sonar_reports_keep_order_of_first_sonars() -> None:
    front, rear = (
        " ".join(f"{{Name {side}{k} Range {metres}{k}.5}}" for k in range(1, 9)) for side, metres in ("F0", "A1")
    )
    listener, address = lone_server(
        f"SEN {{Time 7.1}} {{Type Sonar}} {front}", "STA {Time 9.0}", on_drive=f"SEN {{Type Sonar}} {rear}"
    )
    with reach(address, timeout=1) as robot:
        robot.enable()
        robot.wheels.set(0.1, 0.1)
        wait_for(lambda: "A8" in robot.body.server.reports.sonar)
        assert robot.sonar.spec.channels == 8
        assert robot.sense().sonar.tolist() == [k + 0.5 for k in range(1, 9)]
    listener.close()


def test_lost_server_is_reported_and_leaves_no_thread() -> None:
    arena = paddock.open("yellow-rooms", seed=3)
    server = UsarSimServer(arena, 0)
    with running(arena):
        robot = reach(url(server, "at=1.5,2.0"))
        robot.enable("sonar")
        server.close()
        lost = r"127\.0\.0\.1:\d+: the connection was lost: the server closed it"
        wait_for(lambda: threads() == [])
        for call in (robot.sense, robot.step, robot.stop, lambda: robot.pose):
            with pytest.raises(paddock.LinkError, match=lost):
                call()
        with pytest.raises(paddock.LinkError, match="cannot connect"):
            robot.reset()
    robot.close()
    assert threads() == []


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("usarsim://", "expected a host"),
        ("usarsim://x:99999", "expected a port from 1 to 65535, got 99999"),
        ("usarsim://x?clas=P2DX", r"no option called 'clas' \(did you mean 'class'\?\)"),
        ("usarsim://x?class=Tank", "others need type=FILE.toml"),
        ("usarsim://x?at=1", "at: expected x,y or x,y,z"),
        ("usarsim://x?at=1,b", "at: expected x,y or x,y,z"),
        ("usarsim://x?at=1,2&start=door", "expected either at or start"),
        ("usarsim://x?heading=1", "heading: it needs at=x,y"),
        ("usarsim://x?dt=0", "dt: expected a number"),
        ("usarsim://x?drive=fast", "drive: expected radians or normalized"),
        ("usarsim://x?scan=up", "scan: expected counterclockwise or clockwise"),
        ("usarsim://x?camera=0", "camera: expected a whole number"),
    ],
)
def test_invalid_url_is_refused_with_expected_form(address: str, said: str) -> None:
    with pytest.raises(paddock.LinkError, match=said):
        paddock.connect(address)


def test_headings_are_mirrored_in_both_directions(server: UsarSimServer) -> None:
    with reach(url(server, "at=2.0,3.0", f"heading={math.pi / 2}")) as robot:
        robot.wheels.set(0.2, 0.2)
        robot.step(10)
        assert robot.pose.y > 3.05
        robot.stop()
        wait_for(lambda: server.arena["pioneer"].body.wheel_speeds == (0, 0))
        robot.step(10)
        assert robot.pose.y == pytest.approx(server.arena["pioneer"].pose.y, abs=0.05)
