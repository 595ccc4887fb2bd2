"""HttpCamera: serves the pictures of a feed as an IP camera, as single pictures and as streams."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from paddock.core.addresses import is_loopback
from paddock.core.errors import LinkError
from paddock.experiments.ecoli.overhead_camera.feed import CameraFeed, SentPicture
from paddock.experiments.ecoli.overhead_camera.overhead_spec import CameraNetwork
from paddock.perception.vision.digest import HASHES, compute_response, parse_parts, parse_scheme

REALM = "overhead camera"
NONCE_LIFE = 60.0  # seconds
ALGORITHMS = ("SHA-256", "MD5")  # offered in this order, as the RFC requires
STILLS = ("/snapshot.jpg", "/axis-cgi/jpg/image.cgi")
STREAMS = ("/stream.mjpg", "/axis-cgi/mjpg/video.cgi")
BOUNDARY = "paddock-picture"
CLIENT_TIMEOUT = 3.0  # maximum seconds for a client to read one picture, or to send its request
REPEAT = 1.0  # seconds after which a stream repeats a picture if there is no new one
FIRST = 20.0  # maximum seconds for the first picture, for which the backdrop is drawn
SEND_BUFFER = 1 << 17  # bytes that a slow client may leave unread
PAGE = b"<!doctype html><title>overhead camera</title><img src=/stream.mjpg style='max-width:100%'>"


class Guard:
    """Authenticates requests.

    Args:
        network: user, password and type of authentication.
        nonce_life: seconds for which a nonce is valid.
        clock: returns the time of a monotonic clock [s].
    """

    def __init__(
        self, network: CameraNetwork, *, nonce_life: float = NONCE_LIFE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.network, self.nonce_life, self.clock = network, nonce_life, clock
        self._secret = secrets.token_bytes(32)

    def check(self, method: str, uri: str, authorization: str) -> list[str]:
        """Return an empty list if the request is authorised, else the `WWW-Authenticate` headers of the refusal."""
        if not self.network.user:
            return []
        scheme, rest = parse_scheme(authorization)
        if self.network.authentication == "basic":
            return [] if scheme == "basic" and self._knows_basic(rest) else [f'Basic realm="{REALM}", charset="UTF-8"']
        stale = False
        if scheme == "digest":
            parts = parse_parts(rest)
            if self._knows_digest(method, uri, parts):
                if self._is_fresh(parts.get("nonce", "")):
                    return []
                stale = True  # the password is correct: the client need not prompt for another
        return [self._challenge(algorithm, stale) for algorithm in ALGORITHMS]

    def _challenge(self, algorithm: str, stale: bool) -> str:
        ending = ", stale=true" if stale else ""
        return (
            f'Digest realm="{REALM}", qop="auth", algorithm={algorithm}, nonce="{self._make_nonce()}", '
            f"charset=UTF-8{ending}"
        )

    def _knows_basic(self, text: str) -> bool:
        try:
            given = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return False
        return hmac.compare_digest(given, f"{self.network.user}:{self.network.password}".encode())

    def _knows_digest(self, method: str, uri: str, parts: dict[str, str]) -> bool:
        algorithm = parts.get("algorithm", "MD5").upper()
        if algorithm not in HASHES or parts.get("qop") != "auth" or parts.get("realm") != REALM:
            return False
        if parts.get("uri") != uri or not self._is_own(parts.get("nonce", "")):
            return False
        expected = compute_response(
            algorithm=algorithm,
            user=self.network.user,
            realm=REALM,
            password=self.network.password,
            method=method,
            uri=uri,
            nonce=parts["nonce"],
            count=parts.get("nc", ""),
            client_nonce=parts.get("cnonce", ""),
            quality="auth",
        )
        same_user = hmac.compare_digest(parts.get("username", "").encode(), self.network.user.encode())
        return hmac.compare_digest(parts.get("response", "").encode(), expected.encode()) and same_user

    # A nonce is its creation time and a signature that only this server can compute.

    def _make_nonce(self) -> str:
        stamp = f"{self.clock():.3f}"
        return f"{stamp}:{self._seal(stamp)}"

    def _is_own(self, nonce: str) -> bool:
        stamp, _, seal = nonce.partition(":")
        return hmac.compare_digest(seal.encode(), self._seal(stamp).encode())

    def _is_fresh(self, nonce: str) -> bool:
        return self.clock() - float(nonce.partition(":")[0]) <= self.nonce_life

    def _seal(self, stamp: str) -> str:
        return hmac.new(self._secret, stamp.encode(), hashlib.sha256).hexdigest()[:32]


class HttpCamera(ThreadingHTTPServer):
    """A web server for one camera, in its own threads.

    Args:
        feed: the source of the pictures.
        network: port, password and number of clients.
        host: address to listen on.
        guard: authentication; None to use the settings of `network`.
        client_timeout: maximum seconds for a client to read one picture.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(
        self,
        feed: CameraFeed,
        network: CameraNetwork,
        *,
        host: str = "127.0.0.1",
        guard: Guard | None = None,
        client_timeout: float = CLIENT_TIMEOUT,
    ) -> None:
        self.feed, self.network, self.client_timeout = feed, network, client_timeout
        self.guard = guard or Guard(network)
        self.dropped = 0  # number of clients that were too slow
        self.turned_away = 0  # number of clients rejected because of the maximum number of clients
        self._free = threading.BoundedSemaphore(network.clients)
        try:
            super().__init__((host, network.port), CameraRequest)
        except OSError as error:
            raise LinkError(f"overhead camera: port {network.port} of {host}: {error.strerror or error}") from None
        self.loopback = is_loopback(host)
        self._thread = threading.Thread(target=self.serve_forever, name="camera server", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Base URL of the camera."""
        host, port = self.server_address[:2]
        name = f"[{host!s}]" if ":" in str(host) else str(host)
        return f"http://{name}:{port}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a client in its own thread. Reject it if there are too many clients."""
        if not self._free.acquire(blocking=False):
            self.turned_away += 1
            request.settimeout(0.2)
            with suppress(OSError):
                request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one client until it disconnects."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Do not log errors of clients."""

    def close(self) -> None:
        """End all streams and release the port."""
        self.feed.close()
        self.shutdown()
        self._thread.join()
        self.server_close()


class CameraRequest(BaseHTTPRequestHandler):
    """The connection of a client."""

    server: HttpCamera
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "camera", ""

    def setup(self) -> None:
        self.request.settimeout(self.server.client_timeout)
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        super().setup()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if self.server.loopback and not _is_local_name(self.headers.get("Host", "")):
            self.send_error(421, "This camera is for this machine only")  # protects against pages of other sites
            return
        proof = self.headers.get("Authorization", "").encode("latin-1").decode(errors="replace")  # in fact UTF-8
        challenges = self.server.guard.check("GET", self.path, proof)
        try:
            if challenges:
                self._refuse(challenges)
            elif path in STILLS:
                self._send_still()
            elif path in STREAMS:
                self._send_stream()
            elif path == "/":
                self._send(200, "text/html; charset=utf-8", PAGE)
            else:
                self.send_error(404, f"Available: {', '.join((*STILLS, *STREAMS))}")
        except TimeoutError:
            self.server.dropped += 1
            self.close_connection = True
        except ConnectionError:
            self.close_connection = True

    def _refuse(self, challenges: list[str]) -> None:
        self.send_response(401)
        for challenge in challenges:
            self.send_header("WWW-Authenticate", challenge)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: int, kind: str, body: bytes, picture: SentPicture | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if picture is not None:
            self.send_header("X-Timestamp", f"{picture.time:.6f}")
        self.end_headers()
        if picture is not None and picture.is_cut:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        else:
            self.wfile.write(body)

    def _send_still(self) -> None:
        picture = self.server.feed.next_picture(timeout=FIRST)
        if picture is None:
            self.send_error(503, f"The camera has no picture: {self.server.feed.failure or 'it ended'}")
        else:
            self._send(200, "image/jpeg", picture.jpeg, picture)

    def _send_stream(self) -> None:
        """Send pictures until the client disconnects or times out, or the camera ends. Skip pictures if it is slow."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={BOUNDARY}")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        number = 0
        while not self.server.feed.closed:
            picture = self.server.feed.next_picture(after=number, timeout=REPEAT if number else FIRST)
            if picture is None or self.server.feed.closed:
                return
            number = picture.number
            body = picture.jpeg
            head = (
                f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(body)}\r\n"
                f"X-Timestamp: {picture.time:.6f}\r\n\r\n"
            )
            part = body[: len(body) // 2] if picture.is_cut else body
            self.wfile.write(head.encode() + part + b"\r\n")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Do not log requests."""


def _is_local_name(host: str) -> bool:
    """Whether a Host header names this machine. An empty one is accepted, for old programs."""
    name = host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
    return not name or is_loopback(name.strip("[]"))
