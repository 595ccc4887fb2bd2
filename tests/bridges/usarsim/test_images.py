"""Frames and requests of the image server."""

from __future__ import annotations

import itertools
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.bridges.usarsim.wire.images import JPEG, RAW, FrameSplitter, ImageRequest, RequestSplitter, format_frame
from paddock.core.errors import BadMessage

PICTURE = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)


def test_raw_frame_has_type_length_and_size() -> None:
    frame = format_frame(PICTURE, RAW)
    assert frame[:9] == b"\x00" + struct.pack(">I", 64) + struct.pack(">HH", 4, 5)
    assert frame[9:] == PICTURE.tobytes()


@given(st.lists(st.integers(0, 140), max_size=5))
def test_frames_are_reassembled_from_chunks(cuts: list[int]) -> None:
    data, splitter = 2 * format_frame(PICTURE, RAW), FrameSplitter()
    edges = [0, *sorted(cuts), len(data)]
    found = [picture for a, b in itertools.pairwise(edges) for picture in splitter.feed(data[a:b])]
    assert len(found) == 2
    assert all((picture == PICTURE).all() for picture in found)


def test_jpeg_frame_is_decoded() -> None:
    grey = np.full((16, 16, 3), 128, np.uint8)
    (found,) = FrameSplitter().feed(format_frame(grey, JPEG))
    assert abs(found.astype(int) - 128).max() <= 2


@pytest.mark.parametrize(
    "data", [b"\x09\0\0\0\1x", b"\x00\0\0\0\4\0\1\0\1", b"\x01\0\0\0\3abc", b"\x01\xff\xff\xff\xff"]
)
def test_invalid_frame_is_refused(data: bytes) -> None:
    with pytest.raises(BadMessage, match="image server"):
        FrameSplitter().feed(data)


@given(st.binary(max_size=40))
def test_requests_are_found_among_arbitrary_bytes(noise: bytes) -> None:
    splitter = RequestSplitter()
    splitter.feed(noise.replace(b"U", b"").replace(b"O", b""))
    assert splitter.feed(b"OK") == [ImageRequest()]
    part = b"U" + struct.pack(">IIII", 1, 2, 2, 3)
    assert splitter.feed(part[:7]) == []
    (request,) = splitter.feed(part[7:])
    assert (request.cut(PICTURE) == PICTURE[2:5, 1:3]).all()


@given(st.tuples(*[st.integers(0, 2**32 - 1)] * 4))
def test_any_window_gives_a_non_empty_image(window: tuple[int, int, int, int]) -> None:
    assert ImageRequest(window).cut(PICTURE).size > 0
