"""The JavaScript example client, run by Node against a server process, as documented in docs/network/protocol.md."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect

from paddock.testing import PaddockProcess

EXAMPLE = Path(__file__).parents[3] / "examples" / "clients" / "drive.mjs"
NODE = shutil.which("node") or ""
pytestmark = pytest.mark.skipif(not NODE, reason="node is not installed: install Node.js 20 or later")


@pytest.fixture
def server() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server process and its address."""
    with PaddockProcess("serve", "clutter", "--lock-step", "--seed", "3") as served:
        yield served.process, served.url


def node(*arguments: str) -> list[str]:
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    flag = ["--experimental-websocket"] if int(version[1:].split(".")[0]) < 22 else []
    return [NODE, *flag, str(EXAMPLE), *arguments]


def drive(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(node(*arguments), capture_output=True, text=True, check=False)


def news(address: str) -> dict[str, dict[str, object]]:
    """The first messages that a new client receives."""
    with connect(address.replace("http", "ws") + "ws") as socket:
        socket.send('{"type":"hello","id":1,"version":1}')
        told = [json.loads(socket.recv()) for _ in range(3)]
    return {message["type"]: message for message in told}


def test_client_drives_its_own_robot_for_given_time_and_removes_it(
    server: tuple[subprocess.Popen[str], str],
) -> None:
    _, address = server
    before = news(address)
    done = drive(address, "12")
    assert done.returncode == 0, done.stderr
    hello, end = done.stdout.splitlines()
    assert hello == "I am drive.mjs, a supervisor in clutter"
    found = re.fullmatch(r"after 12\.00 s at (\[.*\])", end)
    assert found is not None, end
    x, y, _ = json.loads(found[1])
    assert 0 < x < 1.5
    assert 0 < y < 1.5
    after = news(address)
    assert after["robots"] == before["robots"]  # the robot it brought along is gone
    assert after["clock"]["tick"] == 600
    assert "lock" not in after["clock"]  # nobody holds the clock


def test_equal_runs_end_at_equal_poses(server: tuple[subprocess.Popen[str], str]) -> None:
    _, address = server
    first = drive(address, "4")
    with connect(address.replace("http", "ws") + "ws") as socket:
        for message in ({"type": "hello", "version": 1}, {"type": "reset"}):
            socket.send(json.dumps(message | {"id": 1}))
        while json.loads(socket.recv())["type"] != "done":
            pass
    assert drive(address, "4").stdout == first.stdout != ""


def test_invalid_token_is_reported_in_one_line(server: tuple[subprocess.Popen[str], str]) -> None:
    _, address = server
    done = drive(f"{address}#token=guessed", "1")
    assert done.returncode == 1
    assert "Refused: token: this token is not valid here" in done.stderr


def test_killed_server_is_reported_in_one_line(server: tuple[subprocess.Popen[str], str]) -> None:
    process, address = server
    with subprocess.Popen(node(address, "1e9"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        assert client.stdout.readline().startswith("I am drive.mjs")
        process.kill()
        _, told = client.communicate()
    assert client.returncode == 1
    assert "the connection was closed" in told or "the connection is closed" in told
    assert drive(address, "1").stderr.count("no answer from 127.0.0.1") == 1
