"""Any input decodes to a message or raises BadMessage."""

from __future__ import annotations

import json

import msgpack
from hypothesis import example, given, settings
from hypothesis import strategies as st

from network.protocol.drawn import names, numbers, whole_numbers
from network.protocol.samples import SAMPLES, decode
from paddock.network.protocol import Message, encode
from paddock.network.protocol.encoding import Malformed
from paddock.network.protocol.messages import Refusal

GOLDEN = [encode(message, "msgpack") for message in SAMPLES]
TEXTS = [encode(message, "json").decode() for message in SAMPLES]
anything = st.recursive(
    st.none() | st.booleans() | whole_numbers | numbers | st.text(max_size=8) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
edits = st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 2), st.integers(0, 255)), min_size=1, max_size=6)


def survives(data: bytes | str) -> None:
    """Decode the data; a decoded message can be encoded, and an error message is valid text."""
    try:
        answer = decode(data)
    except Malformed as error:
        answer = Refusal(error="BadMessage", message=str(error), id=error.id)
    assert len(encode(answer, "msgpack")) < 2000 + 2 * len(data)
    assert decode(encode(answer, "json").decode())


def edited(data: bytes, changes: list[tuple[int, int, int]]) -> bytes:
    """Bytes with some changed, inserted or removed."""
    mutant = bytearray(data)
    for place, what, byte in changes:
        at = place % (len(mutant) + 1)
        mutant[at : at + (what < 2)] = b"" if what == 0 else bytes([byte])
    return bytes(mutant)


@settings(max_examples=300)
@given(st.binary(max_size=200))
@example(b"\xd7\xff\xff\xff\xff\xff\xff\xff\xff\xff")  # a time stamp with too many nanoseconds
@example(b"\xc7\x0c\xff" + b"\xff" * 12)
@example(b"\xdf\xff\xff\xff\xff")
def test_random_bytes_never_crash_decoder(data: bytes) -> None:
    survives(data)


@settings(max_examples=300)
@given(st.text(st.characters(), max_size=100) | st.text('{}[]":,0123456789.eE+-truefalsn \\u', max_size=100))
def test_random_texts_never_crash_decoder(text: str) -> None:
    survives(text)


@settings(max_examples=300)
@given(st.sampled_from(GOLDEN), edits)
def test_mutated_binary_messages_never_crash_decoder(data: bytes, changes: list[tuple[int, int, int]]) -> None:
    survives(edited(data, changes))


@settings(max_examples=300)
@given(st.sampled_from(TEXTS), edits)
def test_mutated_texts_never_crash_decoder(text: str, changes: list[tuple[int, int, int]]) -> None:
    survives(edited(text.encode(), changes).decode("utf-8", "surrogateescape"))


@settings(max_examples=300)
@given(st.sampled_from(SAMPLES), st.data())
def test_any_value_in_place_of_field_never_crashes_decoder(message: Message, data: st.DataObject) -> None:
    table = json.loads(encode(message, "json"))
    table[data.draw(st.sampled_from(sorted(table)))] = data.draw(anything)
    survives(json.dumps(table))
    try:
        packed = msgpack.packb(table)
    except UnicodeEncodeError:
        return
    survives(packed)


@given(st.sampled_from(GOLDEN), st.integers(0, 500))
def test_truncated_messages_never_crash_decoder(data: bytes, length: int) -> None:
    survives(data[:length])
