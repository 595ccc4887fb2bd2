"""Dialogue: requests and their answers over one wire, for any number of threads."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from paddock.arena.episodes.events import MOTIONS, Event, Kind
from paddock.core import errors
from paddock.core.errors import LinkError, PaddockError, Refused, SpecError, Timeout, UnknownName
from paddock.core.observation import Command
from paddock.network.client.wire import WebSocketWire
from paddock.network.protocol import messages as m

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena
    from paddock.network.client.remote_body import RemoteBody


LONGEST_NEGLECT = 0.05  # wall seconds for which cached data are used without reading new messages
LONGEST_SILENCE = 3.0  # seconds; a server sends a heartbeat once a second to clients that wait for time to pass

log = logging.getLogger("paddock.links")


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


class Steering:
    """Collects the commands of a remote arena. In the lock they are sent with the next step, else immediately."""

    def __init__(self, arena: RemoteArena) -> None:
        self._arena = arena
        self.mutex = threading.Lock()  # keeps commands in the order in which they were given
        self._waiting: dict[str, RemoteBody] = {}
        self.driven: set[str] = set()  # robots that received commands from here
        self._owned: set[str] = set()  # robots that are driven from here, or were until they were taken over
        self._taken: set[str] = set()  # driven robots that other clients have taken over since
        self._noted: set[str] = set()  # … and whose loss was recorded as an event
        self.has_rival = False  # whether the server's own program also runs the arena
        self.pending_error: m.Refusal | None = None  # refusal of commands, which are sent without waiting for an answer

    def add(self, body: RemoteBody) -> None:
        """Queue a new command of a robot. The caller must hold `mutex`."""
        if self.is_lost(body.name):
            body.take_command()
            return
        self._waiting[body.name] = body
        self.driven.add(body.name)
        if not self._arena.in_lock:
            self.raise_pending_error()  # errors of observers do not belong to a command: the next request raises them
            self.send()

    def send(self) -> None:
        """Send the queued commands without waiting for an answer. The caller must hold `mutex`."""
        if self._waiting:
            self._arena.dialogue.wire.send(m.SendCommands(commands=self.take()))

    def take(self) -> dict[str, Command]:
        """Remove and return the queued commands by robot. The caller must send them."""
        if not self._waiting:
            return {}
        bodies, self._waiting = self._waiting, {}
        return {name: body.take_command() for name, body in bodies.items()}

    def is_lost(self, robot: str) -> bool:
        """Whether another client has taken a robot over, or removed it during a run. Commands to it are left out."""
        if self._arena.is_recording:
            return robot in self._taken or not self._arena.robots.has(robot)
        return robot in self._taken and robot in self._owned

    def forget(self, robot: str) -> None:
        """Forget a robot that was released."""
        for names in (self.driven, self._owned, self._taken, self._noted):
            names.discard(robot)

    def on_drivers(self, news: m.RobotList) -> None:
        """Record whether other clients have taken over robots that are driven from here, or released them."""
        free = ("", self._arena.name)
        self._arena.note_drivers({info.name: info.owner for info in news.robots if info.owner not in free})
        self._owned |= {info.name for info in news.robots if info.owner == self._arena.name}
        for info in news.robots:
            if info.name not in self.driven:
                continue
            if info.owner not in free and self._arena.robots.owner(info.name) in free:
                self._taken.add(info.name)
                self._note_loss(info.name, f"{info.owner} took over {info.name}")
            elif info.owner in free and info.name in self._noted:
                self._taken.discard(info.name)
                self._noted.discard(info.name)
                self._note(info.name, f"{info.name} is driven from here again")
        self._owned -= {info.name for info in news.robots if not info.owner}

    def on_release(self, message: m.Released) -> None:
        """Handle the release of a client from the lock."""
        if message.client == self._arena.name:
            self._arena.held = False
            self._arena.disturb("time went on without this program, which was too slow for the lock")

    @property
    def nondeterminism(self) -> str:
        """Why the current state depends on more than the program and the seed; empty if it does not."""
        if not self._arena.in_lock:
            return "time on the server does not wait for this program"
        return self._arena.disturbance or ("the program that serves the arena runs it, too" if self.has_rival else "")

    def on_event(self, message: m.EventUpdate) -> None:
        """Record an intervention of another client in the current run."""
        if message.kind == "driver" and message.robot in self.driven:
            self._note_loss(message.robot, message.text)  # by the next list of robots, it may be free again
        else:
            time, kind = message.tick * self._arena.dt, cast(Kind, message.kind)
            self._arena.append_event(Event(time=time, kind=kind, robot=message.robot, text=message.text))
            self._arena.changes += kind in MOTIONS

    def _note_loss(self, robot: str, text: str) -> None:
        """Record once that another client took over a robot, at the first message that reports it."""
        if robot not in self._noted:
            self._noted.add(robot)
            self._note(robot, f"{text}: commands from here are not applied")

    def _note(self, robot: str, text: str) -> None:
        if robot in self._owned and not self._arena.is_recording:
            log.warning("%s", text)  # a loop of a user's own has no list of events
        self._arena.append_event(Event(time=self._arena.time, kind="driver", robot=robot, text=text))

    def raise_pending_error(self) -> None:
        """Raise the first pending refusal, unless its command was sent just before another client took over."""
        if self.pending_error is not None:
            refusal, self.pending_error = self.pending_error, None
            if refusal.error != Refused.__name__ or not any(map(self.is_lost, self.driven)):
                raise make_error(refusal)
