"""A recording on a server: timeline, seeking to any tick, read-only replay and going live."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

import paddock
from paddock import Recording
from paddock.network.protocol import VERSION
from paddock.network.server import Server, Settings

LONG = 60.0  # seconds after which a test gives up


class Watcher:
    """A JSON supervisor; `news` has the last message of each type."""

    def __init__(self, server: Server, stack: ExitStack) -> None:
        self.socket = stack.enter_context(connect(server.url(scheme="ws"), max_size=None))
        self.number, self.news = 0, {}
        self.ask("hello", version=VERSION)

    def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        self.number += 1
        self.socket.send(json.dumps({"type": type, "id": self.number, **fields}))
        while (message := self._receive()).get("id") != self.number:
            pass
        return message

    def wait_for(self, type: str, **values: Any) -> dict[str, Any]:
        """Wait for a message of a type with these values."""
        while (message := self.news.get(type, {})).items() & values.items() != values.items():
            self._receive()
        return message

    def _receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(LONG))
        self.news[message["type"]] = message
        return message


@pytest.fixture
def digests(tmp_path: Path) -> dict[int, str]:
    """Record 100 ticks with a reset after tick 40; return the digests by tick of the recording."""
    found = {}
    with paddock.open("clutter", seed=4) as arena, paddock.record(arena, tmp_path / "run.mcap"):
        arena["red"].wheels.set(0.08, 0.06)
        for tick in range(1, 101):
            arena.step()
            found[tick] = arena.digest()
            if tick == 40:
                arena.reset(7)
                arena["red"].wheels.set(0.05, 0.05)
    return found


@pytest.fixture
def watcher(tmp_path: Path, digests: dict[int, str]) -> Iterator[Watcher]:
    settings = Settings(port=0, speed=None)
    with ExitStack() as stack:
        server = stack.enter_context(Server(Recording(tmp_path / "run.mcap").replay(), settings).in_background())
        yield Watcher(server, stack)


def test_recording_plays_to_end_and_seeks_to_any_tick(watcher: Watcher, digests: dict[int, str]) -> None:
    watcher.wait_for("clock", running=False)  # it was played flat out, and stands at its end
    line = watcher.wait_for("timeline", offset=40)
    assert (line["first"], line["last"], line["name"]) == (0, 100, "run.mcap")
    assert [mark["tick"] for mark in line["marks"]] == [40]
    assert watcher.ask("digest")["value"] == digests[100]
    for tick in (99, 40, 41, 7, 100, 1):
        assert watcher.ask("seek", tick=tick)["type"] == "done"
        assert watcher.ask("digest")["value"] == digests[tick]
    watcher.ask("advance", ticks=2)
    assert watcher.ask("digest")["value"] == digests[3]
    watcher.ask("seek", tick=100)
    watcher.ask("play")  # from its start again
    watcher.wait_for("clock", running=True)
    watcher.wait_for("clock", running=False)
    assert watcher.ask("digest")["value"] == digests[100]


def test_replay_refuses_commands_until_it_goes_live(watcher: Watcher, digests: dict[int, str]) -> None:
    watcher.wait_for("clock", running=False)
    watcher.ask("seek", tick=20)
    for request in (
        {"type": "claim", "robot": "red"},
        {"type": "spawn", "robot": "blue", "kind": "e-puck"},
        {"type": "set_pose", "robot": "red", "x": 0.7, "y": 0.7},
    ):
        answer = watcher.ask(**request)
        assert answer["type"] == "refused"
        assert "a replay cannot be changed" in answer["message"]
    assert watcher.ask("digest")["value"] == digests[20]
    assert watcher.ask("go_live")["type"] == "done"
    assert watcher.wait_for("timeline", live=True)["last"] == 100
    assert watcher.ask("claim", robot="red")["type"] == "done"
    watcher.ask("advance", ticks=1)  # with the speeds that it has
    assert watcher.ask("digest")["value"] == digests[21]
    assert "went live at" in watcher.ask("seek", tick=5)["message"]


def test_server_without_recording_has_no_timeline() -> None:
    with ExitStack() as stack:
        server = stack.enter_context(Server(paddock.open("clutter"), Settings(port=0)).in_background())
        watcher = Watcher(server, stack)
        assert "no recording is replayed here" in watcher.ask("seek", tick=5)["message"]
        assert "timeline" not in watcher.news
