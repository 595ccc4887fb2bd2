"""Twins on real pseudo terminals and real sockets."""

from __future__ import annotations

import builtins
import os
import socket
import time

import pytest

import paddock
from bridges.pucks import bench
from paddock.bridges import Twins
from paddock.protocol import epuck2

pty = pytest.importorskip("pty", reason="no pseudo terminals here")


def read_until(file: int, end: bytes, seconds: float = 5.0) -> bytes:
    seen, deadline = b"", time.monotonic() + seconds
    os.set_blocking(file, False)
    while not seen.endswith(end) and time.monotonic() < deadline:
        try:
            seen += os.read(file, 4096)
        except BlockingIOError:
            time.sleep(0.005)
    return seen


def receive(link: socket.socket, count: int) -> bytes:
    seen = b""
    while len(seen) < count:
        seen += link.recv(count - len(seen))
    return seen


def test_a_serial_device_greets_answers_and_is_there_for_the_next_client() -> None:
    with Twins(bench(), serial=["red"]) as twins:
        for greeting in (b"help\r\n", b""):
            file = os.open(twins.devices["red"], os.O_RDWR | os.O_NOCTTY)
            read_until(file, greeting)
            os.write(file, b"E\r")
            assert read_until(file, b"e,0,0\r\n").endswith(b"e,0,0\r\n")
            os.close(file)
    assert not os.path.exists(twins.devices["red"])  # noqa: PTH110


def test_several_twins_at_once_and_the_newest_client_of_a_port_counts() -> None:
    arena = bench()
    with Twins(arena, serial=["red", "blue"], wifi={"red": 0, "blue": 0}) as twins:
        assert len(set(twins.devices.values())) == 2
        links = [socket.create_connection(twins.addresses[name], timeout=5) for name in ("red", "blue", "blue")]
        command = epuck2.command(epuck2.WANT_SENSORS, epuck2.Actuators(left=100, right=100))
        for link in (links[0], links[2]):
            link.sendall(command[:7])
            link.sendall(command[7:] + command)
            answers = receive(link, 2 * 105)
            assert (answers[0], answers[105]) == (2, 2)
        assert links[1].recv(10) == b""  # was replaced
        arena.step(10)
        assert arena["red"].wheels.speeds.left > 0
        links[2].close()
        deadline = time.monotonic() + 5
        while arena["blue"].wheels.speeds.left > 0 and time.monotonic() < deadline:
            arena.step()
            time.sleep(0.01)
        assert arena["blue"].wheels.speeds == (0, 0)  # nobody steers any more
        for link in links:
            link.close()


def test_time_does_not_pass_by_itself_and_is_not_held_up() -> None:
    arena = bench()
    with Twins(arena, serial=["red"]) as twins:
        file = os.open(twins.devices["red"], os.O_RDWR | os.O_NOCTTY)
        read_until(file, b"help\r\n")
        os.write(file, b"D,100,100\rQ\r")
        assert read_until(file, b"q,0,0\r\n").endswith(b"q,0,0\r\n")
        assert arena.tick == 0
        arena.step(50)
        os.write(file, b"Q\r")
        assert read_until(file, b"q,100,100\r\n") == b"q,100,100\r\n"
        os.close(file)


def test_a_robot_that_leaves_takes_its_twin_along() -> None:
    arena = bench()
    with Twins(arena, wifi={"red": 0, "blue": 0}) as twins:
        red, blue = (socket.create_connection(twins.addresses[name], timeout=5) for name in ("red", "blue"))
        arena.remove("red")
        command = epuck2.command(epuck2.WANT_SENSORS, epuck2.Actuators())
        red.sendall(command)
        assert red.recv(10) == b""
        blue.sendall(command)
        assert len(receive(blue, 105)) == 105
        red.close()
        blue.close()


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(paddock.LinkError, match=rf"robot 'blue': port {port} on 127.0.0.1 is in use"):
            Twins(bench(), wifi={"blue": port})


def test_without_pseudo_terminals_there_is_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_pty(name: str, *more: object, **most: object) -> object:
        if name == "pty":
            raise ImportError(name)
        return real(name, *more, **most)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_pty)
    with pytest.raises(paddock.LinkError, match="this system has no pseudo terminals"):
        Twins(bench(), serial=["red"])
