"""Robots by their Bluetooth address, with sockets of other kinds in place of Bluetooth."""

from __future__ import annotations

import errno
import os
import socket
import threading

import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from paddock.bridges.epuck.bridge import emulate
from paddock.bridges.epuck.emulator.serial_firmware import SerialFirmware


def test_error_suggests_rfcomm_where_system_has_no_bluetooth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "AF_BLUETOOTH", raising=False)
    with pytest.raises(paddock.LinkError, match=r"10:00:E8:AD:77:BB channel 2: .*rfcomm bind 0 10:00:E8:AD:77:BB 2"):
        paddock.connect("epuck://10:00:E8:AD:77:BB?channel=2")
    with pytest.raises(paddock.LinkError, match="channel: expected a whole number from 1 to 30, got '0'"):
        paddock.connect("epuck://10:00:E8:AD:77:BB?channel=0")
    with pytest.raises(paddock.LinkError, match="did you mean 'epuck://10:00:E8:AD:77:BB'"):
        paddock.connect("10:00:E8:AD:77:BB")


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.EHOSTDOWN, "is the robot on, near"), (errno.ECONNREFUSED, "selector at 3"), (errno.ENODEV, "power on")],
)
def test_bluetooth_connection_errors_give_advice(monkeypatch: pytest.MonkeyPatch, number: int, advice: str) -> None:
    class Refusing(socket.socket):
        def __init__(self, *family: int) -> None:
            super().__init__()

        def connect(self, address: object) -> None:
            assert address == ("10:00:E8:AD:77:BB", 1)
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(socket, "AF_BLUETOOTH", 31, raising=False)
    monkeypatch.setattr(socket, "BTPROTO_RFCOMM", 3, raising=False)
    monkeypatch.setattr(socket, "socket", Refusing)
    with pytest.raises(paddock.LinkError, match=advice):
        paddock.connect("epuck://10:00:E8:AD:77:BB", timeout=1)


def test_robot_is_driven_over_bluetooth_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair of local sockets replaces Bluetooth, with an emulated robot at the other end."""
    arena = bench()
    firmware = SerialFirmware(emulate(arena, "red"))
    ours, theirs = socket.socketpair()

    class Connected(socket.socket):
        def __init__(self, *family: int) -> None:
            super().__init__(fileno=ours.detach())

        def connect(self, address: object) -> None:
            assert address == ("10:00:E8:AD:77:BB", 1)

    def answer() -> None:
        theirs.sendall(firmware.welcome())
        while data := theirs.recv(1000):
            theirs.sendall(firmware.receive(data))

    thread = threading.Thread(target=answer)
    thread.start()
    monkeypatch.setattr(socket, "AF_BLUETOOTH", 31, raising=False)
    monkeypatch.setattr(socket, "BTPROTO_RFCOMM", 3, raising=False)
    monkeypatch.setattr(socket, "socket", Connected)
    robot = paddock.connect("epuck://10:00:E8:AD:77:BB?name=red&silence=inf", timeout=60)
    monkeypatch.undo()
    with robot:
        robot.wheels.set(0.05, 0.05)
        arena.step()
        assert arena["red"].wheels.speeds == pytest.approx((0.05, 0.05), abs=1e-4)
    arena.step()
    assert arena["red"].wheels.speeds == (0, 0)
    thread.join()
    theirs.close()
