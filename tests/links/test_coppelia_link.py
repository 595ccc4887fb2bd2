"""`coppelia://`: Paddock's handles on a robot in CoppeliaSim; here, in a world that speaks its API."""

from __future__ import annotations

import socket
import threading

import numpy as np
import pytest

import paddock
from bridges.coppelia_room import ROOM, served
from paddock.core.errors import DeviceRefused, LinkError, SimulationError


def test_a_robot_in_coppeliasim_is_a_robot_like_any_other() -> None:
    with served() as bridge:
        url = f"coppelia://127.0.0.1:{bridge.port}?robot=/PioneerP3DX"
        with paddock.connect(url, timeout=20) as robot:
            robot.enable("sonar", "encoders", "position")
            own = paddock.open(ROOM, seed=5)
            original = own["pioneer"]
            original.enable("sonar", "encoders", "position")
            for _ in range(20):
                for handle in (robot, original):
                    handle.wheels.set(0.2, 0.1)
                robot.step()
                own.step(5)
            seen, expected = robot.sense(), original.sense()
            assert (robot.dt, robot.tick) == (0.05, 20)
            assert seen.sonar == pytest.approx(np.minimum(expected.sonar, 1.0), abs=1e-9)
            assert seen.encoders == pytest.approx(expected.encoders, abs=1e-4)
            assert robot.pose == pytest.approx(original.pose, abs=1e-9)
            episode = robot.run(0.5, lambda seen: (0.1, 0.1))
            assert len(episode.trace.pose) > 1
            with pytest.raises(SimulationError, match="a robot in CoppeliaSim"):
                robot.digest()
            with pytest.raises(DeviceRefused, match="does not tell"):
                _ = robot.contacts
            robot.reset()
            assert (robot.tick, robot.encoders.read().left) == (0, 0.0)
        assert bridge.arena["pioneer"].body.command == (0.0, 0.0)


def test_an_epuck_in_coppeliasim_has_its_sensors_in_their_own_order() -> None:
    with (
        served() as bridge,
        paddock.connect(f"coppelia://127.0.0.1:{bridge.port}?robot=/ePuck[1]&stepping=no", timeout=20) as robot,
    ):
        robot.enable("proximity", "ground", "camera")
        original = bridge.arena.robots.new_handle("blue")
        original.enable("proximity", "ground", "camera")
        assert robot.proximity.read() == pytest.approx(np.minimum(original.proximity.read(), 0.05), abs=1e-6)
        assert min(robot.proximity.read()) < 0.05
        assert robot.ground.read() == pytest.approx(original.ground.read(), abs=0.003)
        assert np.array_equal(robot.camera.read(), original.camera.read())
        robot.set_pose(0.5, 0.5, 1.0)
        assert original.pose == pytest.approx((0.5, 0.5, 1.0), abs=1e-9)
        before = robot.time
        robot.step(2)
        assert robot.time >= before + 0.1 - 1e-6


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?robots=/ePuck", "unknown option 'robots' .did you mean 'robot'"),
        ("?stepping=perhaps", "expected coppelia://host:23000"),
        ("?robot=/Unicorn", "expected one of /.*say what it is with type="),
        ("?robot=/ePuck[9]", "no object called '/ePuck.9.'"),
    ],
)
def test_mistakes_in_the_url_are_explained(query: str, message: str) -> None:
    with served() as bridge, pytest.raises(paddock.PaddockError, match=message):
        paddock.connect(f"coppelia://127.0.0.1:{bridge.port}{query}", timeout=20)


def test_whoever_is_not_coppeliasim_is_noticed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(paddock.PaddockError, match="expected ZeroMQ's greeting"):
            paddock.connect(f"coppelia://127.0.0.1:{port}", timeout=20)
        thread.join()
    with pytest.raises(LinkError, match="cannot connect"):
        paddock.connect(f"coppelia://127.0.0.1:{port}", timeout=20)
