"""Robots at a Bluetooth address instead of a serial device, and the friendly names of paired ones."""

from __future__ import annotations

import json
import os
import selectors
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from command_line import paddock
from experiments.ecoli.waypoint_robots.order_fixtures import open_room, plan_square, running
from paddock.core.errors import SpecError
from paddock.experiments.ecoli.waypoint_robots import (
    Host,
    HostConfig,
    OrderRobots,
    OrderRobotSpec,
    find_order_robots,
    list_paired_devices,
)

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="pseudo terminals")
ADDRESS, OTHER = "10:00:E8:AD:77:BB", "10:00:E8:AD:6A:C4"


class Radio:
    """Local sockets in place of Bluetooth, which reach the pseudo terminals of emulated robots by address."""

    def __init__(self, devices: dict[str, str]) -> None:
        self._devices = devices

    def connect(self, address: str, channel: int, timeout: float) -> socket.socket:
        ours, theirs = socket.socketpair()
        robot = os.open(self._devices[address], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        subprocess.run(["stty", "raw", "-echo"], stdin=robot, check=True)
        threading.Thread(target=self._relay, args=(robot, theirs), daemon=True).start()
        return ours

    @staticmethod
    def _relay(robot: int, host: socket.socket) -> None:
        """Copy bytes in both directions until the host closes its end."""
        with host, selectors.DefaultSelector() as ready:
            for end in (robot, host.fileno()):
                ready.register(end, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    data = os.read(key.fd, 4096)
                    if not data:
                        os.close(robot)
                        return
                    os.write(host.fileno() if key.fd == robot else robot, data)


@pytest.mark.heavy
def test_robots_at_bluetooth_addresses_are_found_and_complete_their_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    arena = open_room(2)
    with OrderRobots(arena, {"r0": True, "r1": False}) as robots, running(arena):
        radio = Radio({ADDRESS: robots.devices["r0"], OTHER: robots.devices["r1"]})
        monkeypatch.setattr("paddock.bridges.epuck.driver.streams.connect_bluetooth", radio.connect)
        assert [finding.mode for finding in find_order_robots([ADDRESS, OTHER])] == ["checked", "legacy"]
        sessions = Host([(plan_square(0), ADDRESS), (plan_square(1), OTHER)]).run()
    assert [(session.result.done, session.result.lost) for session in sessions.values()] == [(4, ""), (4, "")]


@pytest.mark.parametrize("text", [ADDRESS, ADDRESS.lower(), f"orders://{ADDRESS}"])
def test_address_is_a_device_of_the_configuration(text: str) -> None:
    config = HostConfig(robots=(OrderRobotSpec(name="r", device=text),))
    assert [robot.path for robot in HostConfig.from_toml(config.to_toml()).robots] == [ADDRESS]
    with pytest.raises(SpecError, match="is already the device of r"):
        HostConfig(robots=(OrderRobotSpec(name="r", device=text), OrderRobotSpec(name="s", device=ADDRESS)))


def test_paired_robots_are_listed_with_their_friendly_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = f"Device {ADDRESS} e-puck_2478\\nDevice 00:11:22:33:44:55 Headphones of Ana\\n"
    tool = tmp_path / "bluetoothctl"
    tool.write_text(f'#!/bin/sh\n[ "$1" = paired-devices ] && printf "{lines}" || echo "Invalid command"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delattr(socket, "AF_BLUETOOTH", raising=False)
    assert list_paired_devices() == {ADDRESS: "e-puck_2478", "00:11:22:33:44:55": "Headphones of Ana"}
    printed = paddock("ecoli", "host", "find", "--language", "en", "--json", folder=tmp_path).stdout
    found = {line["device"]: line for line in map(json.loads, printed.splitlines())}
    assert (found[ADDRESS]["robot"], found[ADDRESS]["state"]) == ("e-puck_2478", "closed")
    assert "Headphones" not in printed
    monkeypatch.setenv("PATH", "")
    assert list_paired_devices() == {}
