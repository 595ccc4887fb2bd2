"""A server is a core and services: without services it serves robots and time; services own their messages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import paddock
from network.server.parties import Peer
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.protocol.requests import REQUESTS
from paddock.network.server import Server, Settings
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.core_server import CoreServer
from paddock.network.server.core.service import Service, before, handles
from paddock.testing import wait_for

SETTINGS = Settings(port=0, speed=None, lock_step=True)


class Ledger(Service):
    """Owns `get_history`, and refuses `reset` until it was recalled."""

    def __init__(self) -> None:
        self.entries: list[str] = []

    @handles(m.GetHistory)
    def recall(self, client: Client, request: m.GetHistory) -> Message:
        self.entries.append(f"{client.name} recalled")
        return m.Answer(id=request.id, value=len(self.entries))

    @before(m.Reset)
    def check(self, client: Client, request: m.Reset) -> Message | None:
        return None if self.entries else m.Answer(id=request.id, value="not yet")

    def on_join(self, client: Client) -> None:
        self.entries.append(f"{client.name} joined")

    def on_reset(self) -> None:
        self.entries.append("reset")

    def on_leave(self, client: Client) -> None:
        self.entries.append(f"{client.name} left")


@pytest.fixture
def core() -> Iterator[CoreServer]:
    with CoreServer(paddock.open("clutter"), SETTINGS).in_background() as server:
        yield server


def test_core_without_services_serves_lock_step(core: CoreServer) -> None:
    with paddock.open("clutter") as here, paddock.connect(core.url(scheme="ws")) as there:
        for arena in (here, there):
            arena["red"].enable("proximity")
            for _ in range(50):
                near = arena["red"].sense().proximity < 0.03
                arena["red"].wheels.set(*((0.05, -0.05) if near.any() else (0.1, 0.1)))
                arena.step()
        assert there.digest() == here.digest()


def test_core_refuses_requests_of_services_and_ignores_their_notices(core: CoreServer) -> None:
    with Peer(core) as peer:
        for kind in ("get_history", "set_heat", "run_again", "submit", "open_world", "seek"):
            fields = {"set_heat": {"action": "start"}, "submit": {"file": "a.py", "data": b""}, "seek": {"tick": 1}}
            answer = peer.ask(kind, **fields.get(kind, {}))
            assert answer["error"] == "Refused"
            assert answer["message"] == f"{kind}: this server does not offer it"
        peer.send({"type": "program_ended"})
        assert peer.ask("play")["type"] == "done"


def test_service_owns_its_messages_and_may_answer_before_others() -> None:
    ledger = Ledger()
    server = CoreServer(paddock.open("clutter"), SETTINGS, services=[ledger])
    with server.in_background(), Peer(server, name="ada") as peer:
        wait_for(lambda: ledger.entries == ["ada joined"])
        ledger.entries.clear()
        assert peer.ask("reset")["value"] == "not yet"
        assert ledger.entries == []
        assert peer.ask("get_history")["value"] == 1
        assert peer.ask("reset")["type"] == "done"
        assert ledger.entries == ["ada recalled", "reset"]
    assert ledger.entries[2:] in ([], ["ada left"])


def test_last_service_that_handles_a_message_owns_it() -> None:
    server = Server(paddock.open("clutter"), SETTINGS)
    server.services.append(Ledger())
    with server.in_background(), Peer(server) as peer:
        assert peer.ask("get_history")["type"] == "answer"


def test_server_handles_every_request_of_the_protocol() -> None:
    with Server(paddock.open("clutter"), SETTINGS).in_background() as server:
        session = server.session
        assert {cls for cls in REQUESTS.values() if cls not in session._routes} == {m.Hello, m.ProgramEnded}
        assert session._routes[m.Reset].role is Role.SUPERVISOR
