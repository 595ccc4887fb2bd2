"""Emulated firmware answers exactly like the robots."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from paddock.arena import Arena
from paddock.bridges.epuck.bridge import emulate
from paddock.bridges.epuck.emulator.serial_firmware import SerialFirmware
from paddock.bridges.epuck.emulator.wifi_firmware import WifiFirmware
from paddock.bridges.epuck.wire import packets, sercom
from paddock.bridges.epuck.wire.pixels import decode_pixels
from paddock.simulation.worlds.world_spec import RobotPlacement

WELCOME = b'\x0c\x07WELCOME to the SerCom protocol on e-Puck\r\nthe EPFL education robot type "H" for help\r\n'


@pytest.fixture
def arena() -> Arena:
    return bench()


@pytest.fixture
def red(arena: Arena) -> SerialFirmware:
    return SerialFirmware(emulate(arena, "red"))


@pytest.fixture
def blue(arena: Arena) -> WifiFirmware:
    return WifiFirmware(emulate(arena, "blue"))


def line(values: object) -> bytes:
    return b",".join(str(int(value)).encode() for value in values)  # type: ignore[attr-defined]


def test_firmware_greets(red: SerialFirmware) -> None:
    assert red.welcome() == WELCOME


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (b"D,500,-500\r", b"d\r\n"),
        (b"E\r", b"e,0,0\r\n"),
        (b"B,1\r", b"b\r\n"),
        (b"F,2\r", b"f\r\n"),
        (b"L,8,1\r", b"l\r\n"),
        (b"P,7,-7\r", b"p\r\n"),
        (b"Q\r", b"q,0,0\r\n"),
        (b"C\r", b"c,0\r\n"),
        (b"S\r", b"s\r\n"),
        (b"T,1\r", b"t\r\n"),
        (b"t\r", b"t\r\n"),  # the first letter becomes a capital: it plays, or stops, a sound
        (b"I\r", b"i,1,40,40,8,3200\r\n"),
        (b"J,0,52,39,8\r", b"j\r\n"),
        (b"G\r", b"g IR check : 0x0, address : 0x0, data : 0x0\r\n"),
        (b"g\r", b"g,0,0,0\r\n"),
        (b"b\r", b"b,2082 (62%)\r\n"),
        (b"V\r", b"v,Version 1.2.2 August 2008 GCtronic\r\nHW version: FFFF\r\n"),
        (b"K\r", b"k, Starting calibration - Remove any object in sensors range\r\nk, Calibration finished\r\n"),
        (b"R\r", b"r\r\n" + WELCOME),
        (b"Y,160,3\r", b"y,160,3\r\ny,0\r\n"),
        (b"X\r", b"z,Command not found\r\n"),
        (b"q\r", b"q,0,0\r\n"),
        (b"\r\n\n\rq\n", b"q,0,0\r\n"),
        (b"\x00\x00", b""),
    ],
)
def test_text_commands(red: SerialFirmware, request_: bytes, answer: bytes) -> None:
    assert red.receive(request_) == answer


def test_sensor_answers_are_the_raw_values_of_the_simulation(arena: Arena, red: SerialFirmware) -> None:
    robot = arena["red"]
    robot.enable()
    for letter, code, device, form in [
        ("A", "a", "accelerometer", "<i2"), ("N", "N", "proximity", "<u2"), ("O", "O", "light", "<u2"),
        ("M", "M", "ground", "<u2"), ("U", "u", "microphones", "<u2"), ("Q", "Q", "encoders", "<i2"),
    ]:  # fmt: skip
        raw = robot.device(device).raw()
        assert red.receive(letter.encode() + b"\r") == letter.lower().encode() + b"," + line(raw) + b"\r\n"
        assert (np.frombuffer(red.receive(sercom.pack_chain(sercom.pack_command(code))), form) == raw).all()
    assert robot.proximity.raw()[0] > 100
    assert robot.light.raw().min() < 4000


def test_lines_may_arrive_in_pieces_and_several_at_once(red: SerialFirmware) -> None:
    assert red.receive(b"D,1") == b""
    assert red.receive(b"00,2") == b""
    assert red.receive(b"00\rE\rE") == b"d\r\ne,100,200\r\n"
    assert red.receive(b"\r") == b"e,100,200\r\n"


def test_missing_arguments_keep_their_old_values(red: SerialFirmware) -> None:
    red.receive(b"D,100,200\r")
    assert red.receive(b"D,300\rE\rD\rE\rD,x,7\rE\r") == b"d\r\ne,300,200\r\n" * 3


def test_command_chain_of_the_specification_is_executed(arena: Arena, red: SerialFirmware) -> None:
    chain = bytes.fromhex("BC 2C 01 D4 FE B2 AF 00")
    assert [red.receive(chain[i : i + 1]) for i in range(7)] == [b""] * 7
    answer = red.receive(chain[7:])
    assert len(answer) == 20
    arena.step(50)
    assert red.receive(b"Q\rE\r") == b"q,300,-300\r\ne,300,-300\r\n"


def test_binary_answers_have_the_lengths_of_the_specification(arena: Arena, red: SerialFirmware) -> None:
    red.receive(b"D,500,-500\r")
    assert red.receive(bytes([-ord("E") & 0xFF, 0])) == bytes.fromhex("F401 0CFE")
    length, _, inclination = struct.unpack("<3f", red.receive(bytes([-ord("A") & 0xFF, 0])))
    assert (length, inclination) == (pytest.approx(768, abs=30), pytest.approx(0, abs=5))
    samples = bytes([-ord("U") & 0xFF, 0])
    assert len(red.receive(samples)) == 601
    assert SerialFirmware(emulate(arena, "blue")).receive(samples) == b""


def test_help_and_bus_commands_are_answered(red: SerialFirmware) -> None:
    lines = red.receive(b"H\r").splitlines()
    assert lines[0] == b""
    assert lines[1].split() == [b'"A"', b"Accelerometer"]
    assert red.receive(b"Z\rW,160,3,1\rE\r") == b"w\r\ne,0,0\r\n"


def test_unknown_binary_commands_are_ignored(red: SerialFirmware) -> None:
    assert red.receive(bytes([0x81, 0xF8, 0xAF, 0x00])) == bytes(4)


def test_extra_line_end_makes_the_rest_text(red: SerialFirmware) -> None:
    assert red.receive(b"E\r\n" + sercom.pack_chain(sercom.pack_command("Q"))) == b"e,0,0\r\n"
    assert red.receive(b"\r") == sercom.NOT_FOUND


def test_counters_wrap_around(arena: Arena, red: SerialFirmware) -> None:
    red.receive(b"P,32760,-32760\rD,-500,500\r")
    arena.step(1)
    red.receive(b"D,500,-500\r")
    arena.step(3)
    left, right = (int(part) for part in red.receive(b"Q\r")[2:].split(b","))
    assert left < -32700
    assert right > 32700


def test_excessive_speed_is_stored_but_the_wheels_are_limited(arena: Arena, red: SerialFirmware) -> None:
    assert red.receive(b"D,2000,-2000\rE\r") == b"d\r\ne,2000,-2000\r\n"
    arena.step(1)
    assert arena["red"].wheels.speeds == pytest.approx((0.1288053, -0.1288053), abs=1e-6)


def test_calibration_zeroes_the_proximity_readings(red: SerialFirmware) -> None:
    assert red.receive(b"N\r") != b"n,0,0,0,0,0,0,0,0\r\n"
    red.receive(b"K\r")
    assert red.receive(b"N\r") == b"n,0,0,0,0,0,0,0,0\r\n"


def test_leds_and_sounds_reach_the_simulated_robot(arena: Arena, red: SerialFirmware) -> None:
    chain = sercom.pack_chain(sercom.pack_command("L", 5, 1), sercom.pack_command("L", 9, 2))
    red.receive(b"L,3,1\rB,1\rF,2\rT,2\r" + chain)
    robot = arena["red"]
    lit = {name for name, value in robot.leds.read().items() if value}
    assert lit == {"led3", "led5", "body"}
    assert robot.speaker.read() == (330.0, 0.1)
    red.receive(b"S\rT,0\r")
    assert {name for name, value in robot.leds.read().items() if value} == {"body"}
    assert robot.speaker.read() == (0.0, 0.0)


def test_camera_modes_and_windows(red: SerialFirmware) -> None:
    image = sercom.pack_chain(sercom.pack_command("I"))
    answer = red.receive(image)
    assert (len(answer), tuple(answer[:3])) == (3203, (1, 40, 40))
    red.receive(b"J,0,52,39,8\r")
    grey = red.receive(image)
    assert (len(grey), tuple(grey[:3])) == (3 + 52 * 39, (0, 52, 39))
    assert red.receive(b"J,1,160,120,1\rI\r") == b"j\r\ni,1,40,40,1,3200\r\n"
    assert len(red.receive(b"J,2,40,40,8\r" + image)) == 3 + 3203


def test_camera_window_is_the_centre_of_the_image(arena: Arena) -> None:
    robot = emulate(arena, "blue")
    whole = robot.read_window(sercom.CameraSettings(1, 160, 120, 4))
    camera = arena["blue"].camera
    camera.enable()
    assert (whole == np.asarray(camera.read())).all()
    part = robot.read_window(sercom.CameraSettings(1, 40, 40, 4))
    assert (part == whole[40:80, 60:100]).all()


def test_restart_clears_all_state(arena: Arena, red: SerialFirmware) -> None:
    red.receive(b"D,100,100\rK\rL,8,1\rJ,0,10,10,8\r")
    arena.step(10)
    assert red.receive(b"R\rE\r") == b"r\r\n" + WELCOME  # what came behind is lost
    assert red.receive(b"E\rQ\rI\r") == b"e,0,0\r\nq,0,0\r\ni,1,40,40,8,3200\r\n"
    assert not any(arena["red"].leds.read().values())
    assert red.receive(b"N\r") != b"n,0,0,0,0,0,0,0,0\r\n"


def test_cliff_sensors_extend_the_ground_answer_to_five_values(arena: Arena) -> None:
    firmware = SerialFirmware(emulate(arena, "red"), cliff_sensors=True)
    assert firmware.receive(b"M\r").count(b",") == 5
    assert len(firmware.receive(sercom.pack_chain(sercom.pack_command("M")))) == 10


def test_serial_epuck2_supports_the_additional_commands(arena: Arena) -> None:
    firmware = SerialFirmware(emulate(arena, "blue"))
    wanted = packets.Actuators(left=200, right=-200, leds=0b11, colours=(100, 50, 0) + (0,) * 9)
    cycle = bytes([0xF7]) + wanted.pack() + bytes([0xF8, 0x00])
    assert len(cycle) == 22
    answer = firmware.receive(cycle)
    assert len(answer) == 103
    sensors = packets.Sensors.unpack(answer)
    assert sensors.proximity == emulate(arena, "blue").proximity
    assert firmware.receive(b"E\r") == b"e,200,-200\r\n"
    leds = arena["blue"].leds.read()
    assert (leds["led0"], leds["led2"], leds["led1_red"], leds["led1_green"]) == (1, 1, 1, 0.5)
    assert [len(firmware.receive(bytes([code, 0x00]))) for code in (0xF5, 0xF4, 0xF3, 0xF2)] == [1, 8, 2, 1]
    assert [firmware.receive(bytes([code, 1, 0])) for code in (0xF1, 0xF0, 0xEF)] == [b"\0"] * 3
    assert firmware.receive(b"R\r") == WELCOME


def test_wifi_epuck2_answers_packets(arena: Arena, blue: WifiFirmware) -> None:
    assert blue.receive(packets.pack_command(0, packets.Actuators())) == b"\x03"
    image = blue.receive(packets.pack_command(1, packets.Actuators()))
    assert (image[0], len(image)) == (1, 38401)
    camera = arena["blue"].camera
    camera.enable()
    assert (abs(decode_pixels(image[1:], 160, 120).astype(int) - np.asarray(camera.read())) <= 7).all()
    told = blue.receive(packets.pack_command(2, packets.Actuators(left=300, right=250)))
    assert (told[0], len(told)) == (2, 105)
    sensors = packets.Sensors.unpack(told[1:])
    robot = arena["blue"]
    robot.enable()
    for name, device in [
        ("accelerometer",) * 2,
        ("gyroscope",) * 2,
        ("light",) * 2,
        ("microphones",) * 2,
        ("ground",) * 2,
    ]:
        assert getattr(sensors, name) == tuple(robot.device(device).raw().astype(int))
    assert sensors.distance == robot.tof.raw()
    assert packets.heading_from(sensors.magnetometer) == pytest.approx(robot.compass.read(), abs=1e-6)
    assert len(blue.receive(packets.pack_command(3, packets.Actuators(left=300, right=250)))) == 38401 + 105
    arena.step(50)
    assert robot.encoders.raw() == pytest.approx((300, 250), abs=1)
    assert blue.receive(b"\x00\x01" + packets.pack_command(0, packets.Actuators())[:10]) == b""
    assert blue.receive(packets.pack_command(0, packets.Actuators())[10:]) == b"\x03"


def test_plain_epuck_can_be_emulated_as_epuck2(arena: Arena) -> None:
    sensors = emulate(arena, "red", kind="e-puck2").read_packet()
    red = arena["red"]
    red.enable()
    assert sensors.accelerometer[2] == pytest.approx(red.accelerometer.read().z / 19.6133 * 1500, abs=1)
    assert sensors.ground == tuple(np.floor(red.ground.read() * 1023 + 0.5).astype(int))
    assert sensors.distance == 2000
    assert sensors.gyroscope == (0, 0, 0)


def test_robots_other_than_epucks_are_refused() -> None:
    big = RobotPlacement(name="big", type="pioneer-p3dx", at=(2, 2))
    arena = paddock.open(paddock.WorldSpec(name="hall", bounds=(0, 0, 4, 4), robots=(big,)))
    with pytest.raises(paddock.SimulationError, match="not an e-puck: it has no proximity with 8 values"):
        emulate(arena, "big")
    with pytest.raises(paddock.UnknownName, match="no robot called 'nobody'"):
        emulate(arena, "nobody")
