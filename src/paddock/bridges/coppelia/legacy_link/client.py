"""VrepClient: a client of V-REP's legacy remote API in plain Python, without threads."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Sequence

from paddock.bridges.common.simulator_client import SimulatorClient
from paddock.bridges.coppelia.legacy.messages import ERROR, Block, ask_for, build_request, parse_message
from paddock.bridges.coppelia.legacy.packets import LONGEST_REPLY, PacketJoiner, split_packets
from paddock.core.errors import LinkError, Refused, Timeout

LAST_ERRORS, KILL_CONNECTION = 0x0004, 0x000A
STOP_NUMBER = -2  # message number that the watchdog uses on the same connection
PAUSE = 0.002  # seconds between two requests for a reply


class VrepClient(SimulatorClient):
    """Sends one request at a time and waits for the answer. Threads may share it."""

    def __init__(self, host: str, port: int, *, timeout: float = 10.0) -> None:
        """Connect. `timeout` is the maximum time for an answer [s]."""
        super().__init__("vrep", host, port, timeout)
        self._joiner, self._number = PacketJoiner(LONGEST_REPLY), 0

    def exchange(self, blocks: Sequence[Block]) -> tuple[int, list[Block]]:
        """Send a message. Return the number of the answered message and the blocks of the answer."""
        self._send(split_packets(build_request(self._number, blocks)))
        self._number += 1
        while True:
            for request, replies in self._receive_parsed(lambda data: map(parse_message, self._joiner.feed(data))):
                if request.number == STOP_NUMBER:
                    continue
                self.time = replies[-1].time / 1000 if replies else self.time
                return request.number, replies

    def call(self, command: int, key: bytes = b"", data: bytes = b"") -> bytes:
        """Execute a command and return its reply. Raise `Refused` if it fails."""
        return self.call_all([ask_for(command, key, data)])[0]

    def call_all(self, blocks: Sequence[Block]) -> list[bytes]:
        """Execute several commands with one message and return their replies in order."""
        with self._turn:
            replies = self._collect(blocks)
            if any(reply.status & ERROR for reply in replies):
                raise Refused(f"{self.name}: {self._last_error()}")
            return [reply.data for reply in replies]

    def _collect(self, blocks: Sequence[Block]) -> list[Block]:
        """Collect the replies to commands. V-REP executes them between two steps; until then it sends empty answers."""
        found: dict[tuple[int, bytes], Block] = {}
        first, end = self._number, time.monotonic() + self.timeout
        number, replies = self.exchange(blocks)
        while True:
            if number >= first:  # else they belong to an earlier call that timed out
                found |= {(reply.command, reply.key): reply for reply in replies}
            missing = [block for block in blocks if (block.command, block.key) not in found]
            if not missing:
                return [found[block.command, block.key] for block in blocks]
            if time.monotonic() > end:
                raise Timeout(f"{self.name}: command {missing[0].command:#06x} was not answered in {self.timeout:g} s")
            time.sleep(PAUSE)
            number, replies = self.exchange(())

    def _last_error(self) -> str:
        (reply,) = self._collect([ask_for(LAST_ERRORS)])
        texts = reply.data[4:]
        return texts.rstrip(b"\0").split(b"\0")[-1].decode("utf-8", "replace") or "the command failed"

    def close(self) -> None:
        with contextlib.suppress(LinkError), self._turn:  # the connection may be lost already
            self.exchange([ask_for(KILL_CONNECTION, struct.pack("<i", 0), mode=0)])
        self.disconnect()

    def disconnect(self) -> None:
        """Close the socket without sending a message."""
        self._socket.close()
