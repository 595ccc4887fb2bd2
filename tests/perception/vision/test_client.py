"""Tests of the client of IP cameras: passwords, damaged pictures, lost connections and latency."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from uuid import uuid4

import pytest

import paddock
from experiments.ecoli.overhead_camera.lab import camera, draw_poses, serve_camera, with_network
from paddock.experiments.ecoli.overhead_camera import OverheadCamera
from paddock.perception.vision import IpCamera, NotAStream
from paddock.perception.vision.camera_client import read_boundary


@contextmanager
def listen(*answers: bytes) -> Iterator[str]:
    """Serve one of the answers per request, in turn, then close the connection.

    Each server has its own path, since a client of another test may still try to reach this port."""
    path, left = f"/{uuid4()}", list(reversed(answers))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def run() -> None:
            while left:
                with server.accept()[0] as peer:
                    if path.encode() in peer.recv(65536):
                        peer.sendall(left.pop())

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}{path}"


def jpeg() -> bytes:
    eye: OverheadCamera = camera()
    return eye.take_jpeg(eye.set_scene(draw_poses(0)))


def part(body: bytes, *, time: float, length: int | None = None) -> bytes:
    head = f"--eye\r\nContent-Type: image/jpeg\r\nContent-Length: {length or len(body)}\r\nX-Timestamp: {time}\r\n\r\n"
    return head.encode() + body + b"\r\n"


STREAM = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=eye\r\n\r\n"


@pytest.mark.parametrize("scheme", ["basic", "digest"])
@pytest.mark.parametrize("path", ["/snapshot.jpg", "/stream.mjpg"])
def test_picture_is_received_with_password(scheme: str, path: str) -> None:
    spec = with_network(user="lab", password="se cret", authentication=scheme)
    with serve_camera(spec, moving=True) as (server, arena):
        for eye in (
            IpCamera(server.url + path, user="lab", password="se cret", clock=lambda: arena.time),
            IpCamera(server.url.replace("//", "//lab:se%20cret@") + path),
        ):
            seen = eye.take_picture()
            assert seen.picture.shape == (240, 320, 3)
            assert seen.time_of_exposure is not None
            assert "se cret" not in eye.url
        with pytest.raises(paddock.Refused, match="rejects this user and password"):
            IpCamera(server.url + path, user="lab", password="wrong").take_picture()
        with pytest.raises(paddock.Refused, match="requires a user and a password"):
            next(IpCamera(server.url + path).stream())


def test_stream_has_the_latency_of_the_camera_and_drops_pictures() -> None:
    spec = with_network(latency=0.1, jitter=0.04, dropped=0.3)
    with serve_camera(spec, moving=True) as (server, arena):
        eye = IpCamera(server.url + "/stream.mjpg", clock=lambda: arena.time)
        seen = list(islice(eye.stream(), 12))
    ages = [picture.age for picture in seen[1:]]
    assert all(age is not None and age >= 0.1 - 1e-9 for age in ages)
    times = [picture.time_of_exposure or 0.0 for picture in seen]
    assert times == sorted(set(times))


def test_truncated_pictures_are_skipped() -> None:
    with serve_camera(with_network(cut=0.5), moving=True) as (server, _):
        eye = IpCamera(server.url + "/stream.mjpg")
        assert any(eye.broken for _ in islice(eye.stream(), 100))


def test_damaged_parts_are_skipped_and_ended_stream_is_reopened() -> None:
    whole = jpeg()
    answers = (
        STREAM + part(whole, time=1) + part(whole[:900], time=2, length=len(whole)) + part(b"no picture", time=3),
        b"HTTP/1.0 500 Oops\r\n\r\n",
        STREAM + part(whole, time=4) + part(whole, time=4) + part(whole, time=5),
    )
    with listen(*answers) as url:
        eye = IpCamera(url)
        assert [picture.time_of_exposure for picture in islice(eye.stream(), 3)] == [1, 4, 5]
        assert (eye.broken, eye.reconnects) == (2, 2)


def test_stream_without_lengths_and_times_is_accepted() -> None:
    whole = jpeg()
    body = b"--eye\r\nContent-Type: image/jpeg\r\n\r\n" + whole + b"\r\n"
    with listen(STREAM + body + body + b"--eye--") as url:
        seen = IpCamera(url).take_picture()
        assert seen.time_of_exposure is None
        assert seen.age is None
        assert seen.jpeg == whole
    assert read_boundary('multipart/x-mixed-replace; boundary="--my"') == b"--my"


def test_invalid_cameras_are_reported() -> None:
    with pytest.raises(paddock.LinkError, match="expected the address of a camera"):
        IpCamera("camera.local")
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(paddock.LinkError, match="cannot be reached"):
        IpCamera(f"http://127.0.0.1:{port}/").take_picture()
    with pytest.raises(paddock.LinkError, match="cannot be reached"):
        next(IpCamera(f"http://127.0.0.1:{port}/").stream(most_reconnects=1))
    page, problem = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nhello", "expected a JPEG picture, got text/html"
    with listen(page, page) as url:
        with pytest.raises(paddock.LinkError, match=problem):
            IpCamera(url).take_picture()
        with pytest.raises(NotAStream, match="expected a stream"):
            next(IpCamera(url).stream())
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(paddock.Timeout, match=r"did not answer within 0\.2 s"):
            IpCamera(url, timeout=0.2).take_picture()


def test_client_reconnects_while_the_camera_restarts() -> None:
    with serve_camera(with_network(), moving=True) as (first, _):
        port = first.server_address[1]
        eye = IpCamera(first.url + "/stream.mjpg")
        pictures = eye.stream()
        next(pictures)
    with serve_camera(with_network(port=port), moving=True):
        assert next(pictures).picture.shape == (240, 320, 3)
    assert eye.reconnects >= 1
    pictures.close()


def test_repeated_pictures_are_returned_only_on_request() -> None:
    whole = jpeg()
    untimed = b"--eye\r\nContent-Type: image/jpeg\r\n\r\n" + whole + b"\0\r\n"
    stream = STREAM + part(whole, time=7) * 25 + part(whole, time=8) + untimed * 3 + part(whole, time=6)
    with listen(stream, stream) as url:
        seen = list(islice(IpCamera(url).stream(most_reconnects=0), 4))
        assert [picture.time_of_exposure for picture in seen] == [7, 8, None, 6]
        seen = list(islice(IpCamera(url).stream(most_reconnects=0, repeats=True), 26))
        assert [picture.time_of_exposure for picture in seen] == [7] * 25 + [8]


@pytest.mark.parametrize("url", ["http://h:99999/x", "http://[::1/x", "http://h:abc/"])
def test_invalid_address_is_reported(url: str) -> None:
    with pytest.raises(paddock.LinkError, match=r"expected the address of a camera") as caught:
        IpCamera(url)
    assert url in str(caught.value)


@pytest.mark.parametrize("url", ["http://a..b/x", "http://127.0.0.1:1/ü.jpg", "http://127.0.0.1:1/a b"])
def test_unsendable_address_is_reported(url: str) -> None:
    with pytest.raises(paddock.LinkError, match=r"the camera cannot be reached"):
        IpCamera(url).take_picture()


def test_non_http_answer_is_shown_truncated_without_control_characters() -> None:
    with listen(b"\x1b[2J" + b"x" * 5000 + b"\n") as url, pytest.raises(paddock.LinkError) as caught:
        IpCamera(url).take_picture()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_invalid_timeout_is_refused() -> None:
    with pytest.raises(paddock.LinkError, match=r"timeout: expected seconds > 0, got -1"):
        IpCamera("http://127.0.0.1:1/x", timeout=-1)


@pytest.mark.parametrize("scheme", ["basic", "digest"])
def test_user_and_password_may_be_in_any_script(scheme: str) -> None:
    spec = with_network(user="ロボット", password="żółw", authentication=scheme)
    with serve_camera(spec) as (server, _):
        assert IpCamera(server.url + "/snapshot.jpg", user="ロボット", password="żółw").take_picture().picture.size
        with pytest.raises(paddock.Refused, match="rejects this user and password"):
            IpCamera(server.url + "/snapshot.jpg", user="ロボット", password="zolw").take_picture()


@pytest.mark.parametrize("stamp", [float("nan"), float("inf")])
def test_non_finite_exposure_time_is_ignored(stamp: float) -> None:
    with listen(STREAM + part(jpeg(), time=stamp)) as url:
        assert IpCamera(url).take_picture().time_of_exposure is None
