"""Attendance: state of a student of a class: away, connected, silent, crashed, finished or locked out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from paddock.network.protocol import messages as m
from paddock.network.server.core.client import Client
from paddock.teaching.classroom import Student

SILENT = 30.0  # wall seconds without a request


@dataclass
class Attendance:
    """State of one student while the server runs; permanent data are in the class folder."""

    student: Student
    state: str = "away"
    since: float = field(default_factory=time.time)  # seconds since 1970
    detail: str = ""
    ended: tuple[str, str] | None = None  # state and detail after the last program
    cpu_share: float = 0.0  # share of the server's time between the last two checks
    _used: tuple[float, float] = (0.0, 0.0)  # time of the last check, and the server's time used by then

    def note_end(self, message: m.ProgramEnded) -> None:
        """Store the end that a program reported."""
        problem = f"{message.location}: {message.text}" if message.location else message.text
        self.ended = ("crashed", problem) if message.text else ("finished", "")

    def note_loss(self, reason: str) -> None:
        """Store that a program's connection was lost."""
        self.ended = ("crashed", reason)

    def update(self, clients: Sequence[Client], now: float) -> None:
        """Update the state of the student; `now` by the loop's clock."""
        used = clients[0].share.used if clients else 0.0
        before, share = self._used
        self.cpu_share = round(max(0.0, used - share) / (now - before), 2) if now > before and clients else 0.0
        self._used = now, used
        state, detail = self._evaluate_state(clients, now)
        if (state, detail) != (self.state, self.detail):
            self.state, self.detail, self.since = state, detail, time.time()

    def _evaluate_state(self, clients: Sequence[Client], now: float) -> tuple[str, str]:
        if self.student.state == "locked-out":
            return "locked-out", ""
        programs = [client for client in clients if is_program(client)]
        if programs:
            self.ended = None
            quiet = [client for client in programs if client.silent or is_idle(client, now)]
            if len(quiet) < len(programs):
                return "connected", ""
            return "silent", "no response" if any(client.silent for client in quiet) else "no request for 30 s"
        if self.ended is not None:
            return self.ended
        return ("connected", "") if clients else ("away", "")


def is_program(client: Client) -> bool:
    """Whether a client is a program and not only a page: it drives a robot, or it announced maps and goals."""
    return not client.ended and (client.shows or bool(client.driven))


def is_idle(client: Client, now: float) -> bool:
    """Whether a program has sent no request for long, and does not wait for a step."""
    return client.step_id is None and now - client.last_request_at > SILENT
