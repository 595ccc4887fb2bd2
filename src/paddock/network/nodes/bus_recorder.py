"""Recordings: every message on the bus as a line of JSON, for inspection or replay."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from pathlib import Path

from paddock.core.closing import Closing
from paddock.core.errors import BadMessage, PaddockError
from paddock.network.nodes.bus import Bus, decode_message, encode_message, open_bus
from paddock.network.nodes.node_messages import ModuleMessage, PresenceMessage

POLL = 0.1  # [s]


class BusRecorder(Closing):
    """Writes all messages of a bus to a file, until it is closed.

    Args:
        url: URL of the bus.
        path: path of the file; an existing file is replaced.
        lossless: also write messages of streams that newer ones replace.
    """

    def __init__(self, url: str, path: str | Path, *, lossless: bool = True) -> None:
        self.path, self.messages = Path(path), 0
        try:
            self._file = self.path.open("wb")
        except OSError as error:
            raise PaddockError(f"{path}: cannot be written: {error.strerror}") from None
        self._bus = open_bus(url, "RECORDER", lossless=lossless, everything=True)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (posts := self._bus.inbox.get_all(POLL)) or not self._closed.is_set():
            for message, line in posts:
                if not isinstance(message, PresenceMessage):
                    self._file.write(line + b"\n")
                    self.messages += 1

    def close(self) -> None:
        """Write the remaining messages and stop."""
        self._closed.set()
        self._thread.join()
        self._bus.close()
        self._file.close()


def read_recording(path: str | Path) -> Iterator[ModuleMessage]:
    """Yield the messages of a recording; an incomplete last line of a killed recorder is ignored."""
    try:
        lines = Path(path).read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n"):
            return
        try:
            yield decode_message(line)
        except BadMessage as error:
            raise PaddockError(f"{path}: line {number}: {error}") from None


def replay(path: str | Path, bus: Bus, sources: Collection[str]) -> int:
    """Send the recorded messages of some modules again, and return their number.

    Args:
        path: path of the recording.
        bus: bus to send to; messages keep their source, sequence number and times.
        sources: the modules whose messages are sent.
    """
    count = 0
    for message in read_recording(path):
        if message.source in sources:
            bus.carry([(message, encode_message(message))])
            count += 1
    return count
