"""A client of USARSim's text protocol, connected to a served world."""

from __future__ import annotations

import math
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest

import paddock
from bridges.usarsim.usarsim_fixtures import DRIVE, INIT, Client, running, wait_until
from paddock.bridges.usarsim.bridge import UsarSimServer, open_usarsim
from paddock.bridges.usarsim.wire.images import FrameSplitter
from paddock.bridges.usarsim.wire.messages import mirror_pose
from paddock.core.errors import PaddockError
from paddock.simulation.worlds.world_spec import Start, WorldSpec


@pytest.fixture
def server() -> Iterator[UsarSimServer]:
    with UsarSimServer(paddock.open("yellow-rooms", seed=3), 0) as server:
        yield server


@pytest.fixture
def client(server: UsarSimServer) -> Iterator[Client]:
    client = Client(server)
    yield client
    client.socket.close()


def test_client_is_greeted_and_drives_its_robot(client: Client) -> None:
    assert client.wait_for("NFO").get("Level") == "yellow-rooms"
    client.send(INIT + DRIVE)
    before = client.arena["pioneer"].pose
    client.step(100)
    after = client.arena["pioneer"].pose
    assert math.dist(before[:2], after[:2]) == pytest.approx(0.12 * 2.0, rel=0.1)  # 10 % of 1.2 m/s
    client.send(b"DRIVE {Left 0} {Right 0}\r\n")
    client.step(100)
    assert client.arena["pioneer"].body.wheel_speeds == (0, 0)


def test_sensors_report_in_usarsim_format(client: Client) -> None:
    client.wait_for("NFO")
    client.send(INIT)
    client.step(20)
    arena, robot = client.arena, client.arena["pioneer"]
    sonar = client.wait_for("SEN", "Sonar")
    ranges = [float(group["Range"]) for group in sonar.groups()]
    assert [group["Name"] for group in sonar.groups()] == [f"F{k}" for k in range(1, 9)]
    robot.enable("sonar", "laser")
    assert ranges == pytest.approx(list(robot.sonar.read()), abs=0.02)
    scan = client.wait_for("SEN", "RangeScanner")
    found = scan.numbers("Range")
    assert found is not None
    assert (len(found), scan.get("FOV"), scan.get("Resolution")) == (181, "3.1415", "0.0174")
    assert found[90] == pytest.approx(robot.laser.read()[90], abs=0.1)
    truth = client.wait_for("SEN", "GroundTruth").numbers("Location")
    assert truth == pytest.approx([robot.pose.x, -robot.pose.y, 0.0], abs=1e-3)
    odometry = client.wait_for("SEN", "Odometry").numbers("Pose")
    assert odometry == [0.0, 0.0, 0.0]
    assert client.wait_for("SEN", "INS").get("Orientation") is not None
    assert [group["Tick"] for group in client.wait_for("SEN", "Encoder").groups()] == ["0", "0", "0", "0"]
    assert client.wait_for("STA").get("Battery") == "1200"
    assert client.wait_for("MISSTA").get("Name") == "CameraPanTilt"
    assert arena.time == pytest.approx(0.4)


def test_left_turn_decreases_the_odometry_heading(client: Client) -> None:
    client.wait_for("NFO")
    client.send(INIT + b"DRIVE {Left -1.0} {Right 1.0}\r\n")
    client.step(50)
    pose = client.wait_for("SEN", "Odometry").numbers("Pose")
    for _ in range(4):
        pose = client.wait_for("SEN", "Odometry").numbers("Pose")
    assert pose is not None
    assert -0.6 < pose[2] < -0.2
    answer = client.ask(b"SET {Type Odometry} {Name Odometry} {Opcode RESET}\r\n", "RES")
    assert answer.get("Status") == "OK"
    client.send(b"DRIVE {Left 0} {Right 0}\r\n")
    client.step(11)
    assert client.wait_for("SEN", "Odometry").numbers("Pose") == pytest.approx([0, 0, 0], abs=0.05)


def test_second_client_gets_its_own_robot_until_it_disconnects(client: Client, server: UsarSimServer) -> None:
    client.wait_for("NFO")
    client.send(INIT)
    client.step(1)
    other = Client(server)
    other.wait_for("NFO")
    other.send(b"INIT {ClassName USARBot.P2DX} {Location 6.0,-8.0,0} {Name R2}\r\n")
    other.step(1)
    assert set(server.arena.robots) == {"pioneer", "R2"}
    assert server.arena["R2"].pose == pytest.approx(mirror_pose(paddock.Pose(6.0, -8.0, 0.0)), abs=0.01)
    client.send(DRIVE)
    client.step(50)
    assert server.arena["pioneer"].body.wheel_speeds.left > 0
    for gone, left in ((other, {"pioneer"}), (client, {"pioneer"})):
        gone.socket.close()
        wait_until(server, lambda left=left: set(server.arena.robots) == left)
    wait_until(server, lambda: server.arena["pioneer"].body.command == (0, 0))


def test_geometry_and_settings_are_answered(client: Client) -> None:
    client.wait_for("NFO")
    client.send(INIT)
    client.step(1)
    robot = client.ask(b"GETGEO {Type Robot}\r\n", "GEO")
    assert (robot.get("Type"), robot.get("Name"), robot.get("WheelSeparation")) == ("GroundVehicle", "P2DX", "0.3170")
    sonar = client.ask(b"GETGEO {Type Sonar}\r\n", "GEO")
    assert [group["Name"] for group in sonar.groups()] == [f"F{k}" for k in range(1, 9)]
    assert next(sonar.groups())["Orientation"].startswith("0.0000,0.0000,-1.57")  # to the left
    assert client.ask(b"GETCONF {Type Sonar}\r\n", "CONF").get("MaxRange") == "5.0000"
    assert client.ask(b"GETCONF {Type Robot}\r\n", "CONF").get("SteeringType") == "SkidSteered"
    assert client.ask(b"GETGEO {Type Sniffer}\r\n", "GEO").segments == (("Type", "Sniffer"),)
    (alone,) = client.ask(b"GETGEO {Type Sonar} {Name F3}\r\n", "GEO").groups()
    assert alone["Name"] == "F3"


def test_encoders_odometry_scanner_and_head_are_described(client: Client) -> None:
    client.wait_for("NFO")
    client.send(INIT)
    client.step(1)

    def ask(question: str) -> list[dict[str, str]]:
        return list(client.ask(question.encode() + b"\r\n", question[3:].split()[0]).groups())

    mounts = {group["Name"]: group["Mount"] for group in ask("GETGEO {Type Encoder}")}
    assert list(mounts) == ["ECLeft", "ECRight", "ECTilt", "ECPan"]
    assert (mounts["ECLeft"], mounts["ECRight"]) == ("LeftFWheel", "RightFWheel")
    assert [group["Resolution"] for group in ask("GETCONF {Type Encoder}")] == ["0.0174"] * 4
    assert ask("GETCONF {Type Odometry}") == [
        {"Name": "Odometry", "ScanInterval": "0.2000", "EncoderResolution": "0.0174"}
    ]
    (scanner,) = ask("GETCONF {Type RangeScanner}")
    assert scanner == {
        "Name": "Scanner1", "MaxRange": "20.0000", "Resolution": "0.0174", "FOV": "3.1415", "ScanInterval": "0.2000"
    }  # fmt: skip
    assert ask("GETGEO {Type RangeScanner}")[0]["Mount"] == "HARD"
    (head,) = ask("GETCONF {Type MisPkg}")
    assert (head["Name"], head["JointType"], head["MaxTorque"]) == ("CameraPanTilt", "Revolute", "20.00")
    (link,) = ask("GETGEO {Type MisPkg}")
    assert (link["Name"], link["ParentLink"]) == ("CameraPanTilt", "1")
    for kind in ("INS", "GroundTruth", "Camera"):
        assert ask(f"GETGEO {{Type {kind}}}")[0]["Name"] == kind
        assert ask(f"GETCONF {{Type {kind}}}")[0]["ScanInterval"]


def test_scan_direction_is_configurable() -> None:
    scans = []
    for clockwise in (False, True):
        with UsarSimServer(paddock.open("yellow-rooms", seed=3), 0, clockwise=clockwise) as server:
            client = Client(server)
            client.wait_for("NFO")
            client.send(INIT)
            client.step(20)
            scans.append(client.wait_for("SEN", "RangeScanner").numbers("Range"))
            client.socket.close()
    assert scans[0] is not None
    assert scans[0] == (scans[1] or [])[::-1]
    assert scans[0] != scans[1]


def test_robot_starts_at_a_named_start_pose() -> None:
    with UsarSimServer(paddock.open(starting_room()), 0) as server:
        client = Client(server)
        client.wait_for("NFO")
        client.send(b"GETSTARTPOSES\r\n")
        told = client.wait_for("NFO")
        assert told.segments[0] == ("StartPoses", "1")
        assert told.segments[1][:2] == ("corner", "3.0000,-1.0000,0.0000")
        client.send(b"INIT {ClassName USARBot.P2DX} {Name R1} {Start nowhere}\r\n")
        client.send(b"INIT {ClassName USARBot.P2DX} {Name R1} {Start corner}\r\n")
        client.step(1)
        assert server.arena["R1"].pose == pytest.approx((3.0, 1.0, math.pi / 2), abs=1e-6)
        client.socket.close()


def starting_room() -> WorldSpec:
    return WorldSpec(name="room", bounds=(0, 0, 6, 5), starts=(Start(name="corner", at=(3, 1), heading_deg=90),))


def test_image_server_sends_camera_images() -> None:
    arena = paddock.open("yellow-rooms", seed=3)
    with UsarSimServer(arena, 0, image_port=0) as server:
        client = Client(server)
        client.wait_for("NFO")
        client.send(INIT)
        client.step(1)
        assert server.image_address is not None
        viewer, splitter = socket.create_connection(server.image_address, timeout=60), FrameSplitter()
        pictures: list[Any] = []
        with running(arena):
            while not pictures:  # the first comes unasked
                pictures += splitter.feed(viewer.recv(1 << 16))
            viewer.sendall(b"OK")
            while len(pictures) < 2:
                pictures += splitter.feed(viewer.recv(1 << 16))
            viewer.sendall(b"U" + struct.pack(">IIII", 10, 20, 30, 40))
            while len(pictures) < 3:
                pictures += splitter.feed(viewer.recv(1 << 16))
        assert [picture.shape for picture in pictures] == [(120, 160, 3), (120, 160, 3), (40, 30, 3)]
        camera = arena["pioneer"].devices["camera"]
        camera.enable()
        assert abs(pictures[1].astype(int) - camera.read()).mean() < 4  # JPEG
        assert client.ask(b"SET {Type Camera} {Robot R1} {Name Camera}\r\n", "RES").get("Status") == "OK"
        assert client.ask(b"SET {Type Camera} {Robot R9} {Name Camera}\r\n", "RES").get("Status") == "Failed"
        viewer.close()
        client.socket.close()


def test_camera_head_pans(client: Client) -> None:
    client.wait_for("NFO")
    client.send(INIT + b"MISPKG {Name CameraPanTilt} {Link 1} {Value 0.5} {Order 0}\r\n")
    client.step(300)
    assert client.arena["pioneer"].devices["camera"].pan_angle == pytest.approx(-0.5, abs=0.02)


@pytest.mark.parametrize(
    "order", [b"{Link 2} {Value 0} {Link 1} {Value 0.5}", b"{link 1 value 0.5 order 0}", b"{Value 0.5}"]
)
def test_camera_head_links_may_be_in_any_order(client: Client, order: bytes) -> None:
    client.wait_for("NFO")
    client.send(INIT + b"MISPKG {Name CameraPanTilt} " + order + b"\r\n")
    client.step(300)
    assert client.arena["pioneer"].devices["camera"].pan_angle == pytest.approx(-0.5, abs=0.02)


def test_keys_may_share_braces_and_types_are_case_insensitive(client: Client) -> None:
    client.wait_for("NFO")
    client.send(b"init {ClassName usarbot.p2dx Name R1}\rdrive {left 1.0 RIGHT 1.0}\r")
    client.step(50)
    assert client.arena["pioneer"].body.command.left > 0
    for question in (b"GETGEO {Type sonar} {Name f3}\n", b"GETGEO {Type Sonar Name F3}\n"):
        (alone,) = client.ask(question, "GEO").groups()
        assert alone["Name"] == "F3"
    assert client.ask(b"getconf {type RANGESCANNER}\n", "CONF").get("Type") == "RangeScanner"
    assert client.ask(b"GETCONF {Type odometry}\n", "CONF").get("Name") == "Odometry"
    reset = b"SET {Type Odometry Name Odometry Opcode RESET}\n"
    assert client.ask(reset, "RES").get("Status") == "OK"


@pytest.mark.parametrize(
    ("name", "called"), [(b"My Robot", "My_Robot"), (b"R.1", "R_1"), (b"a/b#0", "a_b_0"), (b"??", "R1")]
)
def test_invalid_robot_name_is_replaced(server: UsarSimServer, name: bytes, called: str) -> None:
    clients = [Client(server) for _ in range(2)]  # the first drives the robot of the world
    for client in clients:
        client.wait_for("NFO")
        client.send(b"INIT {ClassName USARBot.P2DX} {Name " + name + b"}\r\nDRIVE {Left 1} {Right 1}\r\n")
        client.step(1)
    assert server.arena[called].body.command.left > 0
    for client in clients:
        client.socket.close()


@pytest.mark.parametrize("name", [b"", b"{Name R1}"])
def test_clients_with_the_same_name_get_one_robot_each(server: UsarSimServer, name: bytes) -> None:
    clients = [Client(server) for _ in range(3)]
    for client in clients:
        client.wait_for("NFO")
        client.send(b"INIT {ClassName USARBot.P2DX} " + name + b"\r\nDRIVE {Left 1} {Right 1}\r\n")
        client.step(1)
    assert list(server.arena.robots) == ["pioneer", "R1", "R1-2"]
    assert all(robot.body.command.left > 0 for robot in server.arena.robots.values())
    for client in clients:
        client.socket.close()


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\xff\xfe garbage \r\n",
        b"DRIVE {Left",
        b"DRIVE {Left nan} {Right inf}\r\n",
        b"INIT {ClassName USARBot.Tank} {Name T}\r\n",
        b"INIT {ClassName USARBot.P2DX} {Location here}\r\n",
        b"x" * 100_000,
        b"{{{{}}}}\n" * 50,
        b"GETGEO\r\nSET\r\nMISPKG {Value x}\r\nNONSENSE {a b}\r\n",
    ],
)
def test_garbage_and_partial_lines_are_ignored(client: Client, garbage: bytes) -> None:
    client.wait_for("NFO")
    client.send(garbage)
    client.send(b"\r\n" + INIT + DRIVE)
    client.step(100)
    assert client.arena["pioneer"].pose.x != pytest.approx(1.5, abs=0.01)


def test_lines_sent_byte_by_byte_are_parsed(client: Client) -> None:
    client.wait_for("NFO")
    for byte in INIT + DRIVE:
        client.send(bytes([byte]))
    client.step(100)
    assert client.arena["pioneer"].body.wheel_speeds.left == pytest.approx(0.12, abs=0.01)


@pytest.mark.parametrize(
    "asked", [["x"], ["3000", "3001"], ["70000"], ["3000,scan=left"], ["3000,camera=x"], ["3000,clockwise"]]
)
def test_invalid_port_or_option_is_refused(asked: list[str]) -> None:
    with pytest.raises(PaddockError, match=r"usarsim: expected (a port|this bridge once)"):
        open_usarsim(paddock.open("yellow-rooms"), asked, "127.0.0.1")


def test_options_follow_the_port() -> None:
    with open_usarsim(paddock.open("yellow-rooms"), ["0,scan=clockwise,camera=0"], "127.0.0.1") as server:
        assert server.clockwise
        assert server.image_address is not None
        (line,) = server.describe()
        assert f"images at port {server.image_address[1]}" in line
