"""Tests of broken or hostile cameras: memory and waiting time are bounded."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import paddock
from paddock.perception.vision import IpCamera
from paddock.perception.vision.camera_client import read_parts

OK = b"HTTP/1.0 200 OK\r\n"
STREAM = OK + b"Content-Type: multipart/x-mixed-replace;boundary=eye\r\n\r\n"
PICTURE = OK + b"Content-Type: image/jpeg\r\n\r\n"
PART = b"--eye\r\nContent-Type: image/jpeg\r\n\r\n"


@contextmanager
def drip(first: bytes, then: bytes, every: float = 0.02) -> Iterator[str]:
    """Serve an answer per connection, then send a few bytes periodically without end."""
    over = threading.Event()

    def talk(peer: socket.socket) -> None:
        with peer, suppress(OSError):  # the client has had enough
            peer.recv(65536)
            peer.sendall(first)
            while not over.wait(every):
                peer.sendall(then)

    def run(server: socket.socket) -> None:
        with suppress(OSError):  # the server is closed
            while True:
                threading.Thread(target=talk, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        accepting = threading.Thread(target=run, args=(server,), daemon=True)
        accepting.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/video"
        over.set()
        server.shutdown(socket.SHUT_RDWR)  # else the thread may accept connections of the next server in this process
        accepting.join()


def draw_jpeg(size: tuple[int, int] = (32, 16)) -> bytes:
    """Return a small JPEG file whose header states the given size."""
    file = io.BytesIO()
    Image.new("RGB", (32, 16), "white").save(file, "JPEG")
    jpeg = bytearray(file.getvalue())
    at = jpeg.index(b"\xff\xc0") + 5
    jpeg[at : at + 4] = size[1].to_bytes(2, "big") + size[0].to_bytes(2, "big")
    return bytes(jpeg)


@pytest.mark.parametrize(
    ("first", "then", "problem"),
    [
        (OK + b"X-Long: ", b"a", r"did not answer within 0\.5 s"),
        (PICTURE + b"\xff\xd8", b"\0", r"no complete picture within 0\.5 s"),
        (STREAM + PART, b"\0", r"no complete picture within 0\.5 s"),
        (STREAM, b"no boundary", r"no complete picture within 0\.5 s"),
        (STREAM, PART + b"no picture", r"no complete picture within 0\.5 s"),
    ],
    ids=["head", "picture", "part", "no boundary", "no pictures"],
)
def test_slow_camera_causes_a_timeout(first: bytes, then: bytes, problem: str) -> None:
    with drip(first, then) as url:
        with pytest.raises(paddock.Timeout, match=problem) as caught:
            IpCamera(url, timeout=0.5).take_picture()
        assert url in str(caught.value)
        if first.startswith(STREAM):
            with pytest.raises(paddock.Timeout, match=problem):
                next(IpCamera(url, timeout=0.5).stream(most_reconnects=0))


def test_slow_stream_of_whole_pictures_continues() -> None:
    """The timeout applies to each picture, not to the whole stream."""
    with drip(STREAM, PART + draw_jpeg() + b"\r\n", every=0.1) as url:
        pictures = IpCamera(url, timeout=1).stream(most_reconnects=0, repeats=True)
        assert sum(next(pictures).picture.shape == (16, 32, 3) for _ in range(12)) == 12
        pictures.close()


@pytest.mark.parametrize("size", [(13000, 13000), (65535, 65535)])
@pytest.mark.parametrize(
    "head", [OK + b"Content-Length: %d\r\n\r\n" % len(draw_jpeg()), STREAM + PART], ids=["single", "stream"]
)
def test_oversized_picture_is_refused(head: bytes, size: tuple[int, int]) -> None:
    problem = f"a picture of {size[0]} × {size[1]} pixels: expected at most 40 million"
    with drip(head + draw_jpeg(size) + b"\r\n--eye\r\n", b"\0") as url, pytest.raises(paddock.Refused, match=problem):
        IpCamera(url).take_picture()


def test_endless_part_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.perception.vision.camera_client.LARGEST", 10_000)
    with drip(STREAM + PART + b"\0" * 20_000, b"\0") as url, pytest.raises(paddock.LinkError, match="more than 10000"):
        IpCamera(url).take_picture()


class Chunks:
    """A stream whose bytes arrive in pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = iter(pieces)

    def read1(self, amount: int = -1, /) -> bytes:
        return next(self._pieces, b"")


@given(st.lists(st.integers(1, 60), min_size=1), st.booleans())
def test_parts_do_not_depend_on_chunk_sizes(sizes: list[int], with_length: bool) -> None:
    bodies = [b"first", b"", b"--ey is no boundary\r\n\r\nthird"]
    head = "--eye\r\nContent-Length: {}\r\n\r\n" if with_length else "--eye\r\nX: {}\r\n\r\n"
    whole = b"junk\r\n" + b"".join(head.format(len(body)).encode() + body + b"\r\n" for body in bodies) + b"--eye--"
    pieces: list[bytes] = []
    while whole:
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(whole[:size])
        whole = whole[size:]
    assert [body for _, body in read_parts(Chunks(pieces), b"--eye", 1000)] == bodies
