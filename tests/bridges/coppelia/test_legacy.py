"""Operation modes of the legacy remote API, byte for byte."""

from __future__ import annotations

import struct

import pytest

from bridges.coppelia.scene_fixtures import Talk
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.coppelia.legacy import CALLS
from paddock.bridges.coppelia.legacy.messages import (
    DISCONTINUE,
    ERROR,
    ONESHOT_SPLIT,
    STREAMING,
    STREAMING_SPLIT,
    Block,
    ask_for,
)

PROXIMITY, IMAGE, SET_STRING, GET_STRING, TAKE_STRING = 0x1009, 0x1004, 0x3015, 0x3012, 0x3017


@pytest.fixture(scope="module")
def talk() -> Talk:
    return Talk()


def test_reply_repeats_the_request_with_the_simulated_time(talk: Talk) -> None:
    talk.arena.step(5)
    asked = ask_for(0x3001, b"Pioneer_p3dx\0")
    (reply,) = talk.ask(asked)
    assert (reply.code, reply.key, reply.status) == (asked.code, asked.key, 0)
    assert reply.data == talk.handle("Pioneer_p3dx")
    assert reply.time == round(talk.arena.time * 1000)
    assert talk.ask() == []


def test_simulated_time_wraps_around_at_31_bits(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ArenaWorld, "time", 2**31 / 1000 + 5.0)
    (reply,) = talk.ask(ask_for(0x3001, b"Pioneer_p3dx\0"))
    assert reply.time == 5000


def test_streams_repeat_with_their_delay_until_discontinued(talk: Talk) -> None:
    quick = ask_for(PROXIMITY, talk.handle("Pioneer_p3dx_ultrasonicSensor1"), mode=STREAMING)
    slow = ask_for(PROXIMITY, talk.handle("Pioneer_p3dx_ultrasonicSensor2"), mode=STREAMING, delay=100)
    assert [reply.key for reply in talk.ask(quick, slow, now=1000)] == [quick.key, slow.key]
    assert [reply.key for reply in talk.ask(now=1050)] == [quick.key]
    assert [reply.key for reply in talk.ask(now=1100)] == [quick.key, slow.key]
    (ended, _) = talk.ask(ask_for(PROXIMITY, quick.key, mode=DISCONTINUE), now=1200)
    assert (ended.mode, ended.data) == (DISCONTINUE, b"")
    assert [reply.key for reply in talk.ask(ask_for(PROXIMITY, slow.key, mode=DISCONTINUE), now=1300)] == [slow.key]
    assert talk.ask(now=1400) == []


def test_new_command_replaces_the_same_stream(talk: Talk) -> None:
    key = talk.handle("Pioneer_p3dx_ultrasonicSensor3")
    talk.ask(ask_for(PROXIMITY, key, mode=STREAMING))
    assert len(talk.ask(ask_for(PROXIMITY, key))) == 1
    assert talk.ask() == []


def test_streamed_setter_is_executed_once_per_message(talk: Talk) -> None:
    append = ask_for(0x3016, b"log\0", b"ab", mode=STREAMING)
    assert [reply.key for reply in talk.ask(append)] == [append.key]
    for written in (b"ab", b"abab"):
        assert talk.simulator.signals.get(bytes, "log") == written
        talk.ask()
    talk.ask(ask_for(0x3016, b"log\0", mode=DISCONTINUE))


@pytest.mark.parametrize(
    ("kind", "ints", "floats", "strings"),
    [
        (0, 0, 0, 1), (1, 1, 0, 0), (2, 1, 0, 0), (3, 0, 3, 0), (4, 0, 3, 0), (5, 0, 3, 0), (6, 0, 3, 0), (7, 0, 4, 0),
        (8, 0, 4, 0), (9, 0, 6, 0), (10, 0, 6, 0), (11, 0, 7, 0), (12, 0, 7, 0), (13, 2, 6, 0), (14, 1, 6, 0),
        (15, 0, 2, 0), (16, 2, 2, 0), (17, 0, 3, 0), (18, 0, 3, 0), (19, 0, 6, 0), (20, 0, 0, 1), (21, 0, 0, 1),
    ],
)  # fmt: skip
def test_object_group_data_matches_the_specification(
    talk: Talk, kind: int, ints: int, floats: int, strings: int
) -> None:
    for group, wrong in ((1, (13, 14)), (5, (14, 16)), (109, ())):  # joints, proximity sensors, all objects
        (reply,) = talk.ask(ask_for(0x200C, struct.pack("<ii", group, kind)))
        count, *counts = struct.unpack_from("<4i", reply.data)
        assert counts == [count * ints, count * floats, count * strings]
        numbers = struct.unpack_from(f"<{counts[0]}i{counts[1]}f", reply.data, 16 + 4 * count)
        assert reply.data[16 + 4 * (count + len(numbers)) :].count(b"\0") == counts[2]
        if kind in wrong:
            assert set(numbers) == {-1, 0}


def join(pieces: list[Block]) -> bytes:
    whole = bytearray(pieces[0].whole)
    for piece in pieces:
        assert piece.whole == len(whole)
        whole[piece.offset : piece.offset + len(piece.data)] = piece.data
    return bytes(whole)


def test_split_replies_arrive_in_chunks_once_or_repeatedly(talk: Talk) -> None:
    key, text = b"split\0", bytes(range(250)) * 8
    talk.ask(ask_for(SET_STRING, key, text))
    pieces = talk.ask(ask_for(GET_STRING, key, mode=ONESHOT_SPLIT, delay=600))
    while sum(len(piece.data) for piece in pieces) < len(text):
        (piece,) = talk.ask()
        assert len(piece.data) <= 600
        pieces.append(piece)
    assert join(pieces) == text
    assert talk.ask() == []
    talk.ask(ask_for(GET_STRING, key, mode=STREAMING_SPLIT, delay=1000))
    offsets = [talk.ask()[0].offset for _ in range(4)]
    assert offsets == [1000, 0, 1000, 0]
    talk.ask(ask_for(GET_STRING, key, mode=DISCONTINUE))


@pytest.mark.parametrize("mode", [ONESHOT_SPLIT, STREAMING_SPLIT])
def test_split_replies_that_the_native_library_cannot_merge_are_sent_whole(talk: Talk, mode: int) -> None:
    key = talk.handle("ePuck_camera")
    (expected,) = talk.ask(ask_for(IMAGE, key))
    (reply,) = talk.ask(ask_for(IMAGE, key, mode=mode, delay=4000))
    assert reply.data == expected.data
    talk.ask(ask_for(IMAGE, key, mode=DISCONTINUE))


def test_split_command_is_executed_when_complete(talk: Talk) -> None:
    text = bytes(range(256)) * 4
    for offset in range(0, len(text), 300):
        piece = text[offset : offset + 300]
        block = Block(SET_STRING | ONESHOT_SPLIT, 300, 0, b"long\0", piece, offset, len(text))
        replies = talk.ask(block)
        assert bool(replies) == (offset + 300 >= len(text))
    assert talk.ask(ask_for(GET_STRING, b"long\0"))[0].data == text


def test_get_and_clear_of_a_signal_ends_its_stream(talk: Talk) -> None:
    (waiting,) = talk.ask(ask_for(TAKE_STRING, b"later\0", mode=STREAMING))
    assert waiting.status == ERROR
    replies = talk.ask(ask_for(SET_STRING, b"later\0", b"here"))
    assert [(reply.command, reply.data) for reply in replies] == [(SET_STRING, b""), (TAKE_STRING, b"here")]
    assert talk.ask() == []


def test_last_errors_are_reported_once(talk: Talk) -> None:
    talk.ask(ask_for(0x1001, struct.pack("<i", 4711)), ask_for(0x10FE, struct.pack("<i", 1)))
    (told,) = talk.ask(ask_for(0x0004))
    texts = told.data[4:].decode().split("\0")[:-1]
    assert texts[-2:] == ["simxGetJointPosition: object 4711 does not exist", "command 0x10fe: unknown call"]
    assert struct.unpack_from("<i", told.data) == (len(texts),)
    assert talk.ask(ask_for(0x0004))[0].data == bytes(4)


@pytest.mark.parametrize("number", sorted(CALLS), ids=lambda number: f"{number:#06x}")
def test_every_command_answers_arbitrary_input(talk: Talk, number: int) -> None:
    for key in (b"", struct.pack("<i", -1), struct.pack("<ii", 4711, 99), b"nothing\0", bytes(4) + b"a\0b\0"):
        replies = [reply for reply in talk.ask(ask_for(number, key, b"\0" * 3)) if reply.command == number]
        assert len(replies) == 1
        assert replies[0].key == key
    assert not any("internal error of the server" in text for text in talk.session.caller.errors)
