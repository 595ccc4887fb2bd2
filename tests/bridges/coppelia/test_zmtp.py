"""ZeroMQ's wire protocol: messages are complete for any split of the bytes."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.bridges.coppelia.zmq.zmtp import (
    GREETING,
    LONGEST,
    ZmtpPeer,
    pack_command,
    pack_frame,
    pack_message,
    pack_ready,
)
from paddock.core.errors import BadMessage

HELLO = GREETING + pack_ready("REQ")


@given(st.lists(st.lists(st.binary(max_size=600), min_size=1, max_size=4), max_size=4), st.integers(1, 700))
def test_messages_are_complete_for_any_chunk_size(messages: list[list[bytes]], size: int) -> None:
    wire = HELLO + b"".join(pack_message(frames) for frames in messages)
    peer = ZmtpPeer("REP")
    arrived = [frames for k in range(0, len(wire), size) for frames in peer.feed(wire[k : k + size])]
    assert arrived == messages
    assert (peer.ready, peer.replies) == (True, pack_ready("REP"))


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_parsed_or_refused(data: bytes) -> None:
    for before in (b"", GREETING, HELLO):
        peer = ZmtpPeer("REP")
        with contextlib.suppress(BadMessage):
            assert all(isinstance(frame, bytes) for frames in peer.feed(before + data) for frame in frames)


def test_pings_are_answered_and_subscriptions_returned() -> None:
    peer = ZmtpPeer("PUB")
    wire = GREETING + pack_ready("SUB") + pack_command(b"PING", b"\0\1context") + pack_command(b"SUBSCRIBE", b"")
    assert list(peer.feed(wire + pack_frame(b"\1old"))) == [[b"\1"], [b"\1old"]]
    assert peer.replies == pack_ready("PUB") + pack_command(b"PONG", b"context")


def test_oversized_frame_is_refused_before_it_arrives() -> None:
    peer = ZmtpPeer("REP")
    list(peer.feed(HELLO))
    with pytest.raises(BadMessage, match=f"at most {LONGEST['REP']} bytes"):
        list(peer.feed(b"\2" + (LONGEST["REP"] + 1).to_bytes(8, "big")))
