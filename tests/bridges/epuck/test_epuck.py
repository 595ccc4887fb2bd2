"""The e-puck drivers against the emulators, over real terminals and sockets."""

from __future__ import annotations

import builtins
import errno
import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from bridges.epuck.faulty_server import Fault, FaultySerial
from network.client.controller_of_traces import drive
from paddock.arena import Arena
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.bridge import SimulatedHardware, emulate
from paddock.bridges.epuck.emulator.serial_firmware import SerialFirmware
from paddock.bridges.epuck.link import EPuck
from paddock.bridges.epuck.link.robot import WallClock
from paddock.core.observation import Acceleration, Picture, Travel, TurnRates
from paddock.network.server import Server, Settings
from paddock.testing import wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")

LINKS = ["serial", "serial-e-puck2", "wifi", "wifi-e-puck"]


class ArenasTime:
    """A clock that is the arena's: sleeping steps it."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    def now(self) -> float:
        return self.arena.time

    def sleep(self, seconds: float) -> None:
        self.arena.step(round(seconds / self.arena.dt))


def connected(arena: Arena, emulators: EPuckEmulators, link: str, **more: Any) -> EPuck:
    name = "blue" if link in ("serial-e-puck2", "wifi") else "red"
    if link.startswith("serial"):
        url = f"epuck://{emulators.devices[name]}?silence=inf&name={name}"
    else:
        url = "epuck2://{}:{}".format(*emulators.addresses[name]) + f"?silence=inf&name={name}"
    robot: EPuck = paddock.connect(url, timeout=60, **more)
    robot._clock, robot._dt = ArenasTime(arena), arena.dt
    robot._start = robot._due = arena.time
    return robot


@pytest.fixture
def arena() -> Arena:
    return bench()


@pytest.fixture
def emulators(arena: Arena) -> Iterator[EPuckEmulators]:
    with EPuckEmulators(arena, serial=["red", "blue"], wifi={"red": 0, "blue": 0}) as emulators:
        yield emulators


@pytest.fixture(params=LINKS)
def robot(request: pytest.FixtureRequest, arena: Arena, emulators: EPuckEmulators) -> Iterator[EPuck]:
    with connected(arena, emulators, request.param) as robot:
        yield robot


def test_epuck_is_robot_and_arena(robot: EPuck) -> None:
    assert robot[robot.name] is robot
    assert list(robot) == [robot.name]
    assert robot.arena is robot
    assert robot.spec.name in ("e-puck", "e-puck2")
    assert "position" not in robot.devices
    with pytest.raises(paddock.UnknownName, match="no robot called 'green'"):
        robot["green"]


def test_all_devices_read_as_in_simulation(robot: EPuck, arena: Arena) -> None:
    simulated = arena[robot.name]
    simulated.enable()
    robot.enable()
    seen = robot.sense()
    kind = robot.spec.name == simulated.spec.name  # else the numbers are those of the other kind
    for name in seen:
        if name not in simulated.devices or name == "camera":
            continue
        device = robot.device(name)
        assert np.array_equal(np.asarray(getattr(seen, name)), np.asarray(device.read()))
        if kind:
            want = np.asarray(simulated.device(name).read())
            assert np.asarray(device.read()) == pytest.approx(want, abs=1e-6), name
            if device.spec.response or device.spec.scale:
                assert device.raw() == pytest.approx(simulated.device(name).raw()), name
        else:
            got, want = np.atleast_1d(device.read()), np.atleast_1d(simulated.device(name).read())
            assert got[: want.size] == pytest.approx(want, abs=0.02), name


def test_readings_have_named_fields(robot: EPuck) -> None:
    robot.enable()
    acceleration = robot.accelerometer.read()
    assert isinstance(acceleration, Acceleration)
    assert acceleration.z == pytest.approx(9.81, abs=0.2)
    assert repr(acceleration).startswith("Acceleration(x=")
    assert isinstance(robot.encoders.read(), Travel)
    assert (robot.encoders.read() - robot.encoders.read()).left == 0
    if "gyroscope" in robot.devices:
        assert isinstance(robot.gyroscope.read(), TurnRates)
    image = robot.camera.image()
    assert isinstance(image, Picture)
    assert image.to_pil().size == (robot.camera.width, robot.camera.height)
    assert (np.asarray(image.to_pil()) == image).all()


def test_pictures_match_simulated_camera(robot: EPuck, arena: Arena) -> None:
    robot.enable("camera")
    simulated = arena[robot.name].camera
    simulated.enable()
    image, whole = robot.camera.image().astype(int), np.asarray(simulated.read()).astype(int)
    assert image.shape == (robot.camera.height, robot.camera.width, 3)
    middle = whole[whole.shape[0] // 2 - 1, whole.shape[1] // 2 - 1]
    assert (abs(image[image.shape[0] // 2 - 1, image.shape[1] // 2 - 1] - middle) <= 8).all()


def test_commands_are_applied_and_limited(robot: EPuck, arena: Arena) -> None:
    simulated = arena[robot.name]
    robot.wheels.set(0.05, -0.05)
    arena.step()
    assert simulated.wheels.speeds == pytest.approx((0.05, -0.05), abs=1e-4)
    assert robot.wheels.speeds == pytest.approx((0.05, -0.05), abs=1e-4)
    robot.wheels.set(9, 9)
    arena.step()
    assert simulated.wheels.speeds.left == pytest.approx(simulated.spec.drive.max_speed, rel=1e-3)
    robot.leds.set("front")
    robot.leds.set("led2", 0.5)
    leds = simulated.leds.read()
    assert (leds["front"], leds["led2"], leds["body"]) == (1, 1, 0)
    if "led3_green" in robot.leds.names:
        robot.leds.set("led3_green", 0.5)
        assert max(value for name, value in simulated.leds.read().items() if name.startswith("led3")) == 0.5
    robot.speaker.play(520)
    assert simulated.speaker.read() == (523.0, 0.1)
    robot.speaker.stop()
    robot.play_sound(1)
    assert simulated.speaker.read() == (262.0, 0.1)
    robot.close()
    arena.step()
    assert simulated.wheels.speeds == (0, 0)


def test_pose_is_from_odometry_and_names_its_source(robot: EPuck, arena: Arena) -> None:
    simulated = arena[robot.name]
    assert (robot.pose_source, simulated.pose_source) == ("odometry", "truth")
    simulated.set_pose(0.5, 0.7, math.radians(90))
    robot.set_odometry(0.5, 0.7, math.radians(90))
    robot.drive(0.05, 1.0)
    for _ in range(40):
        robot.step()
        robot.pose  # noqa: B018
    assert robot.pose == pytest.approx(simulated.pose, abs=2e-3)
    robot.reset()
    assert robot.pose == (0, 0, 0)
    arena.step()
    assert simulated.wheels.speeds == (0, 0)
    assert robot.time == pytest.approx(arena.dt)


def test_wrapping_counters_do_not_disturb_odometry(arena: Arena, emulators: EPuckEmulators) -> None:
    arena["red"].set_pose(0.85, 0.7)
    with connected(arena, emulators, "serial") as robot:
        robot.enable("encoders")
        robot.port._ask([b"\xb0" + (32700).to_bytes(2, "little") + (32700).to_bytes(2, "little")], 0)  # type: ignore[attr-defined]
        robot.body.restart_odometry(robot.pose)
        robot.wheels.set(0.05, 0.05)
        robot.encoders.read()
        before = robot.encoders.read()
        robot.step(50)
        assert robot.encoders.raw()[0] < -32000
        assert robot.encoders.read() - before == pytest.approx((0.05, 0.05), abs=1e-3)


def test_unsupported_calls_on_real_robot_are_refused(robot: EPuck) -> None:
    with pytest.raises(paddock.DeviceRefused, match=r"\.contacts: a real robot does not measure contacts"):
        robot.contacts  # noqa: B018
    with pytest.raises(paddock.DeviceRefused, match="carry it there"):
        robot.set_pose(0, 0)
    for call in ("digest", "snapshot"):
        with pytest.raises(paddock.SimulationError, match=f"{call}: {robot.name} is a real robot"):
            getattr(robot, call)()
    with pytest.raises(paddock.DeviceNotEnabled):
        robot.ground.read()
    with pytest.raises(paddock.SimulationError, match="cannot run at speed 5"):
        robot.run(1, speed=5)


def test_calibration_and_version(arena: Arena, emulators: EPuckEmulators) -> None:
    with connected(arena, emulators, "serial") as red:
        assert red.version() == "Version 1.2.2 August 2008 GCtronic, HW version: FFFF"
        red.enable("proximity")
        assert red.proximity.raw().max() > 100
        red.calibrate()
        assert red.proximity.raw().max() == 0
        assert (red.proximity.read() == 0.07).all()
        with pytest.raises(paddock.DeviceRefused, match="not an e-puck2"):
            red.raw_packet()
    with connected(arena, emulators, "wifi") as blue:
        assert blue.raw_packet().battery == 2082
        blue.calibrate()
        with pytest.raises(paddock.DeviceRefused, match="cannot report its version"):
            blue.version()


@pytest.mark.parametrize("link", ["ws", "serial", "wifi-e-puck"])
def test_same_controller_file_gives_same_trace_on_every_link(link: str) -> None:
    name = "red"
    here = paddock.open("line-crossing", seed=5)
    here[name].enable()
    expected = np.array(drive(here, name, 4.0))
    arena = paddock.open("line-crossing", seed=5)
    if link == "ws":
        served = Server(arena, Settings(port=0, lock_step=True, speed=None))
        with served.in_background() as server, paddock.connect(server.url(scheme="ws")) as elsewhere:
            got = np.array(drive(elsewhere, name, 4.0))
    else:
        with (
            EPuckEmulators(arena, serial=[name], wifi={name: 0}) as emulators,
            connected(arena, emulators, link) as robot,
        ):
            got = np.array(drive(robot, name, 4.0))
    assert got.shape == expected.shape
    quantum = [1e-9, *[6e-4] * 3, *[2e-4] * 8, 1.4e-4, 1.4e-4, 0.02, 1e-9, 1e-9]  # ground and gravity: other converters
    if link != "wifi-e-puck":
        quantum[1:4], quantum[-3] = [1e-9] * 3, 1e-9
    assert (abs(got - expected) <= quantum).all()
    assert arena["red"].pose == pytest.approx(here["red"].pose, abs=1e-9)


def test_run_takes_real_time(arena: Arena, emulators: EPuckEmulators) -> None:
    with paddock.connect(f"epuck://{emulators.devices['red']}?dt=0.02") as robot:
        robot.enable("ground")
        calls = []
        began = time.monotonic()
        robot.run(0.3, lambda seen: calls.append(seen.time))
        took = time.monotonic() - began
        assert took > 0.29
        assert 1 <= len(calls) <= 15
        before, tick, after = robot.time, robot.tick, robot.time
        assert before / 0.02 - 1 <= tick <= after / 0.02 + 1


def test_late_steps_renew_watchdog(arena: Arena, emulators: EPuckEmulators) -> None:
    with connected(arena, emulators, "serial") as robot:
        robot.wheels.set(0.01, -0.01)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(robot.port, "renew", renew := Mock())
            for _ in range(3):
                arena.step(5)  # meanwhile it computes
                robot.step()
        assert renew.call_count == 3


def test_background_threads_read_sensors_and_camera_with_own_periods(robot: EPuck, arena: Arena) -> None:
    seen: list[Any] = []
    pictures: list[Any] = []
    robot._clock = WallClock()  # pictures are shown once in a tick
    robot.enable()
    robot.watch(0.02)
    end = robot.on_sense(seen.append, "ground")
    end_pictures = robot.camera.on_image(pictures.append, 0.05)
    wait_for(lambda: seen and pictures)
    arena[robot.name].set_pose(0.4, 0.8, 1.0)
    wait_for(lambda: len(pictures) >= 2)
    assert list(seen[0]) == ["ground"]
    assert isinstance(pictures[0], Picture)
    count = len(seen)
    assert robot.watching
    asking = robot.port.read
    asked: list[int] = []

    def noted(devices: Any) -> Any:
        asked.append(threading.get_ident())
        return asking(devices)

    robot.port.read = noted  # type: ignore[method-assign]
    robot.ground.read()
    robot.proximity.read()
    assert threading.get_ident() not in asked  # the thread has asked already
    arena[robot.name].set_pose(0.15, 0.8)
    arena.step(5)
    wait_for(lambda: len(seen) > count)
    end()
    end_pictures()
    robot.watches.end()
    assert not robot.watching


def test_errors_of_background_thread_are_raised_by_next_read(arena: Arena) -> None:
    with EPuckEmulators(arena, wifi={"blue": 0}) as emulators:
        robot = paddock.connect("epuck2://{}:{}".format(*emulators.addresses["blue"]), timeout=60)
        robot.enable("ground")
        robot.watch(0.02)
        wait_for(lambda: robot.body.latest)
    wait_for(lambda: robot.body.pending_error is not None)
    with pytest.raises(paddock.LinkError):
        robot.ground.read()
    robot.close()


def test_driver_reconnects_after_connection_loss(arena: Arena) -> None:
    with EPuckEmulators(arena, wifi={"blue": 0}) as emulators:
        port = emulators.addresses["blue"][1]
        robot = paddock.connect(f"epuck2://127.0.0.1:{port}", timeout=60)
        robot.enable("proximity")
        before = robot.proximity.raw()
        assert robot.connected
    with pytest.raises(paddock.LinkError):
        robot.proximity.raw()
    assert not robot.connected
    with pytest.raises(paddock.LinkError, match="cannot connect"):
        robot.reconnect()
    with EPuckEmulators(arena, wifi={"blue": port}):
        assert (robot.proximity.raw() == before).all()
        robot.reconnect()
        robot.close()
        with pytest.raises(paddock.LinkError, match="was closed"):
            robot.proximity.raw()


SHARING = float(os.environ.get("PADDOCK_SHARING_SECONDS", "1"))


@pytest.mark.parametrize("link", LINKS)
def test_eight_threads_share_one_robot(link: str, arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedHardware, "read", alike(SimulatedHardware.read))
    for name, x in (("red", 0.2), ("blue", 0.8)):
        arena[name].set_pose(x, 0.8)  # with room to turn
    with (
        EPuckEmulators(arena, serial=["red", "blue"], wifi={"red": 0, "blue": 0}) as emulators,
        connected(arena, emulators, link) as robot,
        ticking(arena, robot.name) as wrong,
    ):
        robot._clock = WallClock()
        counts, errors = share(robot, SHARING)
    assert not errors
    assert not wrong
    assert min(counts) > 0
    print(f"{link}: {SHARING:g} s, calls by thread: {counts}")  # noqa: T201


def alike(read: Any) -> Any:
    """Replace the values of sensor arrays by the tick, so that values of two readings cannot be mixed unnoticed."""

    def read_alike(hardware: SimulatedHardware, device: str) -> tuple[int, ...]:
        if device in ("proximity", "light", "ground"):
            return (hardware.arena.tick % 1000,) * 8
        return read(hardware, device)  # type: ignore[no-any-return]

    return read_alike


@contextmanager
def ticking(arena: Arena, name: str) -> Iterator[list[Any]]:
    """Let time pass; record wheel speeds that are not opposite."""
    wrong: list[Any] = []
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(0.002):
            arena.step()
            left, right = arena[name].wheels.speeds
            if left != -right:
                wrong.append((left, right))

    thread = threading.Thread(target=tick)
    thread.start()
    yield wrong
    ended.set()
    thread.join()


def share(robot: EPuck, seconds: float) -> tuple[list[int], list[BaseException]]:
    """Read and write one robot from eight threads while it turns on the spot; return call counts and errors."""
    robot.enable()
    counts, errors = [0] * 8, []
    until = time.monotonic() + seconds

    def turns(travel: Travel) -> bool:
        return bool(abs(travel.left + travel.right) < 3e-4)

    def work(number: int) -> None:
        last = 0.0
        try:
            while (time.monotonic() < until or 0 in counts) and not errors:
                if number in (0, 1):
                    speed = 0.01 * (1 + number)
                    robot.wheels.set(speed, -speed)
                    left, right = robot.wheels.speeds
                    assert left == -right, "torn speeds"
                elif number == 2:
                    robot.leds.set("body", counts[2] % 2)
                elif number == 3:
                    seen = robot.sense()
                    assert seen.camera.shape == (robot.camera.height, robot.camera.width, 3)
                    assert [np.ptp(ring) for ring in (seen.proximity, seen.light, seen.ground)] == [0, 0, 0], "torn"
                    assert turns(seen.encoders), "torn encoders"
                    assert seen.time >= last, "an older look"
                    last = seen.time
                elif number == 4:
                    assert abs(robot.pose.x) + abs(robot.pose.y) < 2e-3, "torn pose"
                elif number == 5:
                    assert turns(robot.encoders.read()), "torn encoders"
                else:
                    ring = robot.device(("proximity", "light")[number - 6]).raw()
                    assert len(ring) == 8, "torn ring"
                    assert np.ptp(ring) == 0, "torn ring"
                counts[number] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 60)
        assert not thread.is_alive(), "a thread hangs"
    return counts, errors


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "epuck:///dev/nothing-here",
            r"^/dev/nothing-here: cannot open it: No such file or directory; is the robot on and paired\?$",
        ),
        ("/dev/rfcomm0", r"got '/dev/rfcomm0' \(did you mean 'epuck:///dev/rfcomm0'\?\)"),
        ("epuck:/dev/rfcomm0", r"did you mean 'epuck:///dev/rfcomm0'\?"),
        ("epuck://dev/rfcomm0", r"a slash is missing: did you mean 'epuck:///dev/rfcomm0'\?"),
        ("COM5", r"did you mean 'epuck://COM5'\?"),
        ("epuck2:192.168.1.20", r"did you mean 'epuck2://192.168.1.20'\?"),
        ("localhost:1000", r"a server is 'ws://localhost:1000', an e-puck2 'epuck2://localhost:1000'"),
        (
            "epuck2://nohost.invalid",
            r"nohost.invalid:1000: cannot connect: .*; is that its IP address, and .* same network",
        ),
        ("epuck://", "expected a serial device, such as 'epuck:///dev/rfcomm0'"),
        ("epuck2://", "expected a host"),
        ("epuck2://127.0.0.1:1", r"127.0.0.1:1: cannot connect: .*; is this the robot, .* listens on port 1000"),
        ("epuck2://host:port", "connect: epuck2://host:port: expected a port from 1 to 65535, got port"),
        ("epuck2://host:70000", "expected a port from 1 to 65535, got 70000"),
        ("epuck2://[::1", r"connect: epuck2://\[::1: "),
        ("epuck2://host:0", "expected a port from 1 to 65535, got 0"),
        ("epuck:///dev/x?nam=red", r"no option called 'nam' \(did you mean 'name'\?\)"),
        ("epuck:///dev/x?channel=2", "channel: only a Bluetooth address has one"),
        ("epuck2://127.0.0.1?channel=2", "channel: only a Bluetooth address has one"),
        ("orders:///dev/x?type=mine.toml", "type: robots that take orders have none"),
        ("epuck:///dev/x?dt=long", "dt: expected a number from 0.001 to 1, got 'long'"),
        ("epuk:///dev/x", r"did you mean 'epuck'\?"),
    ],
)
def test_unreachable_addresses_are_reported(url: str, message: str) -> None:
    with pytest.raises(paddock.LinkError, match=message):
        paddock.connect(url, timeout=2)


def test_permission_error_of_device_gives_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    import serial

    def denied(*args: Any, **more: Any) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port: [Errno 13] Permission denied")

    monkeypatch.setattr(serial, "Serial", denied)
    with pytest.raises(
        paddock.LinkError, match=r"rfcomm0: cannot open it: permission denied: .* group dialout"
    ) as caught:
        paddock.connect("epuck:///dev/rfcomm0")
    assert "is the robot on" not in str(caught.value)


@pytest.mark.parametrize("option", [{"token": "secret"}, {"lock_step": True}, {"lock_step": False}])
def test_options_for_servers_are_refused_for_robots(option: dict[str, Any]) -> None:
    with pytest.raises(paddock.LinkError, match=f"connect: {next(iter(option))} is for servers, .* is a robot"):
        paddock.connect("epuck2://127.0.0.1:1", **option)


def test_device_that_is_not_e_puck2_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            client, _ = server.accept()
            with client:
                client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                client.recv(100)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(paddock.BadMessage, match=r"kind 1, 2 or 3, got 72: this is not an e-puck2"):
            paddock.connect(f"epuck2://127.0.0.1:{server.getsockname()[1]}", timeout=60)
        thread.join()


def test_missing_answer_is_reported_with_request(arena: Arena, emulators: EPuckEmulators) -> None:
    with connected(arena, emulators, "serial") as robot:
        robot.enable("ground")
        robot.port.timeout = 0.2
        with arena.mutex, pytest.raises(paddock.Timeout, match="no answer to the request for encoders, ground within"):
            robot.ground.read()
        robot.port.timeout = 60


def test_missing_pyserial_is_reported_with_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_serial(name: str, *more: Any, **most: Any) -> Any:
        if name == "serial":
            raise ImportError(name)
        return real(name, *more, **most)

    monkeypatch.setattr(builtins, "__import__", without_serial)
    with pytest.raises(paddock.LinkError, match=r"pip install -e '\.\[robot\]'"):
        paddock.connect("epuck:///dev/rfcomm0")


def test_silent_device_raises_timeout() -> None:
    import pty
    import tty

    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    with pytest.raises(paddock.Timeout, match=r"no answer to its first command within \d+\.\d s"):
        paddock.connect("epuck://" + os.ttyname(theirs), timeout=0.2)
    os.close(ours)
    os.close(theirs)


class OldFirmware(SerialFirmware):
    """A firmware without requests for battery, temperature and loudness, and with a version of one line."""

    def _carry_out(self, number: int, values: tuple[int, ...], data: bytes, out: bytearray) -> None:
        if chr(number) not in "btuP":
            super()._carry_out(number, values, data, out)

    def _answer_line(self, letter: str, text: str) -> bytes:
        return b"v,Version 2.0.0 January 2008\r\n" if letter == "V" else super()._answer_line(letter, text)


@pytest.mark.parametrize("cliff_sensors", [False, True])
def test_driver_detects_old_firmware_and_cliff_sensors(arena: Arena, cliff_sensors: bool) -> None:
    emulator = FaultySerial(OldFirmware(emulate(arena, "red"), cliff_sensors=cliff_sensors))
    with paddock.connect(emulator.url, timeout=60) as robot:
        assert {"battery", "temperature", "microphones"}.isdisjoint(robot.devices)
        robot.enable()
        assert robot.version() == "Version 2.0.0 January 2008"
        simulated = arena["red"]
        simulated.enable()
        assert (robot.sense().ground == simulated.ground.read()).all()
    emulator.close()


def test_driver_recovers_after_robot_restart(arena: Arena) -> None:
    emulator = FaultySerial(SerialFirmware(emulate(arena, "red")))
    with paddock.connect(emulator.url, timeout=60) as robot:
        robot.enable("ground")
        emulator.script.faults[:] = [Fault("reset", 0.9)]
        robot.port.timeout = 0.5
        with pytest.raises(paddock.LinkError):
            robot.ground.read()
        robot.port.timeout = 60
        assert robot.ground.read().shape == (3,)
    emulator.close()
