"""Tests of the JSON-lines TCP server, with modules in other languages."""

from __future__ import annotations

import errno
import json
import queue
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from network.nodes.rooms import configure
from network.nodes.test_modules import LONG, wait_for
from paddock.network.nodes import Bus, ModuleThreads, open_bus
from paddock.network.nodes.coordinator import CoordinatorModule
from paddock.network.nodes.node_messages import DriveMessage, PresenceMessage, RoundMessage
from paddock.network.nodes.transports.line_transport import LineServer

ROOT = Path(__file__).parents[3]


@contextmanager
def driven_by(command: list[str], folder: Path) -> Iterator[tuple[CoordinatorModule, subprocess.Popen[str]]]:
    """Run modules in real time with a planner in another program."""
    spec = configure(folder, "coordinator", "sensor", "reflex", "motor", seconds=60.0, port=0)
    with ModuleThreads(spec) as threads, open_bus(spec.bus, "WATCHER", hears=["SENSOR"]) as watcher:
        assert threads.line_server is not None
        program = subprocess.Popen([*command, str(threads.line_server.port)], stdout=subprocess.PIPE, text=True)
        try:
            coordinator = threads.modules["coordinator"]
            assert isinstance(coordinator, CoordinatorModule)
            wait_for(watcher, lambda _: coordinator.robot.pose.x > 1.8)
            yield coordinator, program
        finally:
            program.kill()
            program.wait()
            assert program.stdout is not None
            program.stdout.close()


@pytest.mark.heavy
@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
def test_javascript_planner_drives_the_robot(tmp_path: Path) -> None:
    with driven_by(["node", str(ROOT / "examples/clients/planner.mjs"), "127.0.0.1"], tmp_path) as (coordinator, _):
        assert coordinator.contacts == 0


@pytest.mark.heavy
@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler (javac) here")
def test_java_planner_with_ap2dx_lines_drives_the_robot(tmp_path: Path) -> None:
    source = Path(__file__).with_name("OriginalPlanner.java")
    with driven_by(["java", str(source)], tmp_path) as (coordinator, program):
        assert program.stdout is not None
        line = program.stdout.readline()
        sonar = json.loads(line)
        assert line == json.dumps(sonar, separators=(",", ":")) + "\n"  # as AP2DX writes it, without blanks
        assert list(sonar) == ["destinationModuleId", "rangeArray", "sourceModuleId", "time", "type"]
        assert (sonar["sourceModuleId"], sonar["destinationModuleId"]) == ("SENSOR", "PLANNER")
        assert coordinator.contacts == 0


def test_invalid_lines_and_greetings_do_not_affect_other_clients() -> None:
    with LineServer("memory://lines") as server, open_bus("memory://lines", "REFLEX") as reflex:
        for rubbish in (
            b"",
            b"GET / HTTP/1.1\r\n\r\n",
            b"\xff" * 5000 + b"\n",
            b'{"type":"drive","left":1,"right":1}\n',
        ):
            with socket.create_connection(("127.0.0.1", server.port)) as other:
                other.sendall(rubbish)
        with socket.create_connection(("127.0.0.1", server.port)) as planner:
            planner.sendall(b'{"sourceModuleId":"PLANNER","type":"HELLO!!!","protocol":1}\n')
            planner.sendall(b'garbage\n{"type":"nothing"}\n\n{"type":"drive","left":1,')
            planner.sendall(b'"right":2,"destinationModuleId":"REFLEX","sourceModuleId":"PLANNER"}\r\n{"type":"dri')
            got = wait_for(reflex, lambda message: isinstance(message, DriveMessage))
            assert (got.source, got.left, got.right) == ("PLANNER", 1.0, 2.0)  # type: ignore[attr-defined]
        gone = wait_for(reflex, lambda message: isinstance(message, PresenceMessage) and not message.present)
        assert gone.source == "PLANNER"


def test_server_recovers_when_out_of_file_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    accept, errors = socket.socket.accept, [OSError(errno.EMFILE, "Too many open files")]

    def fail_first(self: socket.socket) -> tuple[socket.socket, object]:
        if errors:
            raise errors.pop()
        return accept(self)

    monkeypatch.setattr(socket.socket, "accept", fail_first)
    with (
        LineServer("memory://descriptors") as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=LONG) as planner,
    ):
        planner.sendall(b'{"sourceModuleId":"PLANNER","type":"HELLO!!!","protocol":1}\n')
        assert b"HELLO!!!" in planner.recv(1000)
    assert not errors


def test_name_in_use_is_refused_with_a_message() -> None:
    with (
        LineServer("memory://taken") as server,
        open_bus("memory://taken", "MOTOR"),
        socket.create_connection(("127.0.0.1", server.port), timeout=LONG) as guest,
    ):
        guest.sendall(b'{"sourceModuleId":"MOTOR","type":"HELLO!!!","protocol":1}\n')
        assert b"a module MOTOR already exists" in guest.recv(1000)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type":"HELLO!!!","sourceModuleId":"planner"}', "HELLO!!!: Expected `str` matching regex"),
        (b'{"type":"drive","left":1,"right":1}', "expected HELLO!!! as the first message"),
        (b"GET / HTTP/1.1", "not valid JSON"),
    ],
)
def test_invalid_greeting_is_refused_with_a_message(line: bytes, reason: str) -> None:
    with (
        LineServer("memory://greeting") as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=LONG) as guest,
    ):
        guest.sendall(line + b"\n")
        refusal = json.loads(guest.recv(1000))
    assert (refusal["type"], refusal["sourceModuleId"]) == ("refused", "GATE")
    assert refusal["reason"].startswith(reason)


def test_client_cannot_impersonate_another_module() -> None:
    with (
        LineServer("memory://names") as server,
        open_bus("memory://names", "REFLEX") as reflex,
        socket.create_connection(("127.0.0.1", server.port)) as guest,
    ):
        guest.sendall(b'{"sourceModuleId":"GUEST","type":"HELLO!!!","protocol":1}\n')
        guest.sendall(b'{"sourceModuleId":"SENSOR","type":"round","number":1}\n')
        assert wait_for(reflex, lambda message: isinstance(message, RoundMessage)).source == "GUEST"


def test_reconnecting_module_replaces_its_former_connection() -> None:
    hello = b'{"sourceModuleId":"PLANNER","type":"HELLO!!!","protocol":1}\n'
    with (
        LineServer("memory://again") as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=LONG) as first,
        socket.create_connection(("127.0.0.1", server.port), timeout=LONG) as second,
    ):
        first.sendall(hello)
        assert b"HELLO!!!" in first.recv(1000)
        second.sendall(hello)
        assert b"HELLO!!!" in second.recv(1000)
        assert b"another module with the name PLANNER replaces this connection" in first.recv(1000)
        assert first.recv(1000) == b""


def test_module_waits_with_a_warning_while_its_name_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    told, joined = queue.SimpleQueue[str](), queue.SimpleQueue[Bus]()
    monkeypatch.setattr("warnings.warn", lambda text, *_, **__: told.put(text))
    with LineServer("memory://taken") as server:
        url = f"lines://127.0.0.1:{server.port}"
        former = open_bus("memory://taken", "PLANNER")
        threading.Thread(target=lambda: joined.put(open_bus(url, "PLANNER"))).start()
        assert told.get(timeout=LONG) == f"{url}: memory://taken: a module PLANNER already exists; PLANNER tries again"
        former.close()
        joined.get(timeout=LONG).close()
