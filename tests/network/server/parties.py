"""Test helpers: servers in this process and in separate ones, and clients of the plain protocol.

A `Peer` does not use Paddock's client: it is a socket with the parser of the `websockets` package.
Messages that it does not read stay unread, and unread pings are not answered.
"""

from __future__ import annotations

import contextlib
import json
import queue
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import msgpack
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from paddock.network.server import Server
from paddock.testing import PaddockProcess, serve
from warm_start import Started, start_python

LONG = 60.0  # seconds after which a test gives up; nothing here is measured by it
SPEC = {
    "name": "box",
    "body": {"radius": 0.03, "height": 0.05},
    "drive": {"wheel_separation": 0.05, "max_speed": 0.2, "wheel_diameter": 0.04},
    "sensors": [{"kind": "sonar", "name": "ahead", "range": 0.5, "cone_deg": 20, "mounts": [[0.03, 0, 0.02, 0]]}],
}


# ---- servers


class ServerProcess(PaddockProcess):
    """`paddock serve …` as a separate process."""

    def __init__(self, *arguments: str) -> None:
        super().__init__("serve", *arguments)

    @property
    def rss(self) -> int:
        return measure_memory(self.process.pid)


served = serve


def on_loop(server: Server, function: Callable[[], Any]) -> Any:
    """Run a function in the server's thread and return its result."""
    answers: queue.Queue[Any] = queue.Queue()
    server._loop.call_soon_threadsafe(lambda: answers.put(function()))
    return answers.get(timeout=LONG)


def measure_memory(pid: int) -> int:
    """The resident memory of a process [bytes] (Linux)."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    assert found is not None
    return int(found[1]) * 1024


@contextlib.contextmanager
def program(source: str, *arguments: str) -> Iterator[Started]:
    """Run a Python program as a process, which is killed at the end."""
    with start_python(["-c", source, *arguments]) as process:
        yield process


# ---- peers


class Closed(Exception):
    """The server closed the connection."""


class Peer:
    """A client of the plain protocol."""

    def __init__(
        self,
        server: Server | ServerProcess | str,
        *,
        encoding: str = "msgpack",
        headers: Mapping[str, str] | None = None,
        hello: bool = True,
        name: str = "peer",
        token: str = "",
        receive_buffer: int = 0,
    ) -> None:
        self.encoding = encoding
        self.news: list[dict[str, Any]] = []  # what came without being asked for
        self._id = 0
        self._parts = b""
        self._arrived: list[dict[str, Any]] = []
        self.socket = open_socket(server, receive_buffer)
        host, port = address(server)
        self.protocol = ClientProtocol(parse_uri(f"ws://{host}:{port}/ws"), max_size=None)
        request = self.protocol.connect()
        for key, value in (headers or {}).items():
            if key in request.headers:
                del request.headers[key]
            request.headers[key] = value
        self.protocol.send_request(request)
        self._flush()
        while self.protocol.state is State.CONNECTING:
            self._receive()
            if self.protocol.handshake_exc is not None:
                self.socket.close()
                raise self.protocol.handshake_exc
        if hello:
            self.welcome = self.ask("hello", version=1, name=name, token=token)

    # ---- talking

    def ask(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """Send a request and return its answer, also if it is refused."""
        return self.answer(self.tell(kind, **fields))

    def tell(self, kind: str, /, **fields: Any) -> int:
        """Send a request without waiting for its answer; return its id."""
        self._id += 1
        self.send({"type": kind, "id": self._id, **fields})
        return self._id

    def answer(self, id: int) -> dict[str, Any]:
        """Wait for the answer to a request."""
        return self._found(lambda message: message.get("id") == id)

    def wait(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """Return the first unread message of a type with these fields."""

        def wanted(message: dict[str, Any]) -> bool:
            return message["type"] == kind and all(message.get(key) == value for key, value in fields.items())

        return self._found(wanted)

    def all_news(self, kind: str) -> list[dict[str, Any]]:
        """Return all messages of a type that arrive before the answer to the next request."""
        self.ask("unsubscribe", robot="", stream="nothing")
        there = [message for message in self.news if message["type"] == kind]
        self.news = [message for message in self.news if message["type"] != kind]
        return there

    def _found(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        for message in self.news:
            if wanted(message):
                self.news.remove(message)
                return message
        deadline = time.monotonic() + LONG
        while True:
            assert time.monotonic() < deadline, "it never came"
            while self._arrived:
                message = self._arrived.pop(0)
                if wanted(message):
                    return message
                self.news.append(message)
            self._receive()

    # ---- frames

    def send(self, message: object, encoding: str = "") -> None:
        if (encoding or self.encoding) == "json":
            self.protocol.send_text(json.dumps(message).encode())
        else:
            self.protocol.send_binary(msgpack.packb(message))
        self._flush()

    def send_frame(self, data: bytes, opcode: Opcode = Opcode.BINARY, *, fin: bool = True) -> None:
        """Send any bytes as a WebSocket frame."""
        self.send_bytes(Frame(opcode, data, fin).serialize(mask=True))

    def send_bytes(self, data: bytes) -> None:
        """Send any bytes on the socket, without WebSocket framing."""
        self.socket.sendall(data)

    def _flush(self) -> None:
        for data in self.protocol.data_to_send():
            if data:
                self.socket.sendall(data)

    def _receive(self) -> None:
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionError:
            data = b""
        if not data:
            self.protocol.receive_eof()
            raise Closed(self.protocol.close_code, self.protocol.close_reason)
        self.protocol.receive_data(data)
        for event in self.protocol.events_received():
            if not isinstance(event, Frame):
                continue
            if event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                if event.opcode is not Opcode.CONT:
                    self._text = event.opcode is Opcode.TEXT
                self._parts += bytes(event.data)
                if event.fin:
                    data, self._parts = self._parts, b""
                    self._arrived.append(json.loads(data) if self._text else msgpack.unpackb(data))
        with contextlib.suppress(OSError):
            self._flush()  # pongs, and the answer to a close

    def until_closed(self) -> tuple[int | None, str]:
        """Read until the server closes; return its code and reason."""
        try:
            while True:
                self._receive()
        except Closed as closed:
            return closed.args[0], closed.args[1] or ""

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if self.protocol.state is State.OPEN:
                self.protocol.send_close(1000)
                self._flush()
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def address(server: Server | ServerProcess | str) -> tuple[str, int]:
    """The host and port of a server."""
    url = server if isinstance(server, str) else server.url if isinstance(server, ServerProcess) else server.url()
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def open_socket(server: Server | ServerProcess | str, receive_buffer: int = 0) -> socket.socket:
    """Open a TCP connection to a server without sending anything."""
    opened = socket.socket()
    if receive_buffer:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    opened.settimeout(LONG)
    opened.connect(address(server))
    return opened


def request(server: Server | ServerProcess | str, head: bytes) -> bytes:
    """Send a raw HTTP request and return the whole answer."""
    with open_socket(server) as connection:
        connection.sendall(head)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while data := connection.recv(1 << 16):
                answer += data
        return answer
