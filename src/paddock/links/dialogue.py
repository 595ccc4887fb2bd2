"""Dialogue: requests and their answers over one wire, for any number of threads."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from paddock.core import errors
from paddock.core.errors import LinkError, PaddockError, SpecError, Timeout, UnknownName
from paddock.links.wire import WebSocketWire
from paddock.protocol import messages as m

LONGEST_NEGLECT = 0.05  # wall seconds for which what is known may be trusted unread
LONGEST_SILENCE = 3.0  # seconds: a server tells those who wait for time to pass that it lives, once a second


class Dialogue:
    """Whoever waits reads, for all others too: with one thread there is no hand-over, and none reads in vain.

    Args:
        wire: what to speak over.
        hear: is called with every message, in their order, by whichever thread reads; it must not wait for anything.
    """

    def __init__(self, wire: WebSocketWire, hear: Callable[[m.Message], None]) -> None:
        self.wire, self._hear = wire, hear
        self._change = threading.Condition(threading.Lock())  # guards the next three
        self._someone_reads = False
        self._waiting = 0  # threads that let others read
        self._answers: dict[int, m.Message | None] = {}  # to the open questions; None: not there yet
        self._heard = self._looked = time.monotonic()

    def ask(self, request: m.Request) -> None:
        """Send a request; its answer must be waited for, or be given up."""
        self._answers[request.id] = None
        try:
            self.wire.send(request)
        except BaseException:
            self.give_up(request)
            raise

    def answer(self, request: m.Request, *, patient: bool = False) -> m.Message:
        """Wait for the answer; a patient one waits as long as the server gives signs of life."""
        answers, number = self._answers, request.id
        try:
            self.wait(lambda: answers[number] is not None, request.type, patient=patient)
        finally:
            answer = self.give_up(request)
        assert answer is not None
        if isinstance(answer, m.Refusal):
            raise error_of(answer)
        return answer

    def give_up(self, request: m.Request) -> m.Message | None:
        """Nobody waits for the answer any more."""
        return self._answers.pop(request.id, None)

    def wait(self, there: Callable[[], bool], what: str, *, patient: bool = False, forever: bool = False) -> None:
        """Read, or let others read, until something is there.

        `there` is asked after every batch of messages, while nobody else may read: it must not ask the server itself.
        """
        timeout = max(self.wire.timeout, LONGEST_SILENCE) if patient else self.wire.timeout
        deadline = math.inf if forever else time.monotonic() + timeout
        with self._change:
            while not there():
                if patient:
                    deadline = max(deadline, self._heard + timeout)
                if not self._someone_reads:
                    if not self._read(deadline):
                        raise Timeout(f"{self.wire.url}: no answer to {what!r} within {timeout:g} s")
                elif (
                    not self._let_others_read(None if forever else deadline - time.monotonic())
                    and time.monotonic() > deadline
                ):
                    raise Timeout(f"{self.wire.url}: no answer to {what!r} within {timeout:g} s")

    def _let_others_read(self, seconds: float | None) -> bool:
        self._waiting += 1
        try:
            return self._change.wait(seconds)
        finally:
            self._waiting -= 1

    def catch_up(self) -> None:
        """Read what has arrived already, unless that was done a moment ago."""
        if time.monotonic() - self._looked > LONGEST_NEGLECT:
            with self._change:
                while not self._someone_reads and self._read(0.0):
                    pass

    def _read(self, deadline: float) -> bool:
        """Read a batch, while others may ask questions and wait; False if there was none in time."""
        messages: list[m.Message] = []
        self._someone_reads = True
        self._change.release()
        try:
            messages = self.wire.receive(deadline)
            self._heard = self._looked = time.monotonic()
            for message in messages:
                self._hear(message)
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


def error_of(refusal: m.Refusal) -> PaddockError:
    """The error that a refusal tells of, as the server raised it."""
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
