"""ROS 2 programs that do not use Paddock drive a Pioneer through the yellow rooms."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.sync.client import connect

from bridges.ros2.ros2_fixtures import DOMAIN, by_dds, by_rosbridge, serve_bridge
from paddock.testing import PaddockProcess

PROGRAMS = Path(__file__).parent / "ros2_programs"
WAY = ["2.5,0.2", "3.7,0.2", "3.7,1.6", "6.0,1.6", "7.4,1.6"]  # from the start at (1.5, 2.0): two doorways
SPEED = 8.0  # a program has 2.5 ms for each tick


def run(program: str, *arguments: str) -> list[str]:
    """Return the output of a program that cannot import Paddock or these tests."""
    command = [sys.executable, "-I", str(PROGRAMS / program), *arguments, *WAY]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_serve_offers_dds_and_rosbridge_together() -> None:
    with PaddockProcess(
        "serve", "yellow-rooms", "--bridge", f"ros2=dds,domain={DOMAIN},rate=10", "--bridge", "rosbridge=0"
    ) as server:
        assert f"ROS_DOMAIN_ID={DOMAIN}, on this machine" in server.line("ROS 2 over DDS")
        address = server.line(r"rosbridge at (ws://\S+)")
        with connect(address, close_timeout=1) as socket:
            socket.send('{"op": "subscribe", "topic": "/odom"}')
            assert '"child_frame_id":"base_link"' in socket.recv(timeout=60)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0
        assert "Traceback" not in server.log


@pytest.mark.heavy
def test_cyclonedds_node_drives_through_rooms() -> None:
    with serve_bridge(by_dds, "yellow-rooms", speed=SPEED) as bridge:
        arena = bridge.hub.arena
        *visited, last = run("dds_rooms.py", str(DOMAIN))
        assert visited == [f"at {point}" for point in WAY]
        assert last == "odom base_link scan=True odom=True tf=True"
        pose = arena["pioneer"].pose
        assert (pose.x, pose.y) == (pytest.approx(8.9, abs=0.4), pytest.approx(3.6, abs=0.4))  # beyond the second door


@pytest.mark.heavy
def test_roslibpy_program_drives_through_rooms() -> None:
    with serve_bridge(by_rosbridge, "yellow-rooms", speed=SPEED / 2) as bridge:
        arena = bridge.hub.arena
        *visited, last = run("rosbridge_rooms.py", str(bridge.addresses[0][1]))
        assert [line.replace(" ", ",").replace("at,", "at ") for line in visited] == [f"at {point}" for point in WAY]
        assert last == "base_link camera True"  # which pivots
        pose = arena["pioneer"].pose
        assert (pose.x, pose.y) == (pytest.approx(8.9, abs=0.4), pytest.approx(3.6, abs=0.4))
