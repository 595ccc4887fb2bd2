"""LegacySession: a client of the legacy remote API. It answers messages, without I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.coppelia.legacy import (  # noqa: F401 (they declare commands)
    device_commands,
    object_commands,
    shared_commands,
    signal_commands,
    simulation_commands,
)
from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.bridges.coppelia.legacy.messages import (
    DISCONTINUE,
    KEEP_BOTH,
    LONGEST_DATA,
    ONESHOT_SPLIT,
    STREAMING,
    STREAMING_SPLIT,
    Block,
    LegacyReply,
    LegacyRequest,
    build_message,
    parse_message,
)
from paddock.bridges.coppelia.legacy.table import carry_out
from paddock.core.errors import PaddockError

log = get_client_log("vrep")

KILL_CONNECTION, TAKE_STRING = 0x000A, 0x3017
MAX_STREAMS, MAX_PIECES, MAX_ERRORS, LONGEST_ERROR = 500, 32, 50, 500
LONGEST_ANSWER = 1 << 22  # bytes of all results in an answer, unless it has one only
SMALLEST_PIECE = 50  # minimum size of a piece of a split reply [bytes]
LONGEST_SPLIT = 2000  # maximum size of a result that is sent in pieces [bytes]; see `_stream`
STREAMED = (STREAMING, STREAMING_SPLIT, ONESHOT_SPLIT)

Key = tuple[int, bytes]


@dataclass(slots=True)
class Stream:
    """A command that is executed repeatedly, or whose reply is sent in pieces."""

    block: Block
    last: float | None = None  # time of the last execution [ms]
    executed: bool = False  # whether it was executed with the commands of the current message
    reply: LegacyReply | None = None  # the reply that is sent in pieces
    sent: int = 0  # number of bytes sent


class LegacySession:
    """A client with its streams and incomplete commands.

    `execute` executes the commands of a message, `execute_streams` all streams, and `build_reply` returns the answer.
    If the client has triggered a step, complete it before the streams, so that they contain the values sensed after
    it. The first two methods yield after each command, so that a long message does not block other clients. Call
    `begin()` of the scene before continuing later.
    """

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.streams: dict[Key, Stream] = {}
        self.ended = False  # whether the client has requested to disconnect
        self._pieces: dict[Key, bytearray] = {}
        self._replies: list[LegacyReply] = []
        self._size = 0  # of the results in the answer [bytes]
        self._request = LegacyRequest(-1, 0)

    def execute(self, message: bytes) -> Iterator[None]:
        """Execute the commands of a message; yield after each. Raise `BadMessage` for an invalid message."""
        self._request, blocks = parse_message(message)
        self._replies, self._size = [], 0
        for piece in blocks:
            block = self._join(piece)
            if block is not None:
                self._take(block)
                yield

    def restart_streams(self) -> None:
        """Make all streams due, because the clock that measures their delays was changed or reset."""
        for stream in self.streams.values():
            stream.last = None

    def execute_streams(self, now: float) -> Iterator[None]:
        """Execute the streams; yield after each. `now` is the time that measures their delays [ms]."""
        for key, stream in list(self.streams.items()):
            self._stream(key, stream, now)
            yield

    def build_reply(self, now: float) -> bytes:
        """Return the answer to the message."""
        caller = self.caller
        state = caller.control.state
        bits = (state != "stopped") | (state == "paused") << 1 | caller.control.real_time << 2
        replies, self._replies = self._replies, []
        return build_message(self._request, int(now) & 0x7FFFFFFF, bits, replies)

    def _join(self, piece: Block) -> Block | None:
        """Return the command that a piece completes; None if it is still incomplete."""
        if len(piece.data) == piece.whole:
            return piece
        key = (piece.command, piece.key)
        whole = self._pieces.get(key)
        if whole is None or len(whole) != piece.whole:
            held = sum(map(len, self._pieces.values()))
            if len(self._pieces) >= MAX_PIECES or held + piece.whole > LONGEST_DATA:
                self._pieces.clear()
            whole = self._pieces[key] = bytearray(piece.whole)
        whole[piece.offset : piece.offset + len(piece.data)] = piece.data
        if piece.offset + len(piece.data) < piece.whole:
            return None
        del self._pieces[key]
        return piece._replace(data=bytes(whole), offset=0)

    def _take(self, block: Block) -> None:
        key, mode = (block.command, block.key), block.mode
        if block.command == KILL_CONNECTION:
            self.ended = True
            self._replies.append(LegacyReply(block, b"", self._sim_time()))
        elif mode == DISCONTINUE:
            self.streams.pop(key, None)
            self._replies.append(LegacyReply(block, b"", self._sim_time()))
        elif mode in STREAMED:
            going = self.streams.get(key)
            if mode == ONESHOT_SPLIT and going is not None and going.block.mode == ONESHOT_SPLIT:
                return  # the previous reply is not completely sent
            if going is None and len(self.streams) >= MAX_STREAMS:
                self._replies.append(self._refuse(block, f"there are {MAX_STREAMS} streams already"))
            else:
                stream = self.streams[key] = Stream(block)
                if mode == STREAMING and block.data:  # a setter takes effect before the step that a message triggers
                    self._replies.append(self._carry_out(block))
                    stream.executed = True
        else:
            if not block.status & KEEP_BOTH:
                self.streams.pop(key, None)  # a new command replaces the same streaming command
            self._replies.append(self._carry_out(block))

    def _stream(self, key: Key, stream: Stream, now: float) -> None:
        """Reply to a stream if it is due.

        Long results are sent in one piece even in the split modes. When the native library receives the last piece of a
        result, it reads as many bytes before its buffer as the result has. With images, this crashes the program.
        """
        mode = stream.block.mode
        if mode == STREAMING:
            if stream.last is not None and stream.block.delay and now - stream.last < stream.block.delay:
                return
            stream.last = now
            if stream.executed:
                stream.executed = False
                return
            reply = self._carry_out(stream.block)
            self._replies.append(reply)
            if key[0] == TAKE_STRING and not reply.failed:
                del self.streams[key]
            return
        if stream.reply is None:
            stream.reply, stream.sent = self._carry_out(stream.block), 0
        whole = stream.reply.data
        size = max(SMALLEST_PIECE, stream.block.delay) if len(whole) <= LONGEST_SPLIT else len(whole)
        piece = whole[stream.sent : stream.sent + size]
        self._replies.append(stream.reply._replace(data=piece, offset=stream.sent, whole=len(whole)))
        stream.sent += len(piece)
        if stream.sent >= len(whole):
            stream.reply = None
            if mode == ONESHOT_SPLIT:
                del self.streams[key]

    def _carry_out(self, block: Block) -> LegacyReply:
        time = self._sim_time()
        try:
            data = carry_out(self.caller, block.command, block.key, block.data)
            self._size += len(data)
            if len(data) < self._size > LONGEST_ANSWER:
                raise PaddockError(f"the results of a message have more than {LONGEST_ANSWER >> 20} MB: request less")
            return LegacyReply(block, data, time)
        except PaddockError as error:
            return self._refuse(block, str(error))
        except Exception:
            log.exception("command %#06x failed", block.command)
            return self._refuse(block, f"command {block.command:#06x}: internal error of the server")

    def _refuse(self, block: Block, why: str) -> LegacyReply:
        errors, why = self.caller.errors, why[:LONGEST_ERROR]
        if not errors or errors[-1] != why:
            errors.append(why)
            del errors[:-MAX_ERRORS]
        return LegacyReply(block, b"", self._sim_time(), failed=True)

    def _sim_time(self) -> int:
        if self.caller.control.state == "stopped":
            return 0
        return int(self.caller.scene.live.time * 1000 + 0.01) & 0x7FFFFFFF  # wraps around after 24 days
