"""HostEnd: the host's protocol for one robot: connect, agree on a mode, and send an order until it is answered."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from paddock.core.errors import PaddockError, Timeout
from paddock.core.reason import explain
from paddock.experiments.ecoli.waypoint_robots import texts
from paddock.experiments.ecoli.waypoint_robots.conversation import Conversation, LineEnd
from paddock.experiments.ecoli.waypoint_robots.frames import (
    next_number,
    read_checked,
    write_checked,
    write_checked_text,
    write_frame,
)
from paddock.experiments.ecoli.waypoint_robots.texts import (
    OUR_ARGUMENTS,
    RELATIVE,
    Order,
    Reply,
    read_reply,
    write_order,
)

ASKED_TWICE = frozenset("DTU")  # orders whose reply a stopped robot of 2012 must give twice to be accepted
ECHOED = frozenset("PANGO")  # orders whose reply repeats their numbers
NO_ORDER_ROBOT = explain("it answers, but not as a robot that takes orders")
MAX_REQUESTS = 60  # requests for checked mode; on a line that loses 2 % of all bytes, about one in three is answered
QUIET = 4.0  # round trips of silence after which no answer is in transmission any more
DECIMALS = 2  # decimals of the numbers of the host of 2012
DAMAGED = "damaged"  # the kind of a reply that cannot be read
STOPS = 3  # number of stop orders sent to a robot before it is given up
SESSIONS = 1 << 24  # number of possible session numbers
MAX_UNANSWERED = 3  # drives in a row without an answer, after which a robot of 2012 is lost


class RobotLost(Timeout):
    """Raised if a robot gives no usable answer in time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HostTiming:
    """Timeouts of the host. Drives have additional time, computed from their distance."""

    greeting: float = 1.0  # [s] to wait for a greeting after connecting
    round_trip: float = 0.5  # [s] after which an answer without a drive is lost
    reopening: float = 2.0  # [s] of silence after which the line is opened again
    silence: float = 30.0  # [s] of silence after which the robot is lost
    polling: float = math.inf  # [s], maximum time between two polls during a drive, in checked mode
    attempts: int = 12  # maximum number of attempts until a robot of 2012 echoes an order correctly
    unknown: int = 2  # number of "unknown order" replies after which a robot does not support checked mode

    def __post_init__(self) -> None:
        for name in ("greeting", "round_trip", "reopening", "silence"):
            if not 0 < getattr(self, name) < math.inf:
                raise PaddockError(f"HostTiming: {name}: expected seconds > 0, got {getattr(self, name)!r}")


class HostEnd(LineEnd):
    """Sends orders to one robot. Its methods are conversations: see `ConversationRunner`."""

    def __init__(
        self, *, session: int = 1, checked: bool = True, patient: bool = False, timing: HostTiming | None = None
    ) -> None:
        """
        Args:
            session: a number that is unique among the sessions with this robot.
            checked: request checked mode; robots that do not support it stay in legacy mode.
            patient: behave like the host of 2012, which waits for an answer permanently and accepts any answer.
            timing: timeouts otherwise.
        """
        super().__init__()
        self.timing = timing or HostTiming()
        self.session, self.patient = session, patient
        self.mode = ""  # "legacy" or "checked", once that is known
        self._asks_for_checked = checked and not patient
        self._number = 0
        self._reopened_at = -math.inf
        self._late = False  # whether an earlier answer of a robot of 2012 may still arrive
        self._last_order = ""  # text of the last order
        self._last_echo: Reply | None = None  # last accepted reply; it may arrive a second time

    @property
    def stop_bytes(self) -> bytes:
        """Bytes that stop the robot by starting a new session; empty in legacy mode, which does not read in a drive."""
        return write_checked(0, f"K{(self.session + 1) % SESSIONS}") if self.mode == "checked" else b""

    # ---- connecting

    def connect(self) -> Conversation[str]:
        """Wait for a greeting and agree on a mode. Return the mode."""
        self.silent_since = self.now
        if self.patient:
            yield math.inf
        else:
            yield self.now + self.timing.greeting
        if not (self._asks_for_checked or self.patient):
            yield from self._begin_plainly()
        self.mode = (yield from self._agree()) if self._asks_for_checked else "legacy"
        self._late = self.mode == "legacy"
        return self.mode

    def _drain(self) -> Conversation[None]:
        """Discard late answers until the line is silent, so that they are not assigned to the next order."""
        for _ in range(MAX_REQUESTS):
            if (yield self.now + QUIET * self.timing.round_trip) is None:
                self._late = False
                return
        raise RobotLost(NO_ORDER_ROBOT)

    def _begin_plainly(self) -> Conversation[None]:
        """Send `i` until it is answered. A robot that is still in checked mode returns to legacy mode after a while."""
        for _ in range(MAX_REQUESTS):
            self.send(write_frame(write_order(Order("i"))))
            due = self.now + self.timing.round_trip
            while (received := (yield due)) is not None:
                self.silent_since = self.now
                if read_reply(received) == Reply("i"):
                    return
            self._check_silence()
        raise RobotLost(NO_ORDER_ROBOT)

    def _agree(self) -> Conversation[str]:
        text = write_checked_text(0, f"K{self.session}")
        unknown = 0
        for _ in range(MAX_REQUESTS):
            self.send(write_frame(text))
            received = yield self.now + self.timing.round_trip
            if received is None:
                self._check_silence()
                continue
            self.silent_since = self.now
            frame, reply = read_checked(received), read_reply(received)
            if frame is not None and read_reply(frame.text) == Reply("K", (self.session,)):
                return "checked"
            if reply == Reply(texts.UNKNOWN, (len(text),)):  # the length shows that the text arrived completely
                unknown += 1
                if unknown >= self.timing.unknown:
                    return "legacy"
            elif frame is None and reply is None:
                self.statistics.damaged += 1
        raise RobotLost(NO_ORDER_ROBOT)

    # ---- orders

    def ask(self, order: Order, seconds: float = 0.0, *, expected: float = 0.0) -> Conversation[Reply]:
        """Send an order until it is answered. Return the reply.

        Args:
            order: the order.
            seconds: maximum duration of the order, including all tries.
            expected: expected duration of the order [s].

        Raises:
            RobotLost: the robot does not answer; or it is unknown whether it has carried out an order that must not
                be repeated.
        """
        if self.mode == "checked":
            return (yield from self._ask_checked(write_order(order), seconds, expected))
        if order.letter in OUR_ARGUMENTS:
            raise PaddockError(
                explain("order {letter!r} needs checked mode, which this robot does not support", letter=order.letter)
            )
        if self.patient:
            return (yield from self._ask_without_timeout(order))
        reply = yield from self._ask_legacy(order, seconds)
        if order.letter not in ASKED_TWICE:
            return reply
        attempts = self.timing.attempts
        for _ in range(attempts):  # a lost digit cannot be detected otherwise
            before, reply = reply, (yield from self._ask_legacy(order, seconds))
            if reply == before:
                return reply
        reason = explain(
            "no two equal answers to {order} in {attempts} attempts", order=order.letter, attempts=attempts
        )
        raise RobotLost(reason)

    def _ask_checked(self, text: str, seconds: float, expected: float) -> Conversation[Reply]:
        self._number = next_number(self._number)
        frame, wait = write_checked(self._number, text), self.timing.round_trip
        self.silent_since = began = self.now
        stop_at, accepted = began + seconds + self.timing.silence, False
        self.send(frame)
        due = self.now + wait
        while True:
            received = yield due
            if self.now > stop_at:
                raise RobotLost(
                    explain("no right answer to {order} in {seconds:.0f} s", order=text, seconds=self.now - began)
                )
            if received is None:
                self._check_silence()
                self.statistics.polls += accepted
                self.statistics.resends += not accepted
                self.send(frame)
                due, accepted = self.now + wait, False
                continue
            reply = self._read_checked_reply(received)
            if reply is None:
                continue
            if reply.kind in (texts.REPEAT, DAMAGED):
                self.statistics.rejected += reply.kind == texts.REPEAT
                self.statistics.damaged += reply.kind == DAMAGED
                self.statistics.resends += 1
                self.send(frame)
                due = self.now + wait
            elif reply.kind in (texts.ACCEPTED, texts.WORKING):
                accepted = True
                due = min(self.now + self.timing.polling, max(self.now + 2 * wait, began + expected + wait))
                self.silent_since = due
            else:
                return reply

    def try_to_stop(self) -> Conversation[None]:
        """Send `S` to a robot that is about to be given up. It may still receive, even if its answers do not arrive."""
        for _ in range(STOPS if self.mode else 0):
            self.send_stop()
            yield self.now + self.timing.round_trip

    def send_stop(self) -> None:
        """Send `S` without waiting for an answer. A robot of 2012 reads it after its current order."""
        if self.mode == "checked":
            self._number = next_number(self._number)
            self.send(write_checked(self._number, "S"))
        elif self.mode:
            self.send(write_frame("S"))

    def _read_checked_reply(self, received: str) -> Reply | None:
        """Return a reply to the current order or about the session; None for a late reply."""
        frame = read_checked(received)
        reply = None if frame is None else read_reply(frame.text)
        self.silent_since = self.now  # any received text shows that the line works
        if frame is None or reply is None:
            return Reply(DAMAGED)
        if reply.kind == texts.NO_SESSION:
            raise RobotLost(explain("it was switched off and on, and its pose is unknown"))
        stale = frame.number != self._number and not (frame.number == 0 and reply.kind == texts.REPEAT)
        return None if stale else reply

    def _ask_without_timeout(self, order: Order) -> Conversation[Reply]:
        self.send(write_frame(write_order(order, decimals=DECIMALS)))
        received = yield math.inf
        reply = None if received is None else read_reply(received)
        return reply or Reply(texts.UNKNOWN, (0,))

    def _ask_legacy(self, order: Order, seconds: float) -> Conversation[Reply]:
        text, wrong, silences = write_order(order), 0, 0
        if self._late and (order.letter not in ECHOED or text == self._last_order):
            yield from self._drain()
        self._last_order = text
        self.silent_since = self.now
        while wrong < self.timing.attempts:
            self.send(write_frame(text))
            reply = yield from self._await_echo(order, seconds)
            if isinstance(reply, Reply) and reply.kind != texts.UNKNOWN:
                self._last_echo = reply
                return reply
            if not isinstance(reply, Reply) and order.letter in RELATIVE:
                raise RobotLost(
                    explain("it is not known whether {order} was carried out, and it must not be repeated", order=text)
                )
            if reply == "silent":
                self._late = True
                silences += 1
                self._check_silence(silences >= MAX_UNANSWERED)
            else:
                self._late |= reply == "wrong"
                wrong, silences, self.silent_since = wrong + 1, 0, self.now
            self.statistics.resends += 1
        raise RobotLost(explain("no right answer to {order} in {attempts} attempts", order=text, attempts=wrong))

    def _await_echo(self, order: Order, seconds: float) -> Conversation[Reply | Literal["silent", "wrong"]]:
        """Return the reply to an order if it is correct or reports an unknown order, else "silent" or "wrong"."""
        due = self.now + seconds + self.timing.round_trip
        while True:
            received = yield due
            if received is None:
                return "silent"
            reply = read_reply(received)
            if reply is None:
                self.statistics.damaged += 1
                return "wrong"
            if reply.kind == texts.UNKNOWN and order.letter in RELATIVE and reply.numbers != (len(write_order(order)),):
                continue  # it answers an earlier text
            if reply.kind == texts.UNKNOWN or echoes(order, reply):
                return reply
            if reply != self._last_echo:  # else it is a late reply to the previous order
                self.statistics.wrong_echoes += 1
                return "wrong"

    def _check_silence(self, may_be_lost: bool = True) -> None:
        silent = self.now - self.silent_since
        if silent >= self.timing.silence and may_be_lost:
            raise RobotLost(explain("it was silent for {seconds:.0f} s", seconds=silent))
        if min(silent, self.now - self._reopened_at) >= self.timing.reopening:
            self.statistics.reopenings += 1
            self.wants_reopening, self._reopened_at = True, self.now


def echoes(order: Order, reply: Reply) -> bool:
    """Whether a reply of a robot of 2012 matches an order: its kind, and its numbers if they are repeated."""
    if reply.kind == texts.STOPS_AT:
        return order.letter in "GO"
    if reply.kind != order.letter:
        return False
    if order.letter not in ECHOED:
        return True
    sent = write_order(order)[1:].split(";")
    return all(abs(float(text) - number) < 1e-5 for text, number in zip(sent, reply.numbers, strict=True))
