"""Dialogue: requests and their answers over one wire, for any number of threads."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from paddock.core import errors
from paddock.core.errors import LinkError, PaddockError, SpecError, Timeout, UnknownName
from paddock.network.client.wire import WebSocketWire
from paddock.network.protocol import messages as m

LONGEST_NEGLECT = 0.05  # wall seconds for which cached data are used without reading new messages
LONGEST_SILENCE = 3.0  # seconds; a server sends a heartbeat once a second to clients that wait for time to pass


class Dialogue:
    """Sends requests and waits for their answers. One waiting thread reads for all others.

    With a single thread there is no hand-over between threads.

    Args:
        wire: the connection.
        on_message: called with every message, in order, by the thread that reads; it must not block.
    """

    def __init__(self, wire: WebSocketWire, on_message: Callable[[m.Message], None]) -> None:
        self.wire, self._on_message = wire, on_message
        self._change = threading.Condition(threading.Lock())  # guards the next three
        self._someone_reads = False
        self._waiting = 0  # threads that wait while another one reads
        self._answers: dict[int, m.Message | None] = {}  # to the open requests; None: not received yet
        self._received_at = self._looked = time.monotonic()

    def ask(self, request: m.Request) -> None:
        """Send a request. The caller must then call `answer` or `give_up`."""
        self._answers[request.id] = None
        try:
            self.wire.send(request)
        except BaseException:
            self.give_up(request)
            raise

    def answer(self, request: m.Request, *, while_alive: bool = False) -> m.Message:
        """Wait for the answer and return it. With `while_alive`, wait as long as the server sends heartbeats."""
        answers, number = self._answers, request.id
        try:
            self.wait(lambda: answers[number] is not None, request.type, while_alive=while_alive)
        finally:
            answer = self.give_up(request)
        assert answer is not None
        if isinstance(answer, m.Refusal):
            raise make_error(answer)
        return answer

    def give_up(self, request: m.Request) -> m.Message | None:
        """Stop waiting for the answer of a request. Return the answer if it has been received."""
        return self._answers.pop(request.id, None)

    def wait(self, there: Callable[[], bool], what: str, *, while_alive: bool = False, forever: bool = False) -> None:
        """Read, or let another thread read, until the condition `there` is true.

        `there` is called after every batch of messages, while no other thread can read. It must not send requests.
        """
        timeout = max(self.wire.timeout, LONGEST_SILENCE) if while_alive else self.wire.timeout
        deadline = math.inf if forever else time.monotonic() + timeout
        with self._change:
            while not there():
                if while_alive:
                    deadline = max(deadline, self._received_at + timeout)
                if not self._someone_reads:
                    if not self._read(deadline):
                        raise Timeout(f"{self.wire.url}: no answer to {what!r} within {timeout:g} s")
                elif (
                    not self._wait_for_reader(None if forever else deadline - time.monotonic())
                    and time.monotonic() > deadline
                ):
                    raise Timeout(f"{self.wire.url}: no answer to {what!r} within {timeout:g} s")

    def _wait_for_reader(self, seconds: float | None) -> bool:
        self._waiting += 1
        try:
            return self._change.wait(seconds)
        finally:
            self._waiting -= 1

    def catch_up(self) -> None:
        """Read the messages that have arrived already, unless that was done within the last `LONGEST_NEGLECT`."""
        if time.monotonic() - self._looked > LONGEST_NEGLECT:
            with self._change:
                while not self._someone_reads and self._read(0.0):
                    pass

    def _read(self, deadline: float) -> bool:
        """Read a batch of messages while other threads may send and wait. Return False if none arrived in time."""
        messages: list[m.Message] = []
        self._someone_reads = True
        self._change.release()
        try:
            messages = self.wire.receive(deadline)
            self._received_at = self._looked = time.monotonic()
            for message in messages:
                self._on_message(message)
        except Timeout:
            self._looked = time.monotonic()
            return False
        finally:
            self._change.acquire()
            self._someone_reads = False
            answers = self._answers
            for message in messages:
                number = getattr(message, "id", None)
                if number in answers:
                    answers[number] = message
            if self._waiting:
                self._change.notify_all()
        return True


def make_error(refusal: m.Refusal) -> PaddockError:
    """Return the error of a refusal, with the class that the server raised."""
    cls = getattr(errors, refusal.error, None)
    if cls is SpecError:
        return SpecError(refusal.message)
    if not (isinstance(cls, type) and issubclass(cls, PaddockError)):
        cls = LinkError
    error = cls.__new__(cls, refusal.message)
    Exception.__init__(error, refusal.message)
    if isinstance(error, UnknownName):
        error.message, error.what, error.asked = refusal.message, "", ""
    return error
