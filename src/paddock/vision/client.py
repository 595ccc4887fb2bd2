"""IpCamera: pictures from any camera on the network, one at a time or as a stream (MJPEG)."""

from __future__ import annotations

import http.client
import io
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import numpy as np
from PIL import Image

from paddock.core.errors import LinkError, Refused, Timeout
from paddock.core.values import Picture, as_picture
from paddock.vision.digest import Credentials
from paddock.vision.mjpeg import read_boundary, read_parts

LARGEST = 30_000_000  # bytes of a picture
MOST_REPEATS = 10  # pictures of the same time in a row that are skipped before one is passed on
BROKEN = (OSError, http.client.HTTPException)


@dataclass(frozen=True, slots=True)
class TimedPicture:
    """A picture of a camera."""

    picture: Picture
    time_of_exposure: float | None  # [s] in the camera's clock; None: it does not tell
    received: float  # [s] in the client's clock
    jpeg: bytes = field(repr=False)

    @property
    def age(self) -> float | None:
        """How old it was when it came [s], if both clocks are the same."""
        return None if self.time_of_exposure is None else self.received - self.time_of_exposure


class IpCamera:
    """A camera on the network.

    Args:
        url: of its stream or of a single picture: http://HOST:PORT/stream.mjpg; may hold user:password@.
        user: if it asks for one; Basic and Digest are answered.
        password: of the user.
        timeout: seconds without any byte after which a connection counts as lost.
        clock: tells the time in which the camera dates its pictures; `lambda: arena.time` for a simulated one.
    """

    def __init__(
        self,
        url: str,
        *,
        user: str = "",
        password: str = "",
        timeout: float = 5.0,
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
        self.timeout, self.clock = timeout, clock
        name, secret = user or unquote(parts.username or ""), password or unquote(parts.password or "")
        self._credentials = Credentials(name, secret) if name else None
        self.broken = 0  # pictures that came in part, or damaged
        self.reconnects = 0

    def take_picture(self) -> TimedPicture:
        """One picture: the answer to a request, or the next one of a stream."""
        with self._request() as answer:
            kind = answer.getheader("Content-Type", "")
            if kind.startswith("multipart/"):
                for headers, body in read_parts(answer, read_boundary(kind), LARGEST):
                    picture = self._decode(headers.get("x-timestamp"), body)
                    if picture is not None:
                        return picture
                raise LinkError(f"{self.url}: the stream ended without a whole picture")
            body = self._read(answer)
            picture = self._decode(answer.getheader("X-Timestamp"), body)
        if picture is None:
            raise LinkError(f"{self.url}: expected a JPEG picture, got {kind or 'something else'}, damaged or cut")
        return picture

    def stream(self, *, most_reconnects: int | None = None) -> Iterator[TimedPicture]:
        """Pictures as they come. Damaged ones are skipped, and a connection that ends is opened again.

        Of pictures that bear the same time, as those of a world at rest, only every tenth is passed on.

        Args:
            most_reconnects: how often in a row without a picture; None: for ever. Refused credentials end it at once.
        """
        failures, last, repeats = 0, None, 0
        while True:
            try:
                for picture in self._stream_once():
                    failures = 0
                    stamp = picture.time_of_exposure
                    repeats = repeats + 1 if stamp is not None and stamp == last else 0
                    if repeats % MOST_REPEATS == 0:  # cameras repeat a picture when there is no other
                        last = stamp
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
        with self._request() as answer:
            kind = answer.getheader("Content-Type", "")
            if not kind.startswith("multipart/"):
                raise Refused(f"{self.url}: expected a stream (multipart/x-mixed-replace), got {kind or 'nothing'}")
            try:
                for headers, body in read_parts(answer, read_boundary(kind), LARGEST):
                    picture = self._decode(headers.get("x-timestamp"), body)
                    if picture is not None:
                        yield picture
            except BROKEN as error:
                raise LinkError(f"{self.url}: the stream broke off: {error}") from None
        raise LinkError(f"{self.url}: the stream ended")

    def _read(self, answer: http.client.HTTPResponse) -> bytes:
        try:
            return answer.read(LARGEST)
        except http.client.IncompleteRead as error:
            return error.partial
        except BROKEN as error:
            raise LinkError(f"{self.url}: the picture broke off: {error}") from None

    @contextmanager
    def _request(self) -> Iterator[http.client.HTTPResponse]:
        """Ask, and once more with credentials if the camera wants them."""
        kind = http.client.HTTPSConnection if self._https else http.client.HTTPConnection
        for attempt in range(2):
            connection = kind(self.host, self.port, timeout=self.timeout)
            try:
                answer = self._ask(connection)
                if answer.status == 200:
                    yield answer
                    answer.close()
                    return
                self._take_refusal(answer, last=attempt == 1)
            finally:
                connection.close()

    def _take_refusal(self, answer: http.client.HTTPResponse, *, last: bool) -> None:
        """Note what the camera wants to know; raise what cannot be helped."""
        answer.close()
        if answer.status != 401:
            raise LinkError(f"{self.url}: the camera answers {answer.status} {answer.reason}")
        if self._credentials is None:
            raise Refused(f"{self.url}: the camera wants a user and a password")
        if last or not self._credentials.take_challenges(answer.headers.get_all("WWW-Authenticate", [])):
            raise Refused(f"{self.url}: the camera refuses this user and password")

    def _ask(self, connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        headers = {"Accept": "image/jpeg, multipart/x-mixed-replace", "Connection": "close"}
        proof = self._credentials.answer("GET", self.path) if self._credentials else None
        try:
            connection.request("GET", self.path, headers=headers | ({"Authorization": proof} if proof else {}))
            return connection.getresponse()
        except TimeoutError:
            raise Timeout(f"{self.url}: the camera did not answer within {self.timeout:g} s") from None
        except BROKEN as error:
            raise LinkError(f"{self.url}: the camera cannot be reached: {error}") from None

    def _decode(self, stamp: str | None, jpeg: bytes) -> TimedPicture | None:
        received = self.clock()
        try:
            picture = np.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB"))
        except Exception:  # what Pillow raises depends on where a file is damaged
            self.broken += 1
            return None
        return TimedPicture(as_picture(picture), _number(stamp), received, jpeg)


def _number(text: str | None) -> float | None:
    """A finite number, or None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
