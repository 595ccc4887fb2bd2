"""Attendance: how a student of a class is: away, connected, silent, crashed, finished or locked out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from paddock.classes import Student
from paddock.protocol import messages as m
from paddock.server.client import Client

SILENT = 30.0  # wall seconds without a request


@dataclass
class Attendance:
    """One student. Kept while the server runs; what is to be known longer is in the folder of the class."""

    student: Student
    state: str = "away"
    since: float = field(default_factory=time.time)  # seconds since 1970
    detail: str = ""
    ended: tuple[str, str] | None = None  # state and detail after the last program
    cpu_share: float = 0.0  # of the server's time, between the last two looks
    _used: tuple[float, float] = (0.0, 0.0)  # when it was last looked at, and the time used by then

    def note_end(self, message: m.ProgramEnded) -> None:
        """A program said how it ended."""
        told = f"{message.place}: {message.text}" if message.place else message.text
        self.ended = ("crashed", told) if message.text else ("finished", "")

    def note_loss(self, reason: str) -> None:
        """A program's connection ended without a word."""
        self.ended = ("crashed", reason)

    def look(self, clients: Sequence[Client], now: float) -> None:
        """See how the student is; `now` by the loop's clock."""
        used = clients[0].share.used if clients else 0.0
        before, share = self._used
        self.cpu_share = round(max(0.0, used - share) / (now - before), 2) if now > before and clients else 0.0
        self._used = now, used
        state, detail = self._judge(clients, now)
        if (state, detail) != (self.state, self.detail):
            self.state, self.detail, self.since = state, detail, time.time()

    def _judge(self, clients: Sequence[Client], now: float) -> tuple[str, str]:
        if self.student.state == "locked-out":
            return "locked-out", ""
        programs = [client for client in clients if is_program(client)]
        if programs:
            self.ended = None
            quiet = [client for client in programs if client.silent or is_idle(client, now)]
            if len(quiet) < len(programs):
                return "connected", ""
            return "silent", "no sign of life" if any(client.silent for client in quiet) else "no request for 30 s"
        if self.ended is not None:
            return self.ended
        return ("connected", "") if clients else ("away", "")


def is_program(client: Client) -> bool:
    """Whether a client is more than a page that looks on: it drives, or it said that it is a program."""
    return client.shows or bool(client.driven)


def is_idle(client: Client, now: float) -> bool:
    """Whether a program has asked for nothing for long, though nothing keeps it waiting."""
    return client.step_id is None and now - client.heard > SILENT
