"""EPuckEmulators on pseudo-terminals and TCP sockets."""

from __future__ import annotations

import builtins
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import numpy as np
import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from paddock.bridges.common.emulator_server import EmulatorServer
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.bridge import SimulatedHardware, emulate
from paddock.bridges.epuck.emulator.emulated_robot import EmulatedEPuck
from paddock.bridges.epuck.emulator.serial_firmware import SerialFirmware
from paddock.bridges.epuck.wire import packets, sercom
from paddock.testing import wait_for

pty = pytest.importorskip("pty", reason="no pseudo terminals here")


def read_until(file: int, end: bytes, seconds: float = 60.0) -> bytes:
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


def test_serial_device_greets_answers_and_accepts_the_next_client() -> None:
    with EPuckEmulators(bench(), serial=["red"]) as emulators:
        for greeting in (b"help\r\n", b""):
            file = os.open(emulators.devices["red"], os.O_RDWR | os.O_NOCTTY)
            read_until(file, greeting)
            os.write(file, b"E\r")
            assert read_until(file, b"e,0,0\r\n").endswith(b"e,0,0\r\n")
            os.close(file)
    assert not os.path.exists(emulators.devices["red"])  # noqa: PTH110


def test_several_emulators_run_and_a_new_client_replaces_the_old_one() -> None:
    arena = bench()
    wifi = {"red": 0, "blue": 0}
    with EPuckEmulators(arena, serial=["red", "blue"], wifi=wifi, kind=wifi) as emulators:
        assert len(set(emulators.devices.values())) == 2
        links = [socket.create_connection(emulators.addresses[name], timeout=60) for name in ("red", "blue", "blue")]
        command = packets.pack_command(packets.WANT_SENSORS, packets.Actuators(left=100, right=100))
        for link in (links[0], links[2]):
            link.sendall(command[:7])
            link.sendall(command[7:] + command)
            answers = receive(link, 2 * 105)
            assert (answers[0], answers[105]) == (2, 2)
        assert links[1].recv(10) == b""  # was replaced
        arena.step(10)
        assert arena["red"].wheels.speeds.left > 0
        links[2].close()
        deadline = time.monotonic() + 60
        while arena["blue"].wheels.speeds.left > 0 and time.monotonic() < deadline:
            arena.step()
            time.sleep(0.01)
        assert arena["blue"].wheels.speeds == (0, 0)  # nobody steers any more
        for link in links:
            link.close()


def test_emulator_does_not_advance_or_block_time() -> None:
    arena = bench()
    with EPuckEmulators(arena, serial=["red"]) as emulators:
        file = os.open(emulators.devices["red"], os.O_RDWR | os.O_NOCTTY)
        read_until(file, b"help\r\n")
        os.write(file, b"D,100,100\rQ\r")
        assert read_until(file, b"q,0,0\r\n").endswith(b"q,0,0\r\n")
        assert arena.tick == 0
        arena.step(50)
        os.write(file, b"Q\r")
        assert read_until(file, b"q,100,100\r\n") == b"q,100,100\r\n"
        os.close(file)


def test_emulator_closes_when_its_robot_is_removed() -> None:
    arena = bench()
    with EPuckEmulators(arena, wifi={"red": 0, "blue": 0}, kind=["red"]) as emulators:
        red, blue = (socket.create_connection(emulators.addresses[name], timeout=60) for name in ("red", "blue"))
        arena.remove("red")
        command = packets.pack_command(packets.WANT_SENSORS, packets.Actuators())
        red.sendall(command)
        assert red.recv(10) == b""
        blue.sendall(command)
        assert len(receive(blue, 105)) == 105
        red.close()
        blue.close()


def test_slow_reader_receives_every_byte() -> None:
    count = 60  # pictures of 38401 bytes: more than the sockets hold
    with (
        EPuckEmulators(bench(), wifi={"blue": 0}, kind=["blue"]) as emulators,
        socket.create_connection(emulators.addresses["blue"], timeout=60) as link,
    ):
        link.sendall(packets.pack_command(packets.WANT_IMAGE, packets.Actuators()) * count)
        for _ in range(count):
            packet = receive(link, 38401)
            assert packet[0] == packets.IMAGE


def test_client_that_does_not_read_does_not_block_others() -> None:
    arena = bench()
    with EPuckEmulators(arena, wifi={"red": 0, "blue": 0}) as emulators:
        deaf, other = (socket.create_connection(emulators.addresses[name], timeout=60) for name in ("blue", "red"))
        deaf.setblocking(False)
        pictures = packets.pack_command(packets.WANT_IMAGE, packets.Actuators()) * 100
        with suppress(BlockingIOError):
            while True:  # until nobody listens to it any more
                deaf.send(pictures)
        for _ in range(20):
            other.sendall(packets.pack_command(packets.WANT_SENSORS, packets.Actuators()))
            assert receive(other, 105)[0] == packets.SENSORS
            arena.step()
        deaf.close()
        other.close()


def test_readings_of_a_command_chain_are_from_one_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    def tick(hardware: SimulatedHardware, device: str) -> tuple[int, ...]:
        return (hardware.arena.tick % 4096,) * 8

    monkeypatch.setattr(SimulatedHardware, "read", tick)
    arena, ended = bench(), threading.Event()
    firmware = SerialFirmware(emulate(arena, "red"))

    def pass_time() -> None:
        while not ended.is_set():
            arena.step()

    thread = threading.Thread(target=pass_time)
    thread.start()
    chain = sercom.pack_chain(*[sercom.pack_command("N")] * 20)
    looks = [np.frombuffer(firmware.receive(chain), np.uint16) for _ in range(50)]
    while looks[0][0] == looks[-1][0]:  # no time has passed yet
        looks.append(np.frombuffer(firmware.receive(chain), np.uint16))
    ended.set()
    thread.join()
    assert all(np.ptp(look) == 0 for look in looks)


def test_large_input_does_not_block_the_clock() -> None:
    arena, taken = bench(), []

    class Noted(SimulatedHardware):
        @contextmanager
        def hold_clock(self) -> Iterator[None]:
            taken.append(0)
            with super().hold_clock():
                yield

    firmware = SerialFirmware(EmulatedEPuck(Noted(arena, "red")))
    firmware.receive(b"N\r" * 100 + sercom.pack_chain(sercom.pack_command("N")) * 100)
    assert len(taken) >= 200  # between any two of them the clock has its turn
    endless = firmware.receive(sercom.pack_command("I") * 200 + b"\0")
    assert len(endless) < 1 << 15
    assert firmware.receive(b"E\r") == b"e,0,0\r\n"


def test_duplicate_robot_is_refused() -> None:
    with pytest.raises(paddock.LinkError, match="robot 'red' already has a serial device"):
        EPuckEmulators(bench(), serial=["red", "red"])


def test_latest_command_wins() -> None:
    arena = bench()
    with (
        EPuckEmulators(arena, serial=["blue"], wifi={"blue": 0}) as emulators,
        socket.create_connection(emulators.addresses["blue"], timeout=60) as link,
    ):
        link.sendall(packets.pack_command(packets.WANT_SENSORS, packets.Actuators(left=100, right=100)))
        receive(link, 105)
        file = os.open(emulators.devices["blue"], os.O_RDWR | os.O_NOCTTY)
        os.write(file, b"D,-200,-200\r")
        assert read_until(file, b"d\r\n").endswith(b"d\r\n")
        arena.step()
        assert arena["blue"].wheels.speeds.left < 0
        os.close(file)


def test_port_in_use_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(paddock.LinkError, match=rf"robot 'blue': port {port} on 127.0.0.1 is in use"):
            EPuckEmulators(bench(), wifi={"blue": port})


def test_missing_pseudo_terminals_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_pty(name: str, *more: object, **most: object) -> object:
        if name == "pty":
            raise ImportError(name)
        return real(name, *more, **most)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_pty)
    with pytest.raises(paddock.LinkError, match="this system has no pseudo terminals"):
        EPuckEmulators(bench(), serial=["red"])


class SilentFirmware:
    def welcome(self) -> bytes:
        return b""

    def receive(self, data: bytes) -> bytes:
        return b""


def test_send_does_not_block_while_the_server_is_not_running() -> None:
    server = EmulatorServer()
    server.open_serial("r", SilentFirmware())
    for _ in range(2000):  # more than a socket takes, and nobody empties it yet
        server.send("r", b".")
    server.send("r", b"!")
    file = os.open(server.devices["r"], os.O_RDWR | os.O_NOCTTY)
    server.start()
    try:
        assert read_until(file, b"!") == b"." * 2000 + b"!"
    finally:
        os.close(file)
        server.close()


class TalkativeFirmware(SilentFirmware):
    silent = False

    def __init__(self, send: Callable[[bytes], None], heard: list[bytes]) -> None:
        self.send, self.heard = send, heard

    def receive(self, data: bytes) -> bytes:
        self.heard.append(data)
        return b""

    def disconnect(self) -> None: ...


def test_client_that_only_writes_is_served_despite_unread_output() -> None:
    server, heard, robots = EmulatorServer(), list[bytes](), list[TalkativeFirmware]()

    def make_robot(send: Callable[[bytes], None]) -> TalkativeFirmware:
        robots.append(TalkativeFirmware(send, heard))
        return robots[0]

    server.listen_each("talker", make_robot, "127.0.0.1", 0)
    server.start()
    try:
        with socket.create_connection(server.addresses["talker"], timeout=60) as program:
            wait_for(lambda: robots)
            for _ in range(300):
                robots[0].send(bytes(1 << 16))  # 20 MB, more than the sockets hold
            program.sendall(b"drive")
            wait_for(lambda: heard)
    finally:
        server.close()
    assert heard == [b"drive"]
