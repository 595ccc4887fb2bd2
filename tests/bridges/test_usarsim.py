"""A client that knows nothing but USARSim's lines, at a port of a world."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator

import pytest

import paddock
from paddock.bridges.usarsim import UsarSimServer, open_usarsim
from paddock.core.errors import PaddockError
from paddock.usarsim import LineSplitter, UsarLine, parse_line
from paddock.usarsim.messages import mirror_pose

INIT = b"INIT {ClassName USARBot.P2DX} {Location -5.0,-1.5,1.8} {Rotation 0.0,0.0,0.0} {Name R1}\r\n\n"
DRIVE = b"DRIVE {Left 10.0} {Right 10.0} {Normalized true} {Light false} {Flip false}\r\n\n"


class Client:
    """Lines over a plain socket; the test steps the world."""

    def __init__(self, server: UsarSimServer) -> None:
        self.arena, self.socket, self.splitter = server.arena, socket.create_connection(server.address), LineSplitter()
        self.socket.settimeout(20)
        self.lines: list[UsarLine] = []

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def wait_for(self, type: str, kind: str = "") -> UsarLine:
        while True:
            for k, line in enumerate(self.lines):
                if line.type == type and (not kind or line.get("Type") == kind):
                    return self.lines.pop(k)
            data = self.socket.recv(1 << 16)
            assert data, "the server hung up"
            self.lines += [parse_line(text) for text in self.splitter.feed(data)]

    def ask(self, data: bytes, type: str) -> UsarLine:
        self.send(data)
        return self.wait_for(type)

    def step(self, ticks: int) -> None:
        """Let time pass, after all that was sent so far was obeyed."""
        self.ask(b"GETSTARTPOSES\r\n", "NFO")
        self.lines.clear()
        self.arena.step(ticks)


@pytest.fixture
def server() -> Iterator[UsarSimServer]:
    with UsarSimServer(paddock.open("yellow-rooms", seed=3), 0) as server:
        yield server


@pytest.fixture
def client(server: UsarSimServer) -> Iterator[Client]:
    client = Client(server)
    yield client
    client.socket.close()


def test_a_client_is_greeted_and_drives_its_robot(client: Client) -> None:
    assert client.wait_for("NFO").get("Level") == "yellow-rooms"
    client.send(INIT + DRIVE)
    before = client.arena["pioneer"].pose
    client.step(100)
    after = client.arena["pioneer"].pose
    assert math.dist(before[:2], after[:2]) == pytest.approx(0.12 * 2.0, rel=0.1)  # 10 % of 1.2 m/s
    client.send(b"DRIVE {Left 0} {Right 0}\r\n")
    client.step(100)
    assert client.arena["pioneer"].body.wheel_speeds == (0, 0)


def test_sensors_report_in_the_words_of_the_simulator(client: Client) -> None:
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


def test_turning_left_lowers_the_heading_of_the_odometry(client: Client) -> None:
    client.wait_for("NFO")
    client.send(INIT + b"DRIVE {Left -1.0} {Right 1.0}\r\n")
    client.step(50)
    pose = client.wait_for("SEN", "Odometry").numbers("Pose")
    for _ in range(8):
        pose = client.wait_for("SEN", "Odometry").numbers("Pose")
    assert pose is not None
    assert -0.6 < pose[2] < -0.2
    answer = client.ask(b"SET {Type Odometry} {Name Odometry} {Opcode RESET}\r\n", "RES")
    assert answer.get("Status") == "OK"
    client.send(b"DRIVE {Left 0} {Right 0}\r\n")
    client.step(6)
    assert client.wait_for("SEN", "Odometry").numbers("Pose") == pytest.approx([0, 0, 0], abs=0.05)


def test_a_second_client_gets_a_robot_of_its_own_and_takes_it_along_when_it_leaves(
    client: Client, server: UsarSimServer
) -> None:
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


def wait_until(server: UsarSimServer, there: object) -> None:
    """Until the thread of the server has seen what happened: a further client's greeting comes after it."""
    for _ in range(50):
        visitor = Client(server)
        visitor.wait_for("NFO")
        visitor.socket.close()
        if there():  # type: ignore[operator]
            return
    raise AssertionError("it never happened")


def test_geometry_and_settings_are_answered(client: Client) -> None:
    client.wait_for("NFO")
    client.send(INIT)
    client.step(1)
    robot = client.ask(b"GETGEO {Type Robot}\r\n", "GEO")
    assert (robot.get("Type"), robot.get("WheelSeparation")) == ("GroundVehicle", "0.3170")
    sonar = client.ask(b"GETGEO {Type Sonar}\r\n", "GEO")
    assert [group["Name"] for group in sonar.groups()] == [f"F{k}" for k in range(1, 9)]
    assert next(sonar.groups())["Orientation"].startswith("0.0000,0.0000,-1.57")  # to the left
    assert client.ask(b"GETCONF {Type Sonar}\r\n", "CONF").get("MaxRange") == "5.0000"
    assert client.ask(b"GETCONF {Type Robot}\r\n", "CONF").get("SteeringType") == "SkidSteered"
    assert client.ask(b"GETGEO {Type Sniffer}\r\n", "GEO").segments == (("Type", "Sniffer"),)


def test_the_head_of_the_camera_turns(client: Client) -> None:
    client.wait_for("NFO")
    client.send(INIT + b"MISPKG {Name CameraPanTilt} {Link 1} {Value 0.5} {Order 0}\r\n")
    client.step(300)
    assert client.arena["pioneer"].devices["camera"].pan_angle == pytest.approx(-0.5, abs=0.02)


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
def test_garbage_and_half_lines_do_no_harm(client: Client, garbage: bytes) -> None:
    client.wait_for("NFO")
    client.send(garbage)
    client.send(b"\r\n" + INIT + DRIVE)
    client.step(100)
    assert client.arena["pioneer"].pose.x != pytest.approx(1.5, abs=0.01)


def test_lines_in_single_bytes_are_understood(client: Client) -> None:
    client.wait_for("NFO")
    for byte in INIT + DRIVE:
        client.send(bytes([byte]))
    client.step(100)
    assert client.arena["pioneer"].body.wheel_speeds.left == pytest.approx(0.12, abs=0.01)


@pytest.mark.parametrize("asked", [["x"], ["3000", "3001"], ["70000"]])
def test_a_wrong_port_is_refused(asked: list[str]) -> None:
    with pytest.raises(PaddockError, match="expected one port"):
        open_usarsim(paddock.open("yellow-rooms"), asked, "127.0.0.1")
