"""`player://`: handles on a robot in a Player server; here, in a world that speaks its protocol."""

from __future__ import annotations

import socket
import threading

import numpy as np
import pytest

import paddock
from bridges.player_room import ROOM, served
from paddock.core.errors import DeviceRefused, LinkError, Refused, SimulationError, Timeout


def test_a_robot_of_a_server_is_a_robot_like_any_other() -> None:
    own = paddock.open(ROOM, seed=3)
    original = own["r0"]
    original.enable("sonar", "laser", "bumper")
    with served(ports=3) as bridge:
        url = f"player://127.0.0.1:{bridge.addresses[0][1]}?type=pioneer-p3dx"
        with paddock.connect(url, timeout=60) as robot:
            assert list(robot.devices) == ["sonar", "laser", "bumper"]
            assert robot.laser.spec.beams == original.laser.spec.beams
            assert robot.sonar.spec.mounts == pytest.approx(np.array(original.sonar.spec.mounts))
            robot.enable()
            own.step(bridge.arena.tick)
            for _ in range(10):
                for handle in (robot, original):
                    handle.wheels.set(0.2, 0.1)
                robot.step()
                own.step(bridge.interval)
            seen, expected = robot.sense(), original.sense()
            assert (robot.dt, robot.tick) == (0.1, 10)
            assert seen.sonar == pytest.approx(expected.sonar)
            assert seen.laser == pytest.approx(np.minimum(expected.laser, original.laser.spec.range))
            assert seen.bumper.tolist() == expected.bumper.tolist()
            start = own.world.robots[0].at
            assert start is not None
            assert robot.pose[:2] == pytest.approx(np.subtract(original.pose[:2], start))
            assert len(robot.run(0.5, lambda seen: (0.1, 0.1)).trace.pose) > 1
            with pytest.raises(SimulationError, match="a robot of a Player server"):
                robot.digest()
            with pytest.raises(DeviceRefused, match="cannot be moved"):
                robot.set_pose(1.0, 1.0)
            robot.reset()
            assert robot.tick == 0
            assert robot.pose == pytest.approx((0, 0, 0), abs=0.01)  # it rolls to a stop
        assert bridge.arena["r0"].body.command == (0.0, 0.0)


def test_what_a_port_with_many_robots_has_is_chosen() -> None:
    with served() as bridge:
        url = f"player://127.0.0.1:{bridge.addresses[0][1]}"
        with paddock.connect(url, timeout=60) as robot:
            assert not robot.devices
            assert robot.spec.body.height == pytest.approx(bridge.arena["r0"].spec.body.height)
        with paddock.connect(f"{url}?index=1&sensors=ranger:2,bumper:1&dt=0.2", name="scout", timeout=60) as robot:
            assert (robot.name, list(robot.devices), robot.dt) == ("scout", ["sonar", "bumper"], 0.2)
            robot.drive(0.0, 0.4)
            robot.step(5)
            assert robot.pose.heading == pytest.approx(0.4, abs=0.05)
        with pytest.raises(Refused, match="refused request 3"):
            paddock.connect(f"{url}?index=7", timeout=60)


def test_sonars_and_lasers_of_older_servers_are_read() -> None:
    with (
        served() as bridge,
        paddock.connect(f"player://127.0.0.1:{bridge.addresses[0][1]}?sensors=laser:0,sonar:0", timeout=60) as robot,
    ):
        robot.enable()
        bridge.arena["r0"].enable("laser", "sonar")
        expected = bridge.arena["r0"].sense()
        assert robot.sonar.read() == pytest.approx(expected.sonar, rel=1e-6)
        assert robot.laser.read() == pytest.approx(np.minimum(expected.laser, robot.laser.spec.range), rel=1e-6)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("player://127.0.0.1:1?robot=r0", "unknown option 'robot'"),
        ("player://127.0.0.1:1?index=x", "expected player://host:6665"),
        ("player://127.0.0.1:1?sensors=rangr:0", "no interface called 'rangr' .did you mean 'ranger'"),
        ("player://127.0.0.1:1?dt=0", "expected player://host:6665"),
        ("player://127.0.0.1:99999", "expected player://host:6665"),
        ("player://127.0.0.1:1", "player 127.0.0.1:1: cannot connect"),
    ],
)
def test_mistakes_in_the_url_are_explained(url: str, message: str) -> None:
    with pytest.raises(LinkError, match=message):
        paddock.connect(url)


def test_whoever_is_not_player_is_noticed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9".ljust(40))

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(LinkError, match="expected Player's banner"):
            paddock.connect(f"player://127.0.0.1:{listener.getsockname()[1]}", timeout=60)
        thread.join()


def test_a_server_whose_time_stands_is_told() -> None:
    with served(stepped=False) as bridge:  # nobody lets time pass
        url = f"player://127.0.0.1:{bridge.addresses[0][1]}"
        with pytest.raises(Timeout, match="no answer within"):
            paddock.connect(url, timeout=0.2)
