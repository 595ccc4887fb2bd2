"""`vrep://`: Paddock's handles on a robot in V-REP; here, in a world that speaks its API."""

from __future__ import annotations

import numpy as np
import pytest

import paddock
from bridges.vrep_room import ROOM, served
from paddock.core.errors import DeviceRefused, LinkError, SimulationError


def test_a_robot_in_vrep_is_a_robot_like_any_other() -> None:
    with served() as bridge:
        url = f"vrep://127.0.0.1:{bridge.addresses[0][1]}?robot=Pioneer_p3dx"
        with paddock.connect(url, timeout=60) as robot:
            robot.enable("sonar", "encoders", "position")
            assert robot.dt == 0.05
            own = paddock.open(ROOM, seed=5)
            original = own["pioneer"]
            original.enable("sonar", "encoders", "position")
            for _ in range(20):
                for handle in (robot, original):
                    handle.wheels.set(0.2, 0.1)
                robot.step()
                own.step(5)
            seen, expected = robot.sense(), original.sense()
            assert robot.tick == 20
            assert seen.sonar == pytest.approx(np.minimum(expected.sonar, 1.0), abs=1e-6)
            assert seen.encoders == pytest.approx(expected.encoders, abs=1e-4)
            assert robot.pose == pytest.approx(original.pose, abs=1e-5)
            episode = robot.run(0.5, lambda seen: (0.1, 0.1))
            assert len(episode.trace.pose) > 1
            with pytest.raises(SimulationError, match="a robot in V-REP"):
                robot.digest()
            with pytest.raises(DeviceRefused, match="does not tell"):
                _ = robot.contacts
            robot.reset()
            assert (robot.tick, robot.encoders.read().left) == (0, 0.0)
        assert bridge.arena["pioneer"].body.command == (0.0, 0.0)


def test_an_epuck_in_vrep_has_its_sensors_in_their_own_order() -> None:
    with served() as bridge:
        port = bridge.addresses[0][1]
        with paddock.connect(f"vrep://127.0.0.1:{port}?robot=ePuck%230", timeout=60) as robot:
            robot.enable("proximity", "ground", "camera")
            original = bridge.arena.robots.new_handle("blue")
            original.enable("proximity", "ground", "camera")
            assert robot.proximity.read() == pytest.approx(np.minimum(original.proximity.read(), 0.05), abs=1e-6)
            assert min(robot.proximity.read()) < 0.05
            assert robot.ground.read() == pytest.approx(original.ground.read(), abs=0.003)
            assert np.array_equal(robot.camera.read(), original.camera.read())
            robot.set_pose(0.5, 0.5, 1.0)
            assert original.pose == pytest.approx((0.5, 0.5, 1.0), abs=1e-6)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("robot=ePuck%239", "no object called 'ePuck#9'"),
        ("robot=Quadricopter", "expected one of"),
        ("robbot=ePuck", "did you mean 'robot'"),
        ("synchronous=maybe", "synchronous=yes or no"),
    ],
)
def test_what_is_not_there_is_named(query: str, message: str) -> None:
    with served() as bridge, pytest.raises(LinkError, match=message):
        paddock.connect(f"vrep://127.0.0.1:{bridge.addresses[0][1]}?{query}", timeout=60)
