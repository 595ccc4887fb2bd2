"""Tests of the IP camera on real sockets: pictures, passwords, slow clients and many clients."""

from __future__ import annotations

import hashlib
import http.client
import io
import re
import socket
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from PIL import Image

import paddock
from experiments.ecoli.overhead_camera.lab import serve_camera, with_network
from paddock.bridges import OpenBridges
from paddock.experiments.ecoli.overhead_camera import OverheadCameras, OverheadSpec
from paddock.experiments.ecoli.overhead_camera.http_camera import REALM, Guard, HttpCamera
from paddock.perception.vision.digest import compute_response, parse_parts
from paddock.testing.servers import wait_for

SIZE = (320, 240)
PASSWORD = {"user": "lab", "password": "se:cret"}


def get(camera: HttpCamera, path: str, **headers: str) -> http.client.HTTPResponse:
    """Send a request and return the answer, read completely unless it is a stream."""
    address = urlsplit(camera.url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    if not answer.getheader("Content-Type", "").startswith("multipart/"):
        answer.read()
        connection.close()
    return answer


@pytest.mark.parametrize("path", ["/snapshot.jpg", "/axis-cgi/jpg/image.cgi?resolution=640x480"])
def test_still_is_a_jpeg_with_its_time(path: str) -> None:
    with serve_camera() as (camera, arena):
        arena.step(5)
        with urllib.request.urlopen(camera.url + path, timeout=60) as answer:
            assert answer.headers["Content-Type"] == "image/jpeg"
            assert float(answer.headers["X-Timestamp"]) == pytest.approx(0.1)
            assert Image.open(io.BytesIO(answer.read())).size == SIZE


def test_stream_parts_have_type_length_and_time() -> None:
    with serve_camera(moving=True) as (camera, _):
        answer = get(camera, "/stream.mjpg")
        kind = answer.getheader("Content-Type", "")
        assert kind.startswith("multipart/x-mixed-replace; boundary=")
        boundary = b"--" + kind.partition("boundary=")[2].encode()
        times = []
        for _ in range(3):
            assert answer.fp.readline().strip() == boundary
            head = http.client.parse_headers(answer.fp)
            assert head["Content-Type"] == "image/jpeg"
            body = answer.fp.read(int(head["Content-Length"]))
            assert Image.open(io.BytesIO(body)).size == SIZE
            assert answer.fp.readline() == b"\r\n"
            times.append(float(head["X-Timestamp"]))
        assert times == sorted(set(times))
        answer.close()


def test_paused_world_repeats_its_picture_and_does_not_move() -> None:
    with serve_camera() as (camera, arena):
        before = arena.digest()
        answer = get(camera, "/stream.mjpg")
        times = []
        for _ in range(2):
            answer.fp.readline()
            head = http.client.parse_headers(answer.fp)
            answer.fp.read(int(head["Content-Length"]) + 2)
            times.append(head["X-Timestamp"])
        assert times == ["0.000000", "0.000000"]
        assert arena.digest() == before
        answer.close()


def test_unused_camera_is_idle_and_the_next_picture_is_current() -> None:
    with serve_camera() as (camera, arena):
        feed = camera.feed
        assert feed.is_idle
        feed.idle = 3600.0
        assert get(camera, "/snapshot.jpg").getheader("X-Timestamp") == "0.000000"
        assert not feed.is_idle
        feed.idle = 0.0
        wait_for(lambda: feed.is_idle)
        arena.step(50)
        assert get(camera, "/snapshot.jpg").getheader("X-Timestamp") == "1.000000"


@pytest.mark.parametrize("scheme", ["basic", "digest"])
def test_urllib_needs_the_password(scheme: str) -> None:
    with serve_camera(with_network(authentication=scheme, **PASSWORD)) as (camera, _):
        known = urllib.request.HTTPPasswordMgrWithDefaultRealm()
        known.add_password(None, camera.url, *PASSWORD.values())
        handlers = {"basic": urllib.request.HTTPBasicAuthHandler, "digest": Md5Handler}
        opener = urllib.request.build_opener(handlers[scheme](known))
        with opener.open(camera.url + "/snapshot.jpg", timeout=60) as answer:
            assert answer.status == 200
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(camera.url + "/snapshot.jpg", timeout=60)
        refused.value.close()


class Md5Handler(urllib.request.HTTPDigestAuthHandler):
    """The standard library supports MD5 only and uses the first challenge."""

    def http_error_401(self, req, fp, code, msg, headers):  # type: ignore[no-untyped-def]
        offers = headers.get_all("WWW-Authenticate")
        del headers["WWW-Authenticate"]
        headers["WWW-Authenticate"] = next(offer for offer in offers if "algorithm=MD5" in offer)
        return super().http_error_401(req, fp, code, msg, headers)


@pytest.mark.parametrize("algorithm", ["MD5", "SHA-256"])
def test_digest_authentication_computed_by_hand_is_accepted(algorithm: str) -> None:
    with serve_camera(with_network(**PASSWORD)) as (camera, _):
        refused = get(camera, "/snapshot.jpg")
        assert refused.status == 401
        offers = refused.headers.get_all("WWW-Authenticate") or []
        assert [re.search(r"algorithm=([\w-]+)", offer)[1] for offer in offers] == ["SHA-256", "MD5"]  # type: ignore[index]
        nonce = parse_parts(next(offer for offer in offers if f"algorithm={algorithm}," in offer))["nonce"]
        make = hashlib.md5 if algorithm == "MD5" else hashlib.sha256

        def digest(text: str) -> str:
            return make(text.encode()).hexdigest()

        def header(uri: str, password: str = PASSWORD["password"]) -> str:
            secret = digest(f"lab:{REALM}:{password}")
            proof = digest(f"{secret}:{nonce}:00000001:abc:auth:{digest(f'GET:{uri}')}")
            return (
                f'Digest username="lab", realm="{REALM}", nonce="{nonce}", uri="{uri}", algorithm={algorithm}, '
                f'qop=auth, nc=00000001, cnonce="abc", response="{proof}"'
            )

        assert get(camera, "/snapshot.jpg", Authorization=header("/snapshot.jpg")).status == 200
        assert get(camera, "/snapshot.jpg", Authorization=header("/stream.mjpg")).status == 401
        assert get(camera, "/snapshot.jpg", Authorization=header("/snapshot.jpg", "other")).status == 401
        forged = header("/snapshot.jpg").replace(nonce, nonce[:-1] + "x")
        assert get(camera, "/snapshot.jpg", Authorization=forged).status == 401
        for nonsense in ("Digest", "Basic ???", "Digest nonce=1", "Bearer x", 'Digest nonce="1:2", uri=5'):
            assert get(camera, "/snapshot.jpg", Authorization=nonsense).status == 401


def test_stale_nonce_is_reported_only_with_the_correct_password() -> None:
    now = [100.0]
    network = with_network(**PASSWORD).network
    guard = Guard(network, nonce_life=60, clock=lambda: now[0])
    (challenge, _) = guard.check("GET", "/a", "")
    parts = parse_parts(challenge)

    def answer(password: str) -> list[str]:
        proof = compute_response(
            algorithm="SHA-256", user="lab", realm=REALM, password=password, method="GET", uri="/a",
            nonce=parts["nonce"], count="00000001", client_nonce="c", quality="auth",
        )  # fmt: skip
        return guard.check(
            "GET",
            "/a",
            f'Digest username="lab", realm="{REALM}", nonce="{parts["nonce"]}", uri="/a", algorithm=SHA-256, qop=auth, '
            f'nc=00000001, cnonce="c", response="{proof}"',
        )

    assert answer(PASSWORD["password"]) == []
    now[0] += 61
    assert all(text.endswith("stale=true") for text in answer(PASSWORD["password"]))
    assert not any("stale" in text for text in answer("wrong"))


def test_digest_matches_the_example_of_rfc_7616() -> None:
    example = {
        "user": "Mufasa", "realm": "http-auth@example.org", "password": "Circle of Life", "method": "GET",
        "uri": "/dir/index.html", "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "count": "00000001",
        "client_nonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "quality": "auth",
    }  # fmt: skip
    assert compute_response(algorithm="MD5", **example) == "8ca523f5e9506fed4657c9700eebdbec"
    sha = "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
    assert compute_response(algorithm="SHA-256", **example) == sha


def test_client_that_does_not_read_is_dropped_and_others_are_served() -> None:
    fast = OverheadSpec(size=SIZE, sensor={"fps": 100.0})  # type: ignore[arg-type]
    with serve_camera(with_network(fast, latency=0.0, jitter=0.0, clients=2), moving=True) as (camera, _):
        camera.client_timeout = 0.5
        address = urlsplit(camera.url)
        with socket.socket() as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.connect((address.hostname, address.port))
            lazy.sendall(b"GET /stream.mjpg HTTP/1.1\r\nHost: localhost\r\n\r\n")
            wait_for(lambda: camera.dropped == 1)
            assert get(camera, "/snapshot.jpg").status == 200


def test_client_limit_is_enforced_and_freed_on_disconnect() -> None:
    with serve_camera(with_network(clients=3), moving=True) as (camera, _):
        streams = [get(camera, "/stream.mjpg") for _ in range(3)]
        assert [stream.status for stream in streams] == [200] * 3
        assert get(camera, "/snapshot.jpg").status == 503
        for stream in streams:
            stream.close()
        wait_for(lambda: get(camera, "/snapshot.jpg").status == 200)
        assert camera.turned_away >= 1


def test_invalid_paths_hosts_and_methods_are_refused() -> None:
    with serve_camera() as (camera, _):
        assert get(camera, "/etc/passwd").status == 404
        assert get(camera, "/snapshot.jpg", Host="evil.example").status == 421
        assert get(camera, "/").status == 200
        address = urlsplit(camera.url)
        with socket.create_connection((str(address.hostname), address.port or 0), timeout=60) as raw:
            raw.sendall(b"BREW /pot HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 501")
        assert get(camera, "/snapshot.jpg").status == 200


def test_bridge_opens_by_port_or_file_and_errors_are_reported(tmp_path) -> None:  # type: ignore[no-untyped-def]
    arena = paddock.open("empty")
    file = tmp_path / "eye.toml"
    file.write_text('size = [320, 240]\nnetwork = { port = 0, user = "lab", password = "x" }\n')
    with OpenBridges(arena, [("overhead-camera", str(file)), ("overhead-camera", "0")]) as bridges:
        with_password, plain = bridges.describe()
        assert re.match(r"overhead camera: 320 × 240 at http://127\.0\.0\.1:\d+/stream\.mjpg   user lab", with_password)
        assert re.match(r"overhead camera: 1280 × 960 at http://127\.0\.0\.1:\d+/stream\.mjpg$", plain)
    with pytest.raises(paddock.PaddockError, match="overhead-camera 99999: expected a port from 0 to 65535"):
        OpenBridges(arena, [("overhead-camera", "99999")])
    file.write_text("sizes = [1, 2]")
    with pytest.raises(paddock.SpecError, match=r"eye\.toml: sizes: unknown key \(did you mean 'size'\?\)"):
        OpenBridges(arena, [("overhead-camera", str(file))])
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(paddock.LinkError, match="in use"):
        OverheadCameras(arena, [with_network(port=taken.getsockname()[1])])
