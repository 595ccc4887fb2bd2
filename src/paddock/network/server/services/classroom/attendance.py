"""Attendance: which students may join, and their states: away, connected, silent, crashed, finished or locked out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Grant
from paddock.network.server.core.client import Client
from paddock.network.server.core.session import Session
from paddock.network.server.core.visibility import switch_off_hidden
from paddock.network.server.services.classroom.activity import RobotActivity
from paddock.teaching.classroom import Student

if TYPE_CHECKING:
    from paddock.network.server.services.classroom.classroom import Classroom

LOCKED_OUT = "you are locked out of this class; talk to your lecturer"
SILENT = 30.0  # wall seconds without a request


@dataclass
class Attendance:
    """State of one student while the server runs; permanent data are in the class folder."""

    student: Student
    state: str = "away"
    since: float = field(default_factory=time.time)  # seconds since 1970
    detail: str = ""
    ended: tuple[str, str] | None = None  # state and detail after the last program
    activity: RobotActivity = field(default_factory=RobotActivity)
    parked: bool = False  # by a supervisor
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
                return self._look(programs, now)
            return "silent", "no response" if any(client.silent for client in quiet) else "no request for 30 s"
        self.activity.restart(now)
        if self.ended is not None:
            return self.ended
        return ("connected", "") if clients else ("away", "")

    def _look(self, programs: Sequence[Client], now: float) -> tuple[str, str]:
        """Return what the robot does, in the arena in which its programs are."""
        session, robot = programs[0].session, self.student.robot
        if self.parked:
            return "idle", "parked by the lecturer"
        if robot not in session.arena:
            return "connected", "it has no robot"
        self.activity.look(session.arena, robot, now, stopped=explain_stop(session))
        return self.activity.state, self.activity.detail


def explain_stop(session: Session) -> str:
    """Return why the clock of a session stands still; empty if it does not."""
    clock = session.clock
    if not clock.running:
        return "its clock is paused" if session.is_private else "the clock is paused"
    if clock.held:
        return "it waits for the start signal"
    if clock.is_private and any(member.locked and member.waiting is None for member in clock.members):
        return "its program requests no step: it calculates or waits"
    return ""


def is_program(client: Client) -> bool:
    """Whether a client is a program and not only a page: it drives a robot, or it announced maps and goals."""
    return not client.ended and (client.shows or bool(client.driven))


def is_idle(client: Client, now: float) -> bool:
    """Whether a program has sent no request for long, and does not wait for a step."""
    return client.step_id is None and now - client.last_request_at > SILENT


class Admission:
    """Admits the students of a class, and disconnects those that may no longer join."""

    def __init__(self, classroom: Classroom, session: Session) -> None:
        self._classroom, self._session = classroom, session
        self._grants: dict[str, Grant] = {}  # by robot
        self._tokens: dict[str, str] = {}  # by robot

    def remove(self, robot: str) -> None:
        """Disconnect a student who is no longer in the class."""
        self._session.tokens.remove(self._tokens.pop(robot, ""))  # none if the student could not be admitted
        self._session.supervision.dismiss(self.find_clients(robot), "you are no longer in this class")
        self._grants.pop(robot, None)

    def update(self, was: Student, student: Student) -> None:
        """Update the token and grant of a student."""
        robot, token, log = student.robot, self._classroom.folder.token(student), self._classroom.log
        before, tokens = self._tokens.get(robot), self._session.tokens
        if before not in (None, token):
            tokens.remove(before or "")
            self._session.supervision.dismiss(
                self.find_clients(robot), "your link is no longer valid; ask for the new one"
            )
            log.write(f"{student.name} has a new link")
        self._tokens[robot] = token
        self.grant_again(robot, student)
        if student.state == "locked-out":
            tokens.refuse(token, LOCKED_OUT)
            self._session.supervision.dismiss(self.find_clients(robot), LOCKED_OUT)
        else:
            tokens.add(self._grants[robot], token)
        if was.state != student.state:
            log.write(f"{student.name} {'is locked out' if student.state == 'locked-out' else 'may join again'}")
        if was.name != student.name:
            log.write(f"{was.name} was renamed to {student.name}")

    def grant_again(self, robot: str, student: Student | None = None) -> None:
        """Update the grant of a student, after a change of the lesson, of the list, or of who is together."""
        classroom = self._classroom
        grant = classroom.lesson.grant(student or classroom.present[robot].student, together=classroom.is_together)
        if grant != self._grants.get(robot):
            self._change_grant(robot, grant)
            if classroom.present[robot].student.state != "locked-out" and robot in self._tokens:
                self._session.tokens.add(grant, self._tokens[robot])

    def find_grant(self, robot: str) -> Grant:
        """Return the grant of a student."""
        return self._grants[robot]

    def _change_grant(self, robot: str, grant: Grant) -> None:
        clients = self.find_clients(robot)
        self._grants[robot] = grant
        for client in clients:
            renamed = client.grant.name != grant.name
            client.grant = grant
            if renamed:
                self._session.supervision.rename(client)
            switch_off_hidden(client)
            client.stale.add("robots")

    def find_clients(self, robot: str) -> list[Client]:
        """Return the connections of a student."""
        grant = self._grants.get(robot)
        return (
            [client for client in self._session.sessions.clients if client.grant is grant] if grant is not None else []
        )

    def has_program(self, robot: str) -> bool:
        """Whether a student's robot is driven in the shared arena, or a program of the student is connected to it."""
        return any(is_program(client) and client.session is self._session for client in self.find_clients(robot))
