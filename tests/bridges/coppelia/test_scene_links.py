"""`vrep://` and `coppelia://`: handles on a robot in V-REP or CoppeliaSim, here a world served with their APIs."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import paddock
from bridges.coppelia import coppelia_fixtures, vrep_fixtures
from paddock.bridges.coppelia import CoppeliaServer, VrepServer
from paddock.core.errors import DeviceRefused, LinkError, SimulationError
from paddock.simulation.worlds import RobotPlacement

BOTH = pytest.mark.parametrize("scheme", ["vrep", "coppelia"])
PIONEER = {"vrep": "robot=Pioneer_p3dx", "coppelia": "robot=/PioneerP3DX"}
SECOND_EPUCK = {"vrep": "robot=ePuck%230", "coppelia": "robot=/ePuck[1]"}
NATURE = {"vrep": "a robot in V-REP", "coppelia": "a robot in CoppeliaSim"}
ROUNDING = {"vrep": 1e-5, "coppelia": 1e-9}  # V-REP's API has single precision


@contextmanager
def served(scheme: str) -> Iterator[tuple[VrepServer | CoppeliaServer, str]]:
    """A served world, and its URL without options."""
    if scheme == "vrep":
        with vrep_fixtures.served() as vrep:
            yield vrep, f"vrep://127.0.0.1:{vrep.addresses[0][1]}"
    else:
        with coppelia_fixtures.served() as coppelia:
            yield coppelia, f"coppelia://127.0.0.1:{coppelia.port}"


@BOTH
def test_robot_in_scene_behaves_like_local_robot(scheme: str) -> None:
    with served(scheme) as (bridge, url):
        with paddock.connect(f"{url}?{PIONEER[scheme]}", timeout=60) as robot:
            robot.enable("sonar", "encoders", "position")
            own = paddock.open(vrep_fixtures.ROOM, seed=5)
            original = own["pioneer"]
            original.enable("sonar", "encoders", "position")
            for _ in range(20):
                for handle in (robot, original):
                    handle.wheels.set(0.2, 0.1)
                robot.step()
                own.step(5)
            seen, expected = robot.sense(), original.sense()
            assert (robot.dt, robot.tick) == (0.05, 20)
            assert seen.sonar == pytest.approx(np.minimum(expected.sonar, 1.0), abs=ROUNDING[scheme])
            assert seen.encoders == pytest.approx(expected.encoders, abs=1e-4)
            assert seen.position == pytest.approx(original.pose, abs=ROUNDING[scheme])
            assert robot.pose == pytest.approx(original.pose, abs=ROUNDING[scheme])
            episode = robot.run(0.5, lambda seen: (0.1, 0.1))
            assert len(episode.trace.pose) > 1
            with pytest.raises(SimulationError, match=NATURE[scheme]):
                robot.digest()
            with pytest.raises(DeviceRefused, match="does not report"):
                _ = robot.contacts
            robot.reset()
            assert (robot.tick, robot.encoders.read().left) == (0, 0.0)
        assert bridge.arena["pioneer"].body.command == (0.0, 0.0)


@pytest.mark.parametrize(
    ("kind", "name", "device"), [("line-tracer", "LineTracer", "position"), ("dr20", "dr20", "infrared")]
)
def test_vrep_finds_parts_whose_names_have_another_form(kind: str, name: str, device: str) -> None:
    """The joints of a line tracer do not begin with its name, and those of a DR20 end with an underscore."""
    room = replace(vrep_fixtures.ROOM, robots=(RobotPlacement(name="rover", type=kind, at=(1.0, 2.0)),))
    with vrep_fixtures.served(room) as bridge:
        with paddock.connect(f"vrep://127.0.0.1:{bridge.addresses[0][1]}?robot={name}", timeout=60) as robot:
            robot.enable(device)
            robot.run(0.5, lambda seen: (0.1, 0.1))
        assert bridge.arena["rover"].pose.x > 1.02


@BOTH
def test_epuck_in_scene_has_its_sensors_in_their_own_order(scheme: str) -> None:
    mode = {"vrep": "synchronous", "coppelia": "stepping"}[scheme]
    with (
        served(scheme) as (bridge, url),
        paddock.connect(f"{url}?{SECOND_EPUCK[scheme]}&{mode}=no", timeout=60) as robot,
    ):
        robot.enable("proximity", "ground", "camera")
        original = bridge.arena.robots.new_handle("blue")
        original.enable("proximity", "ground", "camera")
        assert robot.proximity.read() == pytest.approx(np.minimum(original.proximity.read(), 0.05), abs=1e-6)
        assert min(robot.proximity.read()) < 0.05
        assert robot.ground.read() == pytest.approx(original.ground.read(), abs=0.003)
        assert np.array_equal(robot.camera.read(), original.camera.read())
        robot.set_pose(0.5, 0.5, 1.0)
        assert original.pose == pytest.approx((0.5, 0.5, 1.0), abs=1e-6)
        before = robot.time
        robot.step(2)
        assert robot.time >= before + 0.1 - 1e-6


@pytest.mark.parametrize(
    ("scheme", "query", "message"),
    [
        ("vrep", "robbot=ePuck", "no option called 'robbot' .did you mean 'robot'"),
        ("coppelia", "robots=/ePuck", "no option called 'robots' .did you mean 'robot'"),
        ("vrep", "synchronous=maybe", "synchronous: expected yes or no, got 'maybe'"),
        ("coppelia", "stepping=perhaps", "stepping: expected yes or no, got 'perhaps'"),
        ("vrep", "robot=Quadricopter", "expected one of .*for another name, set type="),
        ("coppelia", "robot=/Unicorn", "expected one of /.*for another name, set type="),
        ("vrep", "robot=ePuck%239", "no object called 'ePuck#9'"),
        ("coppelia", "robot=/ePuck[9]", "no object called '/ePuck.9.'"),
    ],
)
def test_errors_in_url_are_explained(scheme: str, query: str, message: str) -> None:
    with served(scheme) as (_, url), pytest.raises(LinkError, match=message):
        paddock.connect(f"{url}?{query}", timeout=60)


@BOTH
def test_invalid_port_is_refused(scheme: str) -> None:
    with pytest.raises(LinkError, match=f"expected a port from 1 to 65535, got 99999: '{scheme}://host:"):
        paddock.connect(f"{scheme}://127.0.0.1:99999")


def test_server_that_is_not_coppeliasim_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(paddock.PaddockError, match="expected ZeroMQ's greeting"):
            paddock.connect(f"coppelia://127.0.0.1:{port}", timeout=60)
        thread.join()
    with pytest.raises(LinkError, match="cannot connect"):
        paddock.connect(f"coppelia://127.0.0.1:{port}", timeout=60)
