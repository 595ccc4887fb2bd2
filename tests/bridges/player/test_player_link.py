"""`player://`: handles on a robot in a Player server, here a world served with the Player protocol."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import paddock
from bridges.player.player_fixtures import ROOM, served
from paddock.bridges.player.position import PositionDevice
from paddock.bridges.player.sensors import RangerDevice
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.errors import DeviceRefused, LinkError, SimulationError, Timeout
from paddock.core.geometry import compute_bounds
from paddock.simulation.worlds.world_spec import WorldSpec
from paddock.testing import wait_for


def test_robot_of_player_server_behaves_like_local_robot() -> None:
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


def test_unknown_device_is_refused_with_list_of_devices() -> None:
    with served() as bridge:
        url = f"player://127.0.0.1:{bridge.addresses[0][1]}"
        there = r"position2d:0, position2d:1, position2d:2"
        with pytest.raises(LinkError, match=f"index: there is no position2d:3; there are {there}"):
            paddock.connect(f"{url}?index=3", timeout=60)
        with pytest.raises(LinkError, match=r"sensors: there is no bumper:7; there are bumper:0"):
            paddock.connect(f"{url}?sensors=bumper:7", timeout=60)


def test_wheel_separation_matches_imported_robots() -> None:
    with served() as bridge, paddock.connect(f"player://127.0.0.1:{bridge.addresses[0][1]}", timeout=60) as robot:
        _, y0, _, y1 = compute_bounds(robot.spec.body.shape)
        assert robot.spec.drive.wheel_separation == pytest.approx(0.8 * (y1 - y0))


def test_robot_is_stopped_before_disconnect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PositionDevice, "forget", lambda self, client: None)  # a server that lets robots roll on
    with served() as bridge:
        with paddock.connect(f"player://127.0.0.1:{bridge.addresses[0][1]}", timeout=60) as robot:
            robot.wheels.set(0.2, 0.2)
            robot.step()
            assert bridge.arena["r0"].body.command == pytest.approx((0.2, 0.2))
        wait_for(lambda: not bridge.connections)
        assert bridge.arena["r0"].body.command == (0.0, 0.0)


def test_rangers_are_read_as_stage_sends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stage sends intensities after ranges, divides the angle by the number of beams, and sends poses in two parts."""
    publish = RangerDevice.publish

    def publish_both(self: RangerDevice) -> Iterator[tuple[int, bytes]]:
        yield from publish(self)
        yield 3, layout.RANGER_RANGES.pack([1.0] * len(self.read()))

    def pack_settings(self: RangerDevice, data: bytes) -> bytes:
        low, high, _ = self.angles
        return layout.RANGER_SETTINGS.pack(low, high, (high - low) / self.spec.channels, 0.0, self.range, 1.0, 10.0)

    def pack_geometry(self: RangerDevice, data: bytes) -> bytes:
        size = (0.0, 0.0, 0.0)
        poses = self.poses if len(self.poses) > 1 else [(0.1, 0.0, 0.0, 0.0, 0.0, 0.5)]
        return layout.RANGER_GEOMETRY.pack((0.2, 0.0, 0.3, 0.0, 0.0, math.pi / 2), size, poses, [size] * len(poses))

    monkeypatch.setattr(RangerDevice, "publish", publish_both)
    monkeypatch.setattr(RangerDevice, "_pack_settings", pack_settings)
    monkeypatch.setattr(RangerDevice, "_pack_geometry", pack_geometry)
    with (
        served(ports=3) as bridge,
        paddock.connect(f"player://127.0.0.1:{bridge.addresses[0][1]}", timeout=60) as robot,
    ):
        robot.enable()
        original = bridge.arena["r0"]
        original.enable("sonar", "laser")
        assert robot.sonar.read() == pytest.approx(original.sonar.read())
        assert robot.laser.read() == pytest.approx(np.minimum(original.laser.read(), robot.laser.spec.range))
        assert robot.laser.spec.mounts[0] == pytest.approx((0.2, 0.1, 0.3, 90 + math.degrees(0.5)))
        x, y, z, heading = original.sonar.spec.mounts[3]
        assert robot.sonar.spec.mounts[3] == pytest.approx((0.2 - y, x, z + 0.3, 90 + heading))


def test_ranger_with_several_scanners_becomes_several_lasers(monkeypatch: pytest.MonkeyPatch) -> None:
    def pack_geometry(self: RangerDevice, data: bytes) -> bytes:
        size, scanners = (0.0, 0.0, 0.0), [(0.1, 0.0, 0.2, 0.0, 0.0, 0.0), (-0.1, 0.0, 0.2, 0.0, 0.0, math.pi)]
        poses = self.poses if len(self.poses) > 1 else scanners
        return layout.RANGER_GEOMETRY.pack((0.0,) * 6, size, poses, [size] * len(poses))

    def publish_even(self: RangerDevice) -> Iterator[tuple[int, bytes]]:
        values = self.read()
        yield 1, layout.RANGER_RANGES.pack(values[: len(values) // 2 * 2])

    monkeypatch.setattr(RangerDevice, "_pack_geometry", pack_geometry)
    monkeypatch.setattr(RangerDevice, "publish", publish_even)
    with (
        served(ports=3) as bridge,
        paddock.connect(f"player://127.0.0.1:{bridge.addresses[0][1]}", timeout=60) as robot,
    ):
        robot.enable()
        whole = bridge.arena["r0"]
        whole.enable("laser")
        half = len(whole.laser.read()) // 2
        assert list(robot.devices) == ["sonar", "laser", "laser2", "bumper"]
        assert (robot.laser.spec.beams, robot.laser2.spec.mounts[0][3]) == (half, 180)
        limits = np.minimum(whole.laser.read(), robot.laser.spec.range)
        assert robot.laser2.read() == pytest.approx(limits[half : 2 * half])


def test_ranger_with_single_direction_becomes_sonar() -> None:
    eye = {"name": "eye", "kind": "sonar", "range": 2.0, "cone_deg": 15.0, "mounts": [[0.05, 0.0, 0.05, 0.0]]}
    robots = [{"name": "a", "at": [1.0, 1.0], "noise": False, "type": {"base": "scout", "sensors": [eye]}}]
    world = WorldSpec.from_table({"name": "one-eye", "bounds": [0.0, 0.0, 2.0, 2.0], "robots": robots})
    with served(world) as bridge:
        url = f"player://127.0.0.1:{bridge.addresses[0][1]}?sensors=ranger:2"
        with paddock.connect(url, timeout=60) as robot:
            robot.enable()
            bridge.arena["a"].enable("eye")
            assert robot.sonar.read() == pytest.approx(bridge.arena["a"].eye.read())


def test_devices_are_selected_on_port_with_several_robots() -> None:
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


def test_sonar_and_laser_interfaces_of_older_servers_are_read() -> None:
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
        ("player://127.0.0.1:1?robot=r0", "no option called 'robot'"),
        ("player://127.0.0.1:1?index=x", "index: expected a whole number from 0 to 65535, got 'x'"),
        ("player://127.0.0.1:1?sensors=rangr:0", "no interface called 'rangr' .did you mean 'ranger'"),
        ("player://127.0.0.1:1?dt=0", "dt: expected a number from 0.001 to 10, got '0'"),
        ("player://127.0.0.1:99999", "expected a port from 1 to 65535, got 99999"),
        ("player://127.0.0.1:1", "player 127.0.0.1:1: cannot connect"),
    ],
)
def test_errors_in_url_are_explained(url: str, message: str) -> None:
    with pytest.raises(LinkError, match=message):
        paddock.connect(url)


def test_server_that_is_not_player_is_reported() -> None:
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


def test_server_with_stopped_time_raises_timeout() -> None:
    with served(stepped=False) as bridge:  # nobody lets time pass
        url = f"player://127.0.0.1:{bridge.addresses[0][1]}"
        with pytest.raises(Timeout, match="no answer within"):
            paddock.connect(url, timeout=0.2)
