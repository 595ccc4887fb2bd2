"""An e-puck2 on Wi-Fi that sends unrequested packets, drives on without client and has no checksums."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from bridges.epuck.faulty_server import FaultyWifi
from paddock.arena import Arena
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.bridge import emulate, open_wifi_emulators
from paddock.bridges.epuck.emulator.wifi_firmware import WifiFirmware
from paddock.bridges.epuck.wire import packets
from paddock.bridges.epuck.wire.packets import PacketReader
from paddock.bridges.epuck.wire.wheel_check import WheelCheck
from paddock.testing import wait_for

STANDS = (0.0, 0.0)
DRIVE = packets.pack_command(0, packets.Actuators(left=300, right=300))


@pytest.fixture
def arena() -> Arena:
    arena = bench()
    arena["blue"].set_pose(0.15, 0.2)  # with room ahead
    return arena


@pytest.fixture
def emulators(arena: Arena) -> Iterator[EPuckEmulators]:
    with EPuckEmulators(arena, wifi={"blue": 0}) as emulators:
        yield emulators


def find_url(emulators: EPuckEmulators) -> str:
    return "epuck2://{}:{}?silence=inf".format(*emulators.addresses["blue"])


def test_packets_are_sent_unrequested_and_wheels_keep_turning(arena: Arena, emulators: EPuckEmulators) -> None:
    reader, found = PacketReader(), []
    with socket.create_connection(emulators.addresses["blue"], timeout=10) as link:
        while len(found) < 3:
            found += reader.feed(link.recv(1000))
        assert {packet.kind for packet in found} == {packets.SENSORS}
        link.sendall(DRIVE)
        while packets.NOTHING not in [packet.kind for packet in found]:
            found += reader.feed(link.recv(1000))
    with socket.create_connection(emulators.addresses["blue"], timeout=10) as link:
        assert link.recv(1)  # the last client is gone for good
        arena.step(5)
        assert arena["blue"].wheels.speeds != STANDS


def test_kind_emulator_sends_only_answers_and_stops_without_client(arena: Arena) -> None:
    with open_wifi_emulators(arena, ["blue=0,kind"], "127.0.0.1") as emulators:
        with socket.create_connection(emulators.addresses["blue"], timeout=10) as link:
            link.sendall(DRIVE)
            assert link.recv(1) == bytes([packets.NOTHING])
            link.settimeout(0.1)
            with pytest.raises(TimeoutError):
                link.recv(1)
            arena.step()
            assert arena["blue"].wheels.speeds != STANDS
        wait_for(lambda: arena.step() or arena["blue"].wheels.speeds == STANDS)
    with pytest.raises(paddock.PaddockError, match="expected 'kind' after the comma, got 'nice'"):
        open_wifi_emulators(arena, ["blue=0,nice"], "127.0.0.1")


def test_calls_work_among_unrequested_packets(arena: Arena, emulators: EPuckEmulators) -> None:
    with paddock.connect(find_url(emulators), timeout=60) as robot:
        robot.enable("proximity", "encoders", "camera")
        simulated = arena["blue"]
        simulated.enable("camera")
        for speed in (0.02, 0.05, 0.03, -0.02) * 5:
            robot.wheels.set(speed, speed / 2)
            arena.step(5)
            assert simulated.wheels.speeds == pytest.approx((speed, speed / 2), abs=1e-4)
            assert robot.sense().camera.shape == (120, 160, 3)
        robot.leds.set("body")
        assert simulated.leds.read()["body"] == 1
    arena.step(2)
    assert simulated.wheels.speeds == STANDS  # closing has stopped it


class Damaging(WifiFirmware):
    """Changes a byte of the next command or answer."""

    command_byte = answer_byte = -1
    value = 0x10

    def receive(self, data: bytes) -> bytes:
        command, self.command_byte = self._damage(data, self.command_byte), -1
        answer, self.answer_byte = self._damage(super().receive(command), self.answer_byte), -1
        return answer

    def _damage(self, data: bytes, place: int) -> bytes:
        changed = bytearray(data)
        if place >= 0:
            changed[place] ^= self.value
        return bytes(changed)


def test_damaged_command_is_detected_by_step_counters(arena: Arena) -> None:
    firmware = Damaging(emulate(arena, "blue"))
    emulator = FaultyWifi(firmware)
    with paddock.connect(emulator.url, timeout=60) as robot:
        robot.enable("encoders")
        robot.encoders.raw()
        firmware.command_byte = 21 + 4  # the left speed's high byte, where it is told the second time
        robot.wheels.set(0.05, 0.05)
        arena.step(10)
        with pytest.raises(paddock.BadMessage, match="wheels: sent 388, 388 steps/s, but they moved"):
            robot.encoders.raw()
        robot.encoders.raw()
        arena.step()
        assert arena["blue"].wheels.speeds == robot.wheels.speeds == STANDS
    emulator.close()


def test_damaged_step_counters_are_detected(arena: Arena) -> None:
    firmware = Damaging(emulate(arena, "blue"))
    emulator = FaultyWifi(firmware)
    with paddock.connect(emulator.url, timeout=60) as robot:
        robot.enable("encoders")
        robot.wheels.set(0.05, 0.05)
        for _ in range(5):
            arena.step(10)
            robot.encoders.raw()
        arena.step(10)
        firmware.answer_byte = 2 + 79 + 1  # the left counter's high byte
        with pytest.raises(paddock.BadMessage, match="damaged in transit"):
            robot.encoders.raw()
    emulator.close()


def test_robot_without_acknowledgements_can_be_driven(arena: Arena) -> None:
    class Terse(WifiFirmware):
        def _answer(self, request: int, wanted: packets.Actuators) -> bytes:
            answer = super()._answer(request, wanted)
            return b"" if answer[0] == packets.NOTHING else answer

    emulator = FaultyWifi(Terse(emulate(arena, "blue")))
    with paddock.connect(emulator.url, timeout=60) as robot:
        robot.enable("encoders")
        robot.wheels.set(0.05, 0.03)
        arena.step(10)
        assert tuple(robot.encoders.raw()) == emulator.firmware.robot.steps
    arena.step(2)
    assert arena["blue"].wheels.speeds == STANDS
    emulator.close()


def test_acknowledgement_is_detected_after_first_one_was_missed(arena: Arena) -> None:
    class Late(WifiFirmware):
        begun = False

        def _answer(self, request: int, wanted: packets.Actuators) -> bytes:
            begun, self.begun = self.begun, True
            return super()._answer(request, wanted) if begun else b""

    emulator = FaultyWifi(Late(emulate(arena, "blue")))
    with paddock.connect(emulator.url, timeout=60) as robot:
        robot.raw_packet()
        assert robot.port._acknowledges is True
    emulator.close()


@pytest.mark.parametrize("unasked", [True, False])
def test_endless_packets_raise_timeout(unasked: bool) -> None:
    def talk() -> None:
        client, _ = listener.accept()
        with client, contextlib.suppress(OSError):
            unasked or client.recv(1)
            while True:
                client.sendall(bytes([packets.NOTHING]) * 4096)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=talk)
        thread.start()
        with pytest.raises(paddock.Timeout):
            paddock.connect(f"epuck2://127.0.0.1:{listener.getsockname()[1]}", timeout=0.1)
        thread.join()


def test_stop_is_repeated_until_robot_stops(arena: Arena) -> None:
    firmware = Damaging(emulate(arena, "blue"))
    emulator = FaultyWifi(firmware)
    with paddock.connect(emulator.url, timeout=60) as robot:
        robot.wheels.set(0.05, 0.05)
        arena.step(10)
        firmware.command_byte, firmware.value = 21 + 3, 0x40
    arena.step(2)
    assert arena["blue"].wheels.speeds == STANDS
    emulator.close()


def test_wheel_check_accepts_command_ratio_and_wrapping_counters() -> None:
    check = WheelCheck()
    check.check((5, 5), 0.0)  # nobody told it to drive: another program may
    check.check((90, 5), 0.1)
    check.begin(300, -150, 1.0)
    check.check((32760, -100), 1.0)
    check.check((-32576, -200), 1.1)  # 200 and -100, across the end
    with pytest.raises(paddock.BadMessage):
        check.check((-32376, -200), 1.2)
    check.begin(0, 0, 2.0)
    check.check((-32376, -180), 2.1)  # may be older than the command
    check.check((-32300, -150), 2.2)
    check.check((-32300, -150), 2.3)
    with pytest.raises(paddock.BadMessage):
        check.check((-32290, -150), 2.4)


def test_packets_are_parsed_at_any_split() -> None:
    reader = PacketReader()
    stream = bytes([2]) + bytes(104) + bytes([3]) + bytes([1]) + bytes(38400) + bytes([2]) + bytes(50)
    found = [packet for i in range(0, len(stream), 33) for packet in reader.feed(stream[i : i + 33])]
    assert [packet.kind for packet in found] == [2, 3, 1]
    assert reader.missing == 54
    with pytest.raises(paddock.BadMessage, match="kind 1, 2 or 3, got 9"):
        PacketReader().feed(b"\x09")
