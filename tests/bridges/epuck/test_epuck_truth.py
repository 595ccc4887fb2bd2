"""Readings of the driver are correct: no stale values, no counters from before a restart, no wrong robot type."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from bridges.epuck.faulty_server import Fault, FaultySerial
from bridges.epuck.test_epuck_stops import LONG, STANDS, find_url
from paddock.arena import Arena
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.bridge import emulate
from paddock.bridges.epuck.emulator.serial_firmware import SerialFirmware
from paddock.bridges.epuck.emulator.wifi_firmware import WifiFirmware
from paddock.bridges.epuck.link import EPuck
from paddock.bridges.epuck.wire import sercom
from paddock.network.client.single import PeriodicThread
from paddock.testing import wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pty = pytest.importorskip("pty", reason="no pseudo terminals here")

FLOOR = pytest.approx([1.0, 1.0, 1.0], abs=0.1)


@pytest.fixture
def arena() -> Arena:
    arena = bench()
    arena["red"].set_pose(0.15, 0.8)  # with room ahead
    arena["blue"].set_pose(0.15, 0.2)
    return arena


@pytest.fixture
def emulators(arena: Arena) -> Iterator[EPuckEmulators]:
    with EPuckEmulators(arena, serial=["red", "blue"], wifi={"blue": 0}) as emulators:
        yield emulators


@pytest.fixture(params=["red", "blue"])
def robot(request: pytest.FixtureRequest, emulators: EPuckEmulators) -> Iterator[EPuck]:
    with paddock.connect(find_url(emulators, request.param), name=request.param, timeout=LONG) as robot:
        yield robot


# ---- old values


def test_stale_values_are_not_returned_while_watch_thread_fails(arena: Arena) -> None:
    with EPuckEmulators(arena, wifi={"blue": 0}) as emulators:
        robot = paddock.connect(find_url(emulators, "blue"), timeout=LONG)
        robot.enable("ground")
        robot.watch(1.0)
        wait_for(lambda: robot.body.latest)
    wait_for(lambda: robot.body.pending_error)
    for _ in range(3):
        with pytest.raises(paddock.LinkError):
            robot.ground.read()
    robot.close()


def test_pending_error_is_cleared_by_reconnect(arena: Arena) -> None:
    with EPuckEmulators(arena, wifi={"blue": 0}) as emulators:
        port = emulators.addresses["blue"][1]
        robot = paddock.connect(f"epuck2://127.0.0.1:{port}", timeout=LONG)
        robot.enable("ground")
        robot.watch(60)  # it looks once, and then not for a long time
        wait_for(lambda: robot.body.latest)
    robot.report_error(paddock.LinkError("the line was lost"))
    with EPuckEmulators(arena, wifi={"blue": port}):
        robot.reconnect()
        assert robot.ground.read() == FLOOR
        robot.close()


def test_error_from_before_reconnect_is_not_raised(robot: EPuck) -> None:
    looking, reconnected, again = threading.Event(), threading.Event(), threading.Event()

    def fails_late() -> None:
        if looking.is_set():
            again.set()
            return
        looking.set()
        assert reconnected.wait(LONG)
        raise paddock.LinkError("the line was lost")

    thread = PeriodicThread(robot, 0.01, fails_late)
    thread.start()
    assert looking.wait(LONG)
    robot.reconnect()
    reconnected.set()
    assert again.wait(LONG)
    thread.stopped.set()
    robot.enable("ground")
    assert robot.ground.read() == FLOOR


def test_closed_robot_raises_error(robot: EPuck) -> None:
    robot.enable("ground")
    robot.watch(0.02)
    wait_for(lambda: robot.body.latest)
    robot.close()
    for read in (robot.ground.read, robot.sense):
        with pytest.raises(paddock.LinkError, match="was closed"):
            read()


def test_reset_clears_old_values(arena: Arena, robot: EPuck) -> None:
    robot.enable("encoders")
    robot.wheels.set(0.1, 0.1)
    arena.step(50)
    robot.watch(60.0)
    wait_for(lambda: robot.body.latest)
    assert robot.pose.x > 0.05
    robot.reset()
    assert robot.pose == (0, 0, 0)
    assert robot.sense().time < 1.0


def test_observation_has_time_of_reading(robot: EPuck) -> None:
    robot.enable("ground")
    before = robot.time
    robot.watch(60.0)
    wait_for(lambda: robot.body.latest)
    after = robot.time
    while robot.time < after + 0.05:
        assert before <= robot.sense().time <= after
    robot.watches.end()
    assert robot.sense().time > after


# ---- restarts


@pytest.fixture
def faulty(arena: Arena) -> Iterator[FaultySerial]:
    emulator = FaultySerial(SerialFirmware(emulate(arena, "blue")))
    yield emulator
    emulator.close()


def test_pose_and_leds_survive_robot_restart_and_wheels_stop(arena: Arena, faulty: FaultySerial) -> None:
    with paddock.connect(faulty.url, timeout=LONG) as robot:
        robot.enable("ground", "compass")
        robot.leds.set("front", 1)
        robot.leds.set("led1_red", 0.5)
        robot.wheels.set(0.1, 0.1)
        arena.step(100)
        pose = robot.pose
        assert pose.x == pytest.approx(0.2, abs=0.01)
        faulty.script.faults[:] = [Fault("reset", 0.9)]
        robot.port.timeout = 0.5
        with pytest.raises(paddock.LinkError):
            robot.ground.read()
        robot.port.timeout = LONG
        assert robot.pose == pytest.approx(pose, abs=1e-3)
        arena.step()
        assert robot.wheels.speeds == arena["blue"].wheels.speeds == STANDS
        for leds in (robot.leds.read(), arena["blue"].leds.read()):
            assert (leds["front"], leds["led1_red"]) == (1, 0.5)
        robot.wheels.set(0.1, 0.1)
        arena.step(50)
        assert robot.pose.x == pytest.approx(pose.x + 0.1, abs=0.01)


def test_device_switches_are_sent_again_after_restart(arena: Arena) -> None:
    switched: list[tuple[int, int]] = []

    class Noted(SerialFirmware):
        def _carry_out_addition(self, number: int, values: tuple[int, ...], data: bytes) -> tuple[int, ...]:
            if number in (sercom.MAGNETOMETER_ON, sercom.DISTANCE_ON):
                switched.append((number, values[0]))
            return super()._carry_out_addition(number, values, data)

    emulator = FaultySerial(Noted(emulate(arena, "blue")))
    with paddock.connect(emulator.url, timeout=LONG) as robot:
        robot.enable("compass", "tof")
        first = list(switched)
        robot.reset()
        assert switched == first * 2
    emulator.close()


def test_refused_device_switch_is_reported(arena: Arena) -> None:
    class Refusing(SerialFirmware):
        def _carry_out_addition(self, number: int, values: tuple[int, ...], data: bytes) -> tuple[int, ...]:
            return (1,) if number == sercom.DISTANCE_ON else super()._carry_out_addition(number, values, data)

    emulator = FaultySerial(Refusing(emulate(arena, "blue")))
    with paddock.connect(emulator.url, timeout=LONG) as robot:
        robot.enable("compass")
        with pytest.raises(paddock.DeviceRefused, match="tof: the robot does not switch it on"):
            robot.enable("tof")
        assert (robot.compass.enabled, robot.tof.enabled) == (True, False)
    emulator.close()


def test_lost_answer_does_not_affect_odometry(arena: Arena) -> None:
    emulator = FaultySerial(SerialFirmware(emulate(arena, "red")))
    with paddock.connect(emulator.url, timeout=LONG) as robot:
        robot.enable("ground")
        robot.wheels.set(0.1, 0.1)
        arena.step(50)
        assert robot.pose.x == pytest.approx(0.1, abs=0.005)
        robot.port.disconnect()
        arena["red"].wheels.set(0.1, 0.1)  # it does not hear that it is to stand
        arena.step(50)
        assert robot.pose.x == pytest.approx(0.2, abs=0.005)
    emulator.close()


def test_odometry_starts_at_connection(arena: Arena, robot: EPuck) -> None:
    robot.wheels.set(0.1, 0.1)
    arena.step(50)
    assert robot.pose.x == pytest.approx(0.1, abs=0.005)
    robot.reset()
    robot.wheels.set(0.1, 0.1)
    arena.step(50)
    assert robot.pose.x == pytest.approx(0.1, abs=0.005)


# ---- which robot is it?


@pytest.mark.parametrize("faults", [[Fault(), Fault(), Fault("drop", 0.3)], [Fault(), Fault(), Fault("drop", 0.999)]])
def test_byte_lost_while_connecting_does_not_change_robot_type(faulty: FaultySerial, faults: list[Fault]) -> None:
    faulty.script.faults[:] = faults
    with pytest.raises(paddock.LinkError):
        paddock.connect(faulty.url, timeout=0.4)
    with paddock.connect(faulty.url, timeout=LONG) as robot:
        assert robot.spec.name == "e-puck2"


@pytest.mark.parametrize("code", [0xB3, 0x9F, 0x8C])
def test_request_lost_while_connecting_removes_no_device(arena: Arena, code: int) -> None:
    class Lossy(SerialFirmware):
        lost = False

        def receive(self, data: bytes) -> bytes:
            if data[0] == code and not self.lost:
                self.lost, data = True, data[1:]
            return super().receive(data)

    emulator = FaultySerial(Lossy(emulate(arena, "red")))
    with pytest.raises(paddock.BadMessage, match="answered with 0 bytes, and then with"):
        paddock.connect(emulator.url, timeout=LONG)
    with paddock.connect(emulator.url, timeout=LONG) as robot:
        assert {"ground", "accelerometer", "temperature"} <= set(robot.devices)
    emulator.close()


def test_surplus_packet_is_not_taken_as_next_answer(arena: Arena) -> None:
    firmware = WifiFirmware(emulate(arena, "blue"))
    surplus, received, sent = threading.Event(), threading.Event(), threading.Event()

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # what is sent is there
            with client:
                while data := client.recv(100):
                    answer, one_more = firmware.receive(data), surplus.is_set()
                    surplus.clear()
                    client.sendall(answer)
                    if one_more:
                        received.wait(LONG)
                        client.sendall(answer)
                        sent.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        robot = paddock.connect(f"epuck2://127.0.0.1:{listener.getsockname()[1]}", timeout=LONG)
        robot.enable("encoders")
        surplus.set()
        robot.encoders.raw()
        received.set()
        assert sent.wait(LONG)
        for _ in range(4):
            arena["blue"].wheels.set(0.05, 0.05)
            arena.step(20)
            assert tuple(robot.encoders.raw()) == firmware.robot.steps
        robot.close()
        listener.shutdown(socket.SHUT_RDWR)


# ---- in time


class Slow:
    """A firmware that delays its answers."""

    def __init__(self, firmware: SerialFirmware, delay: float) -> None:
        self.firmware, self.delay, self.slow = firmware, delay, False

    def receive(self, data: bytes) -> bytes:
        answer = self.firmware.receive(data)
        if self.slow and answer:
            time.sleep(self.delay)
        return answer


def test_all_requests_of_one_call_share_one_timeout(arena: Arena) -> None:
    firmware = Slow(SerialFirmware(emulate(arena, "red")), 0.45)
    emulator = FaultySerial(firmware)
    with paddock.connect(emulator.url, timeout=LONG) as robot:
        robot.enable("camera", "ground")
        robot.port.timeout, firmware.slow = 0.5, True
        robot.port._in_doubt = True  # make sure of the line, readings, settings of the camera, a picture
        late: list[str] = []

        def sense() -> None:
            with pytest.raises(paddock.Timeout) as caught:
                robot.sense()
            late.append(str(caught.value))

        threads = [threading.Thread(target=sense) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(late) == 3
        robot.port.timeout, firmware.slow = LONG, False
    emulator.close()


# ---- threads


def test_error_in_observer_is_raised_by_next_read(robot: EPuck, caplog: pytest.LogCaptureFixture) -> None:
    robot.enable("ground")
    wrong = ValueError("a bug in my observer")

    def observer(seen: Any) -> None:
        raise wrong

    with caplog.at_level(logging.WARNING, "paddock.links"):
        robot.on_sense(observer)
        wait_for(lambda: robot.body.pending_error)
    assert "a bug in my observer" in caplog.text
    with pytest.raises(ValueError, match="a bug in my observer"):
        robot.ground.read()
    assert robot.ground.read() == FLOOR  # told once


def test_no_thread_remains_when_observers_register_concurrently(robot: EPuck) -> None:
    robot.enable("ground")
    before, interval = threading.active_count(), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(10):
            threads = [threading.Thread(target=lambda: robot.on_sense(lambda seen: None)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            robot.watches.end()
            assert not robot.watching
    finally:
        sys.setswitchinterval(interval)
    wait_for(lambda: threading.active_count() == before)


# ---- whose device is it?


def test_device_in_use_by_another_program_is_refused(emulators: EPuckEmulators) -> None:
    first = paddock.connect(find_url(emulators, "red"), timeout=LONG)
    with pytest.raises(paddock.LinkError, match="cannot open it: it is in use by another program"):
        paddock.connect(find_url(emulators, "red"), timeout=LONG)
    first.close()
    paddock.connect(find_url(emulators, "red"), timeout=LONG).close()


def test_connect_waits_for_device_that_is_about_to_be_closed(emulators: EPuckEmulators) -> None:
    first = paddock.connect(find_url(emulators, "red"), timeout=LONG)
    closing = threading.Timer(0.2, first.close)
    closing.start()
    with paddock.connect(find_url(emulators, "red"), timeout=LONG) as second:
        closing.join()
        second.enable("ground")
        assert second.ground.read() == FLOOR


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")  # noqa: PTH112
def test_failed_connection_leaves_no_file_open() -> None:
    import tty

    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    before, errors = len(os.listdir("/proc/self/fd")), []  # noqa: PTH208
    for _ in range(3):
        try:
            paddock.connect("epuck://" + os.ttyname(theirs), timeout=0.05)
        except paddock.Timeout as error:
            errors.append(error)  # and its frames, and what they refer to
    assert len(errors) == 3
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    os.close(ours)
    os.close(theirs)


# ---- bad input, and what is told of good one


@pytest.mark.parametrize(
    "call",
    [
        lambda robot: robot.set_odometry(float("nan"), 0),
        lambda robot: robot.set_odometry("a", 0),
        lambda robot: robot.set_odometry(0, 0, 90),
        lambda robot: robot.play_sound(1.0),
        lambda robot: robot.play_sound(True),
        lambda robot: robot.play_sound("1"),
        lambda robot: robot.play_sound(6),
    ],
)
def test_bad_arguments_are_refused(robot: EPuck, call: Callable[[EPuck], None]) -> None:
    with pytest.raises(paddock.PaddockError, match=rf"{robot.name}\.(set_odometry|play_sound).*expected"):
        call(robot)


def test_led_and_sound_states_match_robot(arena: Arena, robot: EPuck) -> None:
    simulated = arena[robot.name]
    robot.leds.set("front", 0.3)
    robot.play_sound(3)
    assert robot.leds.read()["front"] == simulated.leds.read()["front"] == 1.0
    assert robot.speaker.read() == simulated.speaker.read() == (392.0, 0.1)
    robot.speaker.play(500.0)
    assert robot.speaker.read() == simulated.speaker.read() == (523.0, 0.1)
    robot.play_sound(0)
    assert robot.speaker.read() == simulated.speaker.read() == (0.0, 0.0)
    if "led1_red" in robot.leds.names:
        robot.leds.set("led1_red", 0.123)
        assert robot.leds.read()["led1_red"] == simulated.leds.read()["led1_red"] == 0.12
