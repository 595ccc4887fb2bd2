"""An emulator behind a faulty line: answers lose bytes, are late, fragmented, merged, corrupted or missing."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from hypothesis import strategies as st

TIMEOUT = 0.2  # [s] that calls have while the line is bad
LATE = 3 * TIMEOUT


@dataclass(frozen=True)
class Fault:
    """A fault of one answer, and its position as a fraction of the length."""

    kind: Literal["none", "drop", "garbage", "late", "split", "keep", "reset", "silence"] = "none"
    where: float = 0.0
    garbage: bytes = b""


faults = st.builds(
    Fault,
    st.sampled_from(["none", "drop", "garbage", "late", "split", "keep", "reset", "silence"]),
    st.floats(0, 1),
    st.binary(min_size=1, max_size=12),
)


class Script:
    """The remaining faults, one for each answer or request; afterwards the line is good."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.lost: list[float | None] = []  # for each request, where a byte of it gets lost (a share of its length)
        self.kept = b""

    def arrived(self, request: bytes) -> bytes:
        """The part of a request that reaches the robot."""
        where = self.lost.pop(0) if self.lost else None
        place = len(request) if where is None else min(len(request) - 1, int(where * len(request)))
        return request[:place] + request[place + 1 :]

    def pieces(self, answer: bytes, restart: Callable[[], bytes]) -> Iterator[tuple[float, bytes | None]]:
        """The waits [s] and bytes that are sent instead of an answer; None for a broken line."""
        fault = self.faults.pop(0) if self.faults else Fault()
        answer, self.kept = self.kept + answer, b""
        place = min(len(answer) - 1, int(fault.where * len(answer)))
        head, tail = answer[:place], answer[place:]
        if fault.kind == "drop":
            yield 0, head + tail[1:]
        elif fault.kind == "garbage":
            yield 0, head + fault.garbage + tail
        elif fault.kind == "late":
            yield LATE, answer
        elif fault.kind == "split":
            yield 0, head
            yield 0.02, tail[:1]
            yield 0.02, tail[1:]
        elif fault.kind == "keep":
            self.kept = answer
        elif fault.kind == "reset":
            yield 0, head
            yield 0.01, restart()
            yield 0, None
        elif fault.kind == "none":
            yield 0, answer


class FaultySerial:
    """A pseudo terminal with a firmware behind it, and a script of faults between them."""

    def __init__(self, firmware: Any) -> None:
        import pty
        import tty

        self.script, self.firmware = Script(), firmware
        self._ours, self._theirs = pty.openpty()
        tty.setraw(self._theirs)
        self.url = f"epuck://{os.ttyname(self._theirs)}?silence=inf"  # no watchdog is in the way
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._ended.is_set():
            if not select.select([self._ours], [], [], 0.05)[0]:
                continue
            answer = self.firmware.receive(self.script.arrived(os.read(self._ours, 65536)))
            if answer:
                for wait, piece in self.script.pieces(answer, lambda: self.firmware.receive(b"\0" * 40 + b"\rR\r")):
                    time.sleep(wait)
                    if piece:
                        os.write(self._ours, piece)

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        os.close(self._ours)
        os.close(self._theirs)


class FaultyWifi:
    """A TCP port with a firmware behind it, and a script of faults between them."""

    def __init__(self, firmware: Any) -> None:
        self.script, self.firmware = Script(), firmware
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self.url = f"epuck2://127.0.0.1:{self._listener.getsockname()[1]}?silence=inf"
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(OSError):
                client, _ = self._listener.accept()
                with client:
                    client.settimeout(0.02)
                    self.firmware.disconnect()
                    self.script.kept = b""
                    self._serve(client)

    def _serve(self, client: socket.socket) -> None:
        while not self._ended.is_set():
            try:
                data = client.recv(65536)
            except TimeoutError:
                continue
            if not data:
                return
            answer = self.firmware.receive(self.script.arrived(data))
            for wait, piece in self.script.pieces(answer, bytes) if answer else ():
                time.sleep(wait)
                if piece is None:
                    return
                client.sendall(piece)

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._listener.close()
