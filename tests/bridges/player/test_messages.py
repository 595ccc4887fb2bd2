"""Messages and payloads of Player, compared with bytes written by hand from the protocol's specification."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.bridges.player.wire import (
    MessageType,
    PlayerAddress,
    PlayerMessage,
    PlayerSplitter,
    XdrLayout,
    pack_banner,
)
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.errors import BadMessage

PULL = "00000000 00000000 00000001 00000000 00000003 00000005 0000000000000000 00000001 00000004 00000002"
GOLDEN = {
    "position data": (
        layout.POSITION.pack((1.0, -2.0, 0.5), (0.25, 0.0, 0.0), 1),
        "3ff0000000000000 c000000000000000 3fe0000000000000 3fd0000000000000" + "00" * 16 + "00000001",
    ),
    "device list": (
        layout.DEVICES.pack([(0x7F000001, 6665, 4, 0)]),
        "00000001 00000001 7f000001 00001a09 00000004 00000000",
    ),
    "subscription": (
        layout.SUBSCRIPTION.pack((1, 6665, 4, 0), 1, b"stage"),
        "00000001 00001a09 00000004 00000000 00000001 00000005 00000005 73746167 65000000",
    ),
    "scan": (
        layout.SCAN.pack(-1.0, 1.0, 0.5, 8.0, np.array([2.0]), b"\7", 3),
        "bf800000 3f800000 3f000000 41000000 00000001 00000001 40000000 00000001 00000001 07000000 00000003",
    ),
    "ranges of a ranger": (layout.RANGER_RANGES.pack([1.5]), "00000001 00000001 3ff8000000000000"),
    "bumpers": (layout.BUMPS.pack(b"\0\1"), "00000002 00000002 00010000"),
    "bumper geometry": (
        layout.BUMPER_GEOMETRY.pack([(0.5, 0, 0, 0, 0, 0, 0.5, 0.25)]),
        "00000001 00000001 3fe0000000000000" + " 0000000000000000" * 5 + "3f000000 3e800000",
    ),
}


@pytest.mark.parametrize(("packed", "expected"), GOLDEN.values(), ids=GOLDEN)
def test_payloads_match_player(packed: bytes, expected: str) -> None:
    assert packed == bytes.fromhex(expected)


def test_headers_match_player() -> None:
    message = PlayerMessage(PlayerAddress(0, 0, 1, 0), MessageType.REQUEST, 5, 0.0, 1, layout.NUMBER.pack(2))
    assert message.pack() == bytes.fromhex(PULL)
    assert list(PlayerSplitter().feed(bytes.fromhex(PULL))) == [message]
    assert pack_banner("3.1.0") == b"Player v.3.1.0" + bytes(18)


@given(st.lists(st.binary(max_size=40), max_size=5), st.lists(st.integers(1, 90), max_size=12))
def test_messages_survive_any_split(payloads: list[bytes], cuts: list[int]) -> None:
    sent = [PlayerMessage(PlayerAddress(1, 2, 3, k), 1, 1, 0.5, k, payload) for k, payload in enumerate(payloads)]
    stream, splitter, heard = b"".join(message.pack() for message in sent), PlayerSplitter(), []
    for cut in [*cuts, len(stream)]:
        heard += splitter.feed(stream[:cut])
        stream = stream[cut:]
    assert heard == sent


@given(st.binary(max_size=50), st.lists(st.floats(allow_nan=False), max_size=9), st.tuples(*[st.floats(-9, 9)] * 3))
def test_payload_values_round_trip(name: bytes, numbers: list[float], pose: tuple[float]) -> None:
    fields = XdrLayout("*B", "3d", "*d", "i")
    data = fields.pack(name, pose, numbers, -7)
    assert len(data) % 4 == 0
    got = fields.unpack(data + b"what follows is not looked at")
    assert (got[0], got[1], got[2].tolist(), got[3]) == (name, pose, numbers, -7)
    for end in range(len(data)):
        with pytest.raises(BadMessage, match="bytes or more"):
            fields.unpack(data[:end])


@pytest.mark.parametrize("fields", [(1, 2, 3, 4, 9, 1, 0.0, 0, 0), (1, 2, 3, 4, 1, 1, 0.0, 0, 1 << 30)])
def test_invalid_header_is_reported(fields: tuple[float, ...]) -> None:
    from paddock.bridges.player.wire.messages import HEADER

    with pytest.raises(BadMessage, match="is this Player's protocol"):
        list(PlayerSplitter().feed(HEADER.pack(*fields)))
