"""Programs in other languages connected to a USARSim port: one for Node, and AP2DX where it is installed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import paddock
from bridges.usarsim.usarsim_fixtures import running
from paddock.bridges.usarsim import UsarSimServer
from paddock.testing import wait_for

NODE = shutil.which("node") or ""
CLIENT = Path(__file__).with_name("usarsim_client.mjs")
SOURCES = os.environ.get("PADDOCK_AP2DX", "")  # the folder of AP2DX's Java project: it has src/AP2DX


@pytest.mark.skipif(not NODE, reason="node is not installed")
def test_node_program_drives_until_an_obstacle_is_near() -> None:
    arena = paddock.open("yellow-rooms", seed=3)
    with UsarSimServer(arena, 0) as server, running(arena):
        done = subprocess.run([NODE, CLIENT, str(server.address[1])], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        seen = json.loads(done.stdout)
        assert (seen["greeting"], seen["sonars"], seen["beams"]) == ("yellow-rooms", 8, 181)
        assert seen["odometry"][0] > 0.5
        assert abs(seen["odometry"][1]) < 0.1
        wait_for(lambda: arena["pioneer"].body.wheel_speeds == (0, 0))
        assert arena["pioneer"].pose.x == pytest.approx(1.5 + seen["odometry"][0], abs=0.3)  # it rolled on
        assert arena["pioneer"].contacts == ()


@pytest.mark.long
@pytest.mark.skipif(
    not (SOURCES and shutil.which("javac")), reason="PADDOCK_AP2DX names no folder with AP2DX's Java sources, or no JDK"
)
def test_original_ap2dx_drives_stops_backs_up_and_turns(tmp_path: Path) -> None:
    arena = paddock.open("yellow-rooms", seed=3)
    with UsarSimServer(arena, 0) as server, original_modules(tmp_path, server.address[1]), running(arena):
        robot, commands = arena["pioneer"], set[str]()

        def look() -> bool:
            left, right = robot.body.command
            commands.add("forward" if left > 0 and right > 0 else "back" if left < 0 and right < 0 else "other")
            if left * right < 0:
                commands.add("turn")
            return {"forward", "back", "turn"} <= commands

        wait_for(look, 120)
        assert robot.contacts == ()


@contextmanager
def original_modules(folder: Path, simulator: int) -> Iterator[None]:
    """Run AP2DX's coordinator, motor, reflex and planner, with stubs for sensor and mapper, which need a display."""
    files = [str(file) for file in Path(SOURCES, "src").rglob("*.java") if is_program(file)]
    jars = os.pathsep.join(str(file) for file in Path(SOURCES).rglob("*.jar"))
    subprocess.run(
        ["javac", "--release", "8", "-nowarn", "-encoding", "UTF-8", "-cp", jars, "-d", folder / "classes", *files],
        check=True, capture_output=True,
    )  # fmt: skip
    ports = {name: find_port() for name in ("COORDINATOR", "SENSOR", "MAPPER", "MOTOR", "PLANNER", "REFLEX")}
    wiring = {"COORDINATOR": ["SENSOR"], "MOTOR": ["COORDINATOR"], "REFLEX": ["MOTOR"], "PLANNER": ["REFLEX"]}
    with ExitStack() as stack:
        logs = stack.enter_context(TemporaryDirectory())  # when a neighbour goes, they fill their logs quickly
        stack.enter_context(stand_in(ports["SENSOR"], [ports["REFLEX"], ports["PLANNER"]]))
        for name, outgoing in wiring.items():
            links = [
                {"component": other, "address": "127.0.0.1", "port": ports[other], "bidirectional": name == "PLANNER",
                 "passive": False}
                for other in outgoing
            ]  # fmt: skip
            config = {"logfile": f"{logs}/{name}.log", "listen_port": ports[name], "outgoing": links}
            config |= {"sim_address": "127.0.0.1", "sim_port": simulator} if name == "COORDINATOR" else {}
            (folder / f"AP2DX.{name.lower()}.json").write_text(json.dumps(config))
        for name in wiring:
            program = subprocess.Popen(
                ["java", "-cp", os.pathsep.join([str(folder / "classes"), jars]), f"AP2DX.{name.lower()}.Program"],
                cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            stack.callback(program.wait)
            stack.callback(program.kill)
        yield


@contextmanager
def stand_in(port: int, receivers: list[int]) -> Iterator[None]:
    """Stub of the sensor and mapper modules: forward all messages to reflex and planner."""
    listener = socket.create_server(("127.0.0.1", port))

    def relay() -> None:
        accepted, _ = listener.accept()
        with closing(accepted), ExitStack() as stack:
            outputs = []
            for receiver in receivers:
                wait_for(lambda receiver=receiver: is_open(receiver), 60)
                outputs.append(stack.enter_context(socket.create_connection(("127.0.0.1", receiver))))
            for output, module in zip(outputs, ("SENSOR", "MAPPER"), strict=True):
                hello = {"sourceModuleId": module, "type": "HELLO!!!", "Bidirection": False}
                output.sendall(json.dumps(hello).encode() + b"\n")
            while data := accepted.recv(1 << 14):
                for output in outputs:
                    output.sendall(data)

    thread = threading.Thread(target=relay, daemon=True)
    thread.start()
    try:
        yield
    finally:
        listener.close()


def is_program(file: Path) -> bool:
    """Return whether a source belongs to the program and not to its tests, which need JUnit."""
    return "test" not in file.parts and not file.stem.endswith(("TestCase", "Test"))


def find_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
