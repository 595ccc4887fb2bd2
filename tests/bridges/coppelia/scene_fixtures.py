"""A world as a scene, without a server."""

from __future__ import annotations

from collections import deque

import paddock
from bridges.coppelia.vrep_fixtures import ROOM
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.coppelia.legacy import Caller, LegacySession, LegacySimulator
from paddock.bridges.coppelia.legacy.messages import Block, build_request, parse_message
from paddock.bridges.coppelia.scene import CoppeliaScene


def make_scene() -> tuple[paddock.Arena, CoppeliaScene]:
    arena = paddock.open(ROOM, seed=5)
    return arena, CoppeliaScene(ArenaWorld(arena))


class FreeTime:
    """A time control stub that does nothing."""

    state, real_time = "running", False

    def start(self) -> None: ...
    def pause(self) -> None: ...
    def stop(self) -> None: ...
    def set_synchronous(self, on: bool) -> None: ...
    def trigger(self) -> None: ...


class Talk:
    """A client session that exchanges blocks."""

    def __init__(self) -> None:
        self.arena = paddock.open(ROOM, seed=5)
        self.simulator = LegacySimulator(ArenaWorld(self.arena))
        self.session = LegacySession(Caller(self.simulator, FreeTime()))
        self.number = 0

    def ask(self, *blocks: Block, now: float = 0.0) -> list[Block]:
        """Return the blocks of the reply to a message."""
        self.simulator.scene.begin()
        for work in (self.session.execute(build_request(self.number, blocks)), self.session.execute_streams(now)):
            deque(work, maxlen=0)
        request, replies = parse_message(self.session.build_reply(now))
        assert request.number == self.number
        self.number += 1
        return replies

    def handle(self, name: str) -> bytes:
        """Return the handle of an object, as command data."""
        return self.simulator.scene.find(name).handle.to_bytes(4, "little")
