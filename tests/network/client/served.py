"""Arenas behind a socket for the tests of links: servers in a thread or a process, and faulty servers."""

from __future__ import annotations

import contextlib
import faulthandler
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve

import paddock
from paddock import testing
from paddock.network.client.remote import RemoteArena
from paddock.network.client.wire import WebSocketWire
from paddock.network.protocol import Message
from paddock.network.server import Server
from paddock.simulation.robots import load_robot
from paddock.simulation.sensors.bumper import BumperSpec
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.position import PositionSpec
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds.world_spec import Box, RobotPlacement

KIND = load_robot("e-puck")
FULL = replace(
    KIND,
    name="full",
    sensors=(
        *(KIND.sensor(name) for name in ("proximity", "ground", "camera", "microphones")),
        SonarSpec(name="sonar", range=1, cone_deg=20, pivot={"min_deg": -90, "max_deg": 90}),  # type: ignore[arg-type]
        PositionSpec(name="position"),
        BumperSpec(name="bumper", width_deg=180, mounts=((0, 0, 0, 0), (0, 0, 0, 180))),
        EncodersSpec(name="encoders", scale=1000),
    ),
)
YARD = paddock.WorldSpec(
    name="yard",
    bounds=(0, 0, 2, 2),
    boxes=(Box(at=(1.5, 0.5), size=(0.2, 0.2)),),
    robots=(
        RobotPlacement(name="red", type=FULL, at=(0.5, 0.5)),
        RobotPlacement(name="blue", type="e-puck", at=(1.5, 1.5)),
    ),
)
TIMEOUT = 60.0  # seconds after which a test fails rather than wait for ever


def serving(world: Any = YARD, *, seed: int = 1, **settings: Any) -> contextlib.AbstractContextManager[Server]:
    """A server in a thread of this process, by default in lock-step and as fast as possible."""
    return testing.serve(world, seed=seed, **settings)


def join(server: Server, **options: Any) -> RemoteArena:
    arena = paddock.connect(server.url(scheme="ws"), **options)
    assert isinstance(arena, RemoteArena)
    return arena


@contextlib.contextmanager
def process(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a separate process, and its address."""
    with testing.PaddockProcess("serve", "clutter", *arguments) as served:
        yield served.process, served.url.replace("http", "ws")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def impostor(behave: Callable[[ServerConnection], object]) -> Iterator[str]:
    """A WebSocket server with the given behaviour, and its address."""

    def handle(connection: ServerConnection) -> None:
        with contextlib.suppress(Exception):
            behave(connection)

    with serve(handle, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}/ws"
        finally:
            server.shutdown()
            thread.join()


class Traffic:
    """Records the messages that clients of this process send."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[Message] = []
        plain = WebSocketWire.send

        def send(wire: WebSocketWire, message: Message) -> None:
            self.sent.append(message)
            plain(wire, message)

        monkeypatch.setattr(WebSocketWire, "send", send)

    def take(self) -> list[str]:
        """The types of the messages since the last call."""
        types = [message.type for message in self.sent]
        self.sent.clear()
        return types


def together(*jobs: Callable[[], object]) -> None:
    """Run jobs in threads; raise the first error, or fail when a job does not end."""
    failures: list[BaseException] = []

    def guarded(job: Callable[[], object]) -> None:
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
        if thread.is_alive():
            faulthandler.dump_traceback()  # of all threads: where is it?
            pytest.fail("a thread hangs")
    if failures:
        raise failures[0]
