"""A Windows COM port has a plain name and no file descriptor, and works like any other device."""

from __future__ import annotations

import io
from typing import Any

import pytest

from experiments.ecoli.waypoint_robots.order_room import open_room, plan_square, running
from paddock.bridges.epuck.link import read_address
from paddock.experiments.ecoli.waypoint_robots import (
    Host,
    HostConfig,
    OrderRobots,
    OrderRobotSpec,
    find_order_robots,
    list_serial_devices,
)

serial = pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")


class ComPort(serial.Serial):  # type: ignore[misc]
    """The part of pyserial's Windows port object that a host uses."""

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")


@pytest.mark.parametrize("text", ["COM5", "orders://COM5", "COM12"])
def test_com_port_name_survives_configuration_and_address_parsing(text: str) -> None:
    config = HostConfig(robots=(OrderRobotSpec(name="r", device=text),))
    (path,) = [robot.path for robot in HostConfig.from_toml(config.to_toml()).robots]
    assert path == text.removeprefix("orders://")
    assert read_address(f"orders://{path}").device == path


def test_com_ports_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from serial.tools import list_ports, list_ports_common

    port = list_ports_common.ListPortInfo("COM5")
    port.description = "Standard Serial over Bluetooth link (COM5)"
    monkeypatch.setattr(list_ports, "comports", lambda: [port])
    assert list_serial_devices()["COM5"] == "Standard Serial over Bluetooth link (COM5)"


@pytest.mark.heavy
def test_robot_at_a_com_port_is_found_and_completes_its_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    arena = open_room(2)
    with OrderRobots(arena, {"r0": True, "r1": False}) as robots, running(arena):
        names = {"COM5": robots.devices["r0"], "COM6": robots.devices["r1"]}

        def open_port(device: str, release: float = 0.0) -> Any:
            return ComPort(names[device], timeout=0, exclusive=True)

        monkeypatch.setattr("paddock.bridges.epuck.driver.streams.open_serial_port", open_port)
        assert [finding.mode for finding in find_order_robots(names)] == ["checked", "legacy"]
        sessions = Host([(plan_square(i), device) for i, device in enumerate(names)]).run()
    assert [(session.result.done, session.result.lost) for session in sessions.values()] == [(4, ""), (4, "")]
