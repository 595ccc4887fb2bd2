"""IpCamera: reads pictures from any camera on the network, one at a time or as a stream (MJPEG)."""

from __future__ import annotations

import http.client
import io
import math
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, cast
from urllib.parse import unquote, urlsplit

from paddock.core.errors import LinkError, Refused, Timeout
from paddock.core.observation import Picture
from paddock.core.terminal_text import visible
from paddock.perception.vision.digest import Credentials
from paddock.perception.vision.opencv import DamagedPicture, PictureTooLarge, decode_jpeg

CHUNK = 65536
LONGEST_HEAD = 16384  # bytes
LARGEST = 30_000_000  # bytes of a picture
BROKEN = (OSError, http.client.HTTPException)


class DeadlineReader(io.RawIOBase):
    """Replaces the socket of an HTTP response, because a socket's own timeout restarts with every byte."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._socket, self._seconds = sock, seconds
        self._raw = sock.makefile("rb", buffering=0)
        self.restart()

    def restart(self) -> None:
        """Restart the deadline."""
        self._end = time.monotonic() + self._seconds

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a buffered reader; `http.client` calls this method of a socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class Bytestream(Protocol):
    """A stream that returns the available bytes, and none at its end."""

    def read1(self, amount: int = -1, /) -> bytes: ...


class GrowingBuffer:
    """Buffers the bytes of a stream. Searched bytes are not searched again when more bytes arrive."""

    def __init__(self, stream: Bytestream) -> None:
        self._stream, self._bytes = stream, bytearray()

    def take_until(self, mark: bytes, limit: int, length: int | None = None) -> bytes | None:
        """Remove and return the bytes before a mark, or the first `length` bytes if the mark is not among them.

        The mark stays in the buffer. Return None if the stream ended.

        Raises:
            LinkError: there are more than `limit` bytes without the mark.
        """
        searched = 0
        while True:
            end = self._bytes.find(mark, searched)
            if end < 0 and length is not None and len(self._bytes) >= length:
                end = length
            if end >= 0:
                taken = bytes(self._bytes[:end])
                del self._bytes[:end]
                return taken
            if len(self._bytes) > limit:
                raise LinkError(f"more than {limit} bytes without {mark.decode('latin-1')!r}")
            searched = max(0, len(self._bytes) - len(mark) + 1)
            chunk = self._stream.read1(CHUNK)
            if not chunk:
                return None
            self._bytes += chunk


def read_boundary(content_type: str) -> bytes:
    """Return the boundary of a Content-Type header. Cameras write it with or without its dashes."""
    found = re.search(r'boundary\s*=\s*"?([^";]+)"?', content_type, re.IGNORECASE)
    if found is None:
        raise LinkError(f"a stream without a boundary between its pictures: {content_type}")
    return b"--" + found[1].strip().removeprefix("--").encode("latin-1")


def read_parts(stream: Bytestream, boundary: bytes, largest: int) -> Iterator[tuple[dict[str, str], bytes]]:
    """Yield headers (in lower case) and body of each part. A wrong Content-Length is tolerated."""
    buffer = GrowingBuffer(stream)
    while buffer.take_until(boundary, largest) is not None:
        head = buffer.take_until(b"\r\n\r\n", LONGEST_HEAD)
        if head is None:
            return
        headers = _read_headers(head)
        length = _read_length(headers)
        body = buffer.take_until(boundary, largest, None if length is None else 4 + length)
        if body is None:
            return
        yield headers, body[4:].removesuffix(b"\r\n") if length is None else body[4 : 4 + length]


def _read_length(headers: dict[str, str]) -> int | None:
    text = headers.get("content-length", "")
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else None


def _read_headers(head: bytes) -> dict[str, str]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = [line.partition(":") for line in lines if ":" in line]
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


class NotAStream(Refused):
    """Raised if an address does not provide a stream, but for example single pictures."""


@dataclass(frozen=True, slots=True)
class TimedPicture:
    """A picture of a camera."""

    picture: Picture
    time_of_exposure: float | None  # [s] in the camera's clock; None if the camera does not send it
    received: float  # [s] in the client's clock
    jpeg: bytes = field(repr=False)

    @property
    def age(self) -> float | None:
        """Age when it was received [s], if both clocks are the same."""
        return None if self.time_of_exposure is None else self.received - self.time_of_exposure

    def repeats(self, other: TimedPicture) -> bool:
        """Whether both have the same time of exposure; without one, whether their bytes are equal."""
        if self.time_of_exposure is None:
            return self.jpeg == other.jpeg
        return self.time_of_exposure == other.time_of_exposure


class IpCamera:
    """A camera on the network.

    Args:
        url: of its stream or of a single picture: http://HOST:PORT/stream.mjpg; may contain user:password@.
        user: user name, if the camera requires one; Basic and Digest authentication are supported.
        password: password of the user.
        timeout: seconds within which the camera must answer, and within which each complete picture must arrive.
        clock: returns the time in the camera's clock; `lambda: arena.time` for a simulated camera.
    """

    def __init__(
        self,
        url: str,
        *,
        user: str = "",
        password: str = "",
        timeout: float = 20.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise LinkError(f"{url}: expected the address of a camera, http://HOST:PORT/PATH: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise LinkError(f"{url}: expected the address of a camera, http://HOST:PORT/PATH")
        self.host, self._https = parts.hostname, parts.scheme == "https"
        self.port = port or (443 if self._https else 80)
        self.path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.url = f"{parts.scheme}://{self.host}:{self.port}{self.path}"  # without the password
        if not timeout > 0:
            raise LinkError(f"timeout: expected seconds > 0, got {timeout!r}")
        self.timeout, self.clock = timeout, clock
        name, secret = user or unquote(parts.username or ""), password or unquote(parts.password or "")
        self._credentials = Credentials(name, secret) if name else None
        self.broken = 0  # number of incomplete or damaged pictures
        self.reconnects = 0

    def take_picture(self) -> TimedPicture:
        """Return one picture: the answer to a request, or the next one of a stream."""
        with self._request() as (answer, _), self._name_failures():
            kind = answer.getheader("Content-Type", "")
            if kind.startswith("multipart/"):
                for headers, body in read_parts(answer, read_boundary(kind), LARGEST):
                    picture = self._decode(headers.get("x-timestamp"), body)
                    if picture is not None:
                        return picture
                raise LinkError("the stream ended without a complete picture")
            try:
                body = answer.read(LARGEST)
            except http.client.IncompleteRead as error:
                body = error.partial
            picture = self._decode(answer.getheader("X-Timestamp"), body)
            if picture is None:
                raise LinkError(f"expected a JPEG picture, got {kind or 'something else'}, damaged or incomplete")
            return picture

    def stream(self, *, most_reconnects: int | None = None, repeats: bool = False) -> Iterator[TimedPicture]:
        """Yield pictures as they arrive. Skip damaged ones, and reconnect if the connection ends.

        Args:
            most_reconnects: maximum number of reconnections in a row without a picture; None for no limit. A refusal
                by the camera ends the stream.
            repeats: also yield repeated pictures. Cameras repeat the last picture while there is no new one, for
                example in a paused world; a repeated picture is not a new measurement.
        """
        failures, last = 0, None
        while True:
            try:
                for picture in self._stream_once():
                    failures = 0
                    if repeats or last is None or not picture.repeats(last):
                        last = picture
                        yield picture
            except Refused:
                raise
            except LinkError:
                if most_reconnects is not None and failures >= most_reconnects:
                    raise
            failures += 1
            self.reconnects += 1
            time.sleep(min(2.0, 0.05 * 2 ** min(failures, 6)))

    def _stream_once(self) -> Iterator[TimedPicture]:
        with self._request() as (answer, deadline), self._name_failures():
            kind = answer.getheader("Content-Type", "")
            if not kind.startswith("multipart/"):
                raise NotAStream(f"expected a stream (multipart/x-mixed-replace), got {kind or 'nothing'}")
            for headers, body in read_parts(answer, read_boundary(kind), LARGEST):
                picture = self._decode(headers.get("x-timestamp"), body)
                if picture is not None:
                    yield picture
                    deadline.restart()
            raise LinkError("the stream ended")

    @contextmanager
    def _name_failures(self) -> Iterator[None]:
        """Add the camera's address to all errors about pictures."""
        try:
            yield
        except TimeoutError:
            raise Timeout(f"{self.url}: no complete picture within {self.timeout:g} s; is the network slow?") from None
        except PictureTooLarge as error:
            raise Refused(f"{self.url}: {error}") from None
        except LinkError as error:
            raise type(error)(f"{self.url}: {error}") from None
        except BROKEN as error:
            raise LinkError(f"{self.url}: the connection was lost during a picture: {error}") from None

    @contextmanager
    def _request(self) -> Iterator[tuple[http.client.HTTPResponse, DeadlineReader]]:
        """Send a request, and repeat it with credentials if the camera requires them."""
        kind = http.client.HTTPSConnection if self._https else http.client.HTTPConnection
        for attempt in range(2):
            connection = kind(self.host, self.port, timeout=self.timeout)
            try:
                answer, deadline = self._ask(connection)
                with answer:
                    if answer.status == 200:
                        yield answer, deadline
                        return
                    self._take_refusal(answer, last=attempt == 1)
            finally:
                connection.close()

    def _take_refusal(self, answer: http.client.HTTPResponse, *, last: bool) -> None:
        """Store the authentication challenge. Raise an error if it cannot be answered, or for any other status."""
        if answer.status != 401:
            raise LinkError(f"{self.url}: the camera answers {answer.status} {answer.reason}")
        if self._credentials is None:
            raise Refused(f"{self.url}: the camera requires a user and a password")
        if last or not self._credentials.take_challenges(answer.headers.get_all("WWW-Authenticate", [])):
            raise Refused(f"{self.url}: the camera rejects this user and password")

    def _ask(self, connection: http.client.HTTPConnection) -> tuple[http.client.HTTPResponse, DeadlineReader]:
        headers = {"Accept": "image/jpeg, multipart/x-mixed-replace", "Connection": "close"}
        proof = self._credentials.answer("GET", self.path) if self._credentials else None
        readers: list[DeadlineReader] = []

        def respond(sock: socket.socket, **options: Any) -> http.client.HTTPResponse:
            readers.append(DeadlineReader(sock, self.timeout))
            return http.client.HTTPResponse(cast(socket.socket, readers[-1]), **options)

        connection.response_class = respond  # type: ignore[assignment]
        try:
            connection.request("GET", self.path, headers=headers | ({"Authorization": proof.encode()} if proof else {}))
            return connection.getresponse(), readers[-1]
        except TimeoutError:
            raise Timeout(f"{self.url}: the camera did not answer within {self.timeout:g} s") from None
        except (*BROKEN, UnicodeError) as error:  # the last: a host name or path that cannot be sent
            raise LinkError(f"{self.url}: the camera cannot be reached: {visible(str(error)[:200])}") from None

    def _decode(self, stamp: str | None, jpeg: bytes) -> TimedPicture | None:
        received = self.clock()
        try:
            picture = decode_jpeg(jpeg)
        except DamagedPicture:
            self.broken += 1
            return None
        return TimedPicture(picture, _number(stamp), received, jpeg)


def _number(text: str | None) -> float | None:
    """Return a finite number, or None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
