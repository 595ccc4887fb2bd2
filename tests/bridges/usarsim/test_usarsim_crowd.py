"""Clients of a USARSim server that misbehave, are numerous, or are interrupted."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paddock
from bridges.usarsim.usarsim_fixtures import DRIVE, INIT, Client, running, wait_until
from network.server.parties import Peer
from paddock.bridges.usarsim import UsarSimServer
from paddock.network.server import Server, Settings
from paddock.testing import PaddockProcess, wait_for

OWN = b"INIT {ClassName USARBot.P2DX} {Name %s} {Location %f,%f,0}\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[UsarSimServer]:
    with UsarSimServer(paddock.open("yellow-rooms", seed=3), 0) as server:
        yield server


WORDS = (
    b"INIT DRIVE SET GETGEO GETCONF MISPKG { } Left Right Normalized true Type Name Location Rotation Start Value Link "
    b"1e999 nan -7 , \x00 \xff ClassName USARBot.P2DX 1,2,3 Sonar Encoder Camera"
)
words = st.sampled_from([*WORDS.split(b" "), b" ", b"\r\n", b"\n"])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(garbage=st.lists(st.one_of(words, st.binary(max_size=8)), max_size=40).map(b"".join))
def test_arbitrary_bytes_do_not_harm_the_server(server: UsarSimServer, garbage: bytes) -> None:
    client = Client(server)
    client.wait_for("NFO")
    client.send(garbage + b"}\r\n")
    server.arena.step(5)
    client.send(b"GETSTARTPOSES\r\n")
    client.wait_for("NFO")
    client.socket.close()
    wait_until(server, lambda: set(server.arena.robots) == {"pioneer"})


def test_many_clients_drive_one_robot_each(server: UsarSimServer) -> None:
    places = [(x, y) for x in (0.6, 1.4, 2.2, 3.0) for y in (5.2, 6.1)]
    clients = [Client(server) for _ in places]
    try:
        for k, (client, (x, y)) in enumerate(zip(clients, places, strict=True)):
            client.wait_for("NFO")
            client.send(OWN % (b"R%d" % k, x, -y))
            client.step(1)
        robots = set(server.arena.robots) - {"pioneer"}
        assert len(robots) == len(places) - 1  # the first has the world's own
        for client in clients:
            client.send(b"DRIVE {Left 1.0} {Right -1.0}\r\n")
        for client in clients:
            client.step(0)
        server.arena.step(20)
        for client in clients:
            assert client.wait_for("SEN", "Sonar").number("Time") is not None
        assert all(robot.body.wheel_speeds.left > 0.05 for robot in server.arena.robots.values())
    finally:
        for client in clients:
            client.socket.close()
    wait_until(server, lambda: set(server.arena.robots) == {"pioneer"})


def test_clients_that_come_and_go_do_not_stop_the_clock() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    arena = paddock.open("yellow-rooms", seed=3)
    arena.step(20_000)
    try:
        with (
            Server(arena, Settings(port=0, speed=1.0)).in_background() as served,
            UsarSimServer(arena, 0) as bridge,
            Peer(served) as peer,
        ):
            keeper = Client(bridge)
            keeper.send(INIT)  # it has the world's own robot
            keeper.wait_for("SEN")
            for number in range(10):
                guest = Client(bridge)
                guest.send(OWN % (b"G%d" % number, 6.0, -8.0))
                wait_for(lambda: len(arena.robots) == 2)
                guest.socket.close()
                peer.ask("step", ticks=1)
                wait_for(lambda: len(arena.robots) == 1)
                peer.ask("step", ticks=1)
            keeper.socket.close()
    finally:
        sys.setswitchinterval(before)


def test_client_that_never_reads_does_not_block_others(server: UsarSimServer) -> None:
    deaf = socket.create_connection(server.address)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.sendall(INIT)
    other = Client(server)
    other.wait_for("NFO")
    wait_until(server, lambda: any(client.robot is not None for client in server.robots))
    other.send(OWN % (b"R2", 6.0, -8.0))
    other.step(1)
    for _ in range(40):  # some MB of reports
        server.arena.step(250)
        other.step(0)
    server.arena.step(20)
    assert other.wait_for("SEN", "Sonar").number("Time") is not None
    other.socket.close()
    deaf.close()
    wait_until(server, lambda: set(server.arena.robots) == {"pioneer"})


KILLED = """
import socket, sys, time
line = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
line.sendall(sys.argv[2].encode() + b"\\r\\nDRIVE {Left 2} {Right 2}\\r\\n")
print("driving", flush=True)
while line.recv(4096):
    pass
"""


@pytest.mark.parametrize("guest", [False, True], ids=["of the world", "brought along"])
def test_robot_of_a_killed_program_stops_or_is_removed(server: UsarSimServer, guest: bool) -> None:
    keeper = Client(server)
    keeper.wait_for("NFO")
    if guest:  # the world's own robot is taken
        keeper.send(INIT)
        keeper.step(1)
    init = (OWN % (b"K", 6.0, -8.0)).decode().strip()
    program = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(server.address[1]), init], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "driving\n"
    name = "K" if guest else "pioneer"
    with running(server.arena):
        wait_for(lambda: name in server.arena.robots and server.arena[name].body.wheel_speeds.left > 0.1)
        os.kill(program.pid, signal.SIGKILL)
        program.wait()
        program.stdout.close()
        if guest:
            wait_for(lambda: name not in server.arena.robots)
        else:
            wait_for(lambda: server.arena[name].body.wheel_speeds == (0, 0))
    keeper.socket.close()


def test_world_reset_keeps_clients_connected(server: UsarSimServer) -> None:
    client = Client(server)
    client.wait_for("NFO")
    client.send(INIT + DRIVE)
    client.step(100)
    while (client.wait_for("SEN", "GroundTruth").number("Time") or 0) < 1.8:
        pass
    server.arena.reset()
    client.step(20)
    assert (client.wait_for("SEN", "GroundTruth").number("Time") or 9) < 0.2
    assert client.wait_for("SEN", "Odometry").numbers("Pose") == [0, 0, 0]
    client.send(DRIVE)
    client.step(50)
    assert server.arena["pioneer"].body.wheel_speeds.left == pytest.approx(0.12, abs=0.01)
    client.socket.close()
    wait_until(server, lambda: server.arena["pioneer"].body.command == (0, 0))


def test_another_client_can_take_control_and_the_usarsim_client_regain_it() -> None:
    with PaddockProcess("serve", "yellow-rooms", "--bridge", "usarsim=0") as served:
        wait_for(lambda: any("USARSim at" in line for line in served.printed))
        port = next(int(line.split("port ")[1].split()[0]) for line in served.printed if "USARSim at" in line)
        program = socket.create_connection(("127.0.0.1", port))
        program.sendall(INIT + b"DRIVE {Left 1} {Right 1}\r\n")
        with paddock.connect(served.url, lock_step=False) as arena:
            start = arena["pioneer"].pose
            wait_for(lambda: arena["pioneer"].pose.x > start.x + 0.02)
            arena["pioneer"].wheels.set(-0.2, -0.2)  # as the keys of the page do
            wait_for(lambda: arena["pioneer"].pose.x < start.x)
            program.sendall(b"DRIVE {Left 1} {Right 1}\r\n")
            wait_for(lambda: arena["pioneer"].wheels.speeds.left > 0)
        program.close()
