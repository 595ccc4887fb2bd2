"""VrepClient: a client of V-REP's legacy remote API in plain Python, without threads."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Sequence
from typing import Self

from paddock.coppelia.legacy.messages import ERROR, Block, ask_for, build_request, parse_message
from paddock.coppelia.legacy.packets import PacketJoiner, split_packets
from paddock.core.errors import LinkError, Refused
from paddock.links.scene.client import SceneClient

LAST_ERRORS, KILL_CONNECTION = 0x0004, 0x000A
FEW = 50  # messages after which a reply that never comes is given up


class VrepClient(SceneClient):
    """Asks one thing at a time, and waits for the answer. Threads may share it."""

    def __init__(self, host: str, port: int, *, timeout: float = 10.0) -> None:
        """Connect; `timeout` is how long an answer may take [s]."""
        super().__init__("vrep", host, port, timeout)
        self._joiner, self._number = PacketJoiner(), 0

    def exchange(self, blocks: Sequence[Block]) -> tuple[int, list[Block]]:
        """Send a message; the number of the message that is answered, and the blocks of the answer."""
        self._send(split_packets(build_request(self._number, blocks)))
        self._number += 1
        while True:
            for message in self._joiner.feed(self._receive()):
                request, replies = parse_message(message)
                self.time = replies[-1].time / 1000 if replies else self.time
                return request.number, replies

    def call(self, command: int, key: bytes = b"", data: bytes = b"") -> bytes:
        """Carry out a command; what it answers. `Refused` if it fails there."""
        return self.call_all([ask_for(command, key, data)])[0]

    def call_all(self, wanted: Sequence[Block]) -> list[bytes]:
        """Carry out several commands with one message; what they answer, in their order."""
        with self._turn:
            first = self._number
            number, replies = self.exchange(wanted)
            for _ in range(FEW):  # a simulator may answer with a later message
                if number >= first and replies:
                    break
                number, more = self.exchange(())
                replies = replies or more
            answers = [self._find(block, replies) for block in wanted]
            if any(answer is None for answer in answers):
                raise Refused(f"{self.name}: {self._last_error()}")
            return [answer for answer in answers if answer is not None]

    def _find(self, block: Block, replies: Sequence[Block]) -> bytes | None:
        for reply in replies:
            if (reply.command, reply.key) == (block.command, block.key):
                return None if reply.status & ERROR else reply.data
        raise LinkError(f"{self.name}: command {block.command:#06x} was not answered")

    def _last_error(self) -> str:
        _, replies = self.exchange([ask_for(LAST_ERRORS)])
        texts = next((reply.data[4:] for reply in replies if reply.command == LAST_ERRORS), b"")
        return texts.rstrip(b"\0").split(b"\0")[-1].decode("utf-8", "replace") or "the command failed there"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(OSError, LinkError), self._turn:  # it may be gone already
            self.exchange([ask_for(KILL_CONNECTION, struct.pack("<i", 0), mode=0)])
        self.hang_up()

    def hang_up(self) -> None:
        """Close the connection without a word."""
        self._socket.close()
