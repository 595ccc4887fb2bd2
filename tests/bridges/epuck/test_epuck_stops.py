"""A robot without a controlling program stops: after an error, an exit or a lost line, in any order of events."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from bridges.epuck.faulty_server import LATE, Fault, FaultySerial, FaultyWifi
from paddock.arena import Arena
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.bridge import emulate
from paddock.bridges.epuck.driver.serial_port import SerialPort
from paddock.bridges.epuck.emulator.serial_firmware import SerialFirmware
from paddock.bridges.epuck.emulator.wifi_firmware import WifiFirmware
from paddock.testing import wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")

STANDS = (0.0, 0.0)
LONG = 60.0  # [s] after which a test gives up; nothing here is measured by it


@pytest.fixture
def arena() -> Arena:
    arena = bench()
    arena["red"].set_pose(0.15, 0.8)  # with room ahead
    arena["blue"].set_pose(0.15, 0.2)
    return arena


@pytest.fixture
def emulators(arena: Arena) -> Iterator[EPuckEmulators]:
    with EPuckEmulators(arena, serial=["red"], wifi={"blue": 0}) as emulators:
        yield emulators


def find_url(emulators: EPuckEmulators, name: str) -> str:
    if name == "red":
        return f"epuck://{emulators.devices[name]}?silence=inf"
    return "epuck2://{}:{}?silence=inf".format(*emulators.addresses[name])


def speeds(arena: Arena, name: str) -> tuple[float, float]:
    """The wheel speeds of the robot after a while."""
    arena.step(2)
    return arena[name].wheels.speeds


@pytest.mark.parametrize("name", ["red", "blue"])
def test_no_command_is_sent_after_final_stop(arena: Arena, emulators: EPuckEmulators, name: str) -> None:
    def drive(robot: Any, driving: threading.Semaphore, refused: list[str]) -> None:
        try:
            while True:
                robot.wheels.set(0.05, 0.05)
                driving.release()
        except paddock.LinkError as error:
            refused.append(str(error))

    for _ in range(10):
        robot = paddock.connect(find_url(emulators, name), timeout=LONG)
        driving, refused = threading.Semaphore(0), list[str]()
        threads = [threading.Thread(target=drive, args=(robot, driving, refused)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(8):
            assert driving.acquire(timeout=LONG)
        robot.close()
        for thread in threads:
            thread.join(LONG)
        assert refused == ["the connection to the robot was closed"] * 4
        assert speeds(arena, name) == STANDS


def test_close_waits_for_thread_that_uses_wire_longer_than_timeout(arena: Arena) -> None:
    calibrating = threading.Event()

    class Slow(SerialFirmware):
        def _answer_line(self, letter: str, text: str) -> bytes:
            if letter == "K":
                calibrating.set()
            return super()._answer_line(letter, text)

    emulator = FaultySerial(Slow(emulate(arena, "red")))
    robot = paddock.connect(emulator.url, timeout=LONG)
    robot.wheels.set(0.1, 0.1)
    robot.port.timeout = LATE / 2
    emulator.script.faults[:] = [Fault("late")]  # by twice the timeout; calibration has more time
    thread = threading.Thread(target=robot.calibrate)
    thread.start()
    assert calibrating.wait(LONG)
    robot.close()
    thread.join()
    emulator.close()
    assert speeds(arena, "red") == STANDS


def test_close_may_be_called_from_many_threads(arena: Arena, emulators: EPuckEmulators) -> None:
    robot = paddock.connect(find_url(emulators, "red"), timeout=LONG)
    robot.wheels.set(0.1, 0.1)
    threads = [threading.Thread(target=robot.close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    robot.close()
    assert speeds(arena, "red") == STANDS
    robot.watch(0.01)  # a closed robot is not watched
    assert not robot.watching


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_robot_stops_when_controller_fails(arena: Arena, emulators: EPuckEmulators, error: type[BaseException]) -> None:
    with paddock.connect(find_url(emulators, "red") + "&dt=0.01", timeout=LONG) as robot:
        robot.enable("ground")
        looks: list[Any] = []

        def act(seen: Any) -> tuple[float, float]:
            looks.append(seen)
            if len(looks) > 2:
                raise error("mine")
            return 0.1, 0.1

        with pytest.raises(error, match="mine"):
            robot.run(5, act)
        assert speeds(arena, "red") == STANDS


DRIVER = """
import paddock
robot = paddock.connect({url!r}, timeout=60)
robot.wheels.set(0.1, 0.1)
print("drives", flush=True)
{end}
"""


@pytest.mark.parametrize("name", ["red", "blue"])
@pytest.mark.parametrize(("end", "interrupt"), [("", False), ("raise ValueError", False), ("input()", True)])
def test_robot_stops_when_program_ends_without_close(
    arena: Arena, emulators: EPuckEmulators, name: str, end: str, interrupt: bool
) -> None:
    program = DRIVER.format(url=find_url(emulators, name), end=end)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == b"drives\n", running.stderr.read()
        if interrupt:
            running.send_signal(signal.SIGINT)
        running.wait(LONG)
    assert speeds(arena, name) == STANDS


def test_reading_does_not_restart_wheels_after_robot_restart(arena: Arena) -> None:
    with EPuckEmulators(arena, wifi={"blue": 0}) as emulators:
        host, port = emulators.addresses["blue"]
        robot = paddock.connect(f"epuck2://{host}:{port}?silence=inf", timeout=LONG)
        robot.enable("ground")
        robot.leds.set("body")
        robot.wheels.set(0.1, 0.1)
        assert speeds(arena, "blue") != STANDS
    emulate(arena, "blue").restart()
    with EPuckEmulators(arena, wifi={"blue": port}):
        with pytest.raises(paddock.LinkError):
            robot.ground.read()
        robot.ground.read()
        assert speeds(arena, "blue") == STANDS
        assert robot.wheels.speeds == STANDS
        assert arena["blue"].leds.read()["body"] == robot.leds.read()["body"] == 1  # LEDs are lit again
        robot.wheels.set(0.05, 0.05)
        robot.ground.read()
        assert speeds(arena, "blue") != STANDS  # and what was told since lasts
        robot.close()


def test_failed_command_is_not_applied_by_next_request(arena: Arena) -> None:
    emulator = FaultyWifi(WifiFirmware(emulate(arena, "blue")))
    robot = paddock.connect(emulator.url, timeout=LONG)
    robot.enable("ground")
    emulator.script.faults[:] = [Fault("silence")]
    robot.port.timeout = 0.2
    with pytest.raises(paddock.Timeout):
        robot.wheels.set(0.1, 0.1)
    robot.port.timeout = LONG
    robot.ground.read()
    assert speeds(arena, "blue") == STANDS
    assert robot.wheels.speeds == STANDS
    robot.close()
    emulator.close()


@pytest.mark.parametrize("name", ["red", "blue"])
def test_robot_stops_after_reconnect(arena: Arena, emulators: EPuckEmulators, name: str) -> None:
    with paddock.connect(find_url(emulators, name), timeout=LONG) as robot:
        robot.leds.set("body")
        robot.wheels.set(0.1, 0.1)
        robot.reconnect()
        assert speeds(arena, name) == robot.wheels.speeds == STANDS
        assert arena[name].leds.read()["body"] == robot.leds.read()["body"] == 1


def test_unacknowledged_stop_raises_error_and_is_repeated(arena: Arena) -> None:
    class Deaf(SerialFirmware):
        deaf = False

        def receive(self, data: bytes) -> bytes:
            if self.deaf:
                data = data.replace(SerialPort.stop_bytes, b"")  # nor does it hear the watchdog
            if self.deaf and data[:1] == b"\xbc":
                self.deaf, data = False, data[1:]  # a byte gets lost
            return super().receive(data)

    firmware = Deaf(emulate(arena, "red"))
    emulator = FaultySerial(firmware)
    with paddock.connect(emulator.url, timeout=LONG) as robot:
        robot.wheels.set(0.1, 0.1)
        firmware.deaf = True
        with pytest.raises(paddock.BadMessage, match="was sent a stop"):
            robot.reconnect()
        robot.reconnect()
        assert speeds(arena, "red") == robot.wheels.speeds == STANDS
    emulator.close()


def test_final_stop_that_lost_a_byte_is_repeated_and_confirmed(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    class Lossy(SerialFirmware):
        losses = 0

        def receive(self, data: bytes) -> bytes:
            if self.losses and data[:1] == b"\xbc":
                self.losses, data = self.losses - 1, data[1:]
            return super().receive(data)

    firmware = Lossy(emulate(arena, "red"))
    emulator = FaultySerial(firmware)
    robot = paddock.connect(emulator.url, timeout=LONG)
    robot.wheels.set(0.1, 0.1)
    firmware.losses = 1
    robot.close()
    assert firmware.losses == 0
    assert robot.wheels.speeds == STANDS
    assert caplog.text == ""
    emulator.close()
    assert speeds(arena, "red") == STANDS


def test_wheels_are_set_once_when_call_raises_type_error(
    arena: Arena, emulators: EPuckEmulators, monkeypatch: pytest.MonkeyPatch
) -> None:
    with paddock.connect(find_url(emulators, "red"), timeout=LONG) as robot:
        calls: list[tuple[float, float]] = []

        def broken(left: float, right: float, third: float) -> None:
            calls.append((left, right))
            raise TypeError("a bug inside")

        monkeypatch.setattr(robot.body, "set_wheels", broken)
        with pytest.raises(TypeError, match="a bug inside"):
            robot.wheels.set(0.05, 0.05)
        assert calls == [(0.05, 0.05)]
        monkeypatch.undo()


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    wait_for(
        lambda: not [one for one in threading.enumerate() if one.name.startswith("paddock-watch") and one not in before]
    )
