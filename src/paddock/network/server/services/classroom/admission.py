"""Admission: the tokens and grants with which the students of a class join."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.network.server.core.access import Grant
from paddock.network.server.core.client import Client
from paddock.network.server.core.session import Session
from paddock.network.server.core.visibility import switch_off_hidden
from paddock.network.server.services.classroom.attendance import is_program
from paddock.teaching.classroom import Student

if TYPE_CHECKING:
    from paddock.network.server.services.classroom.classroom import Classroom

LOCKED_OUT = "you are locked out of this class; talk to your lecturer"


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
        grant = self._classroom.lesson.grant(student)
        if grant != self._grants.get(robot):
            self._change_grant(robot, grant)
        if student.state == "locked-out":
            tokens.refuse(token, LOCKED_OUT)
            self._session.supervision.dismiss(self.find_clients(robot), LOCKED_OUT)
        else:
            tokens.add(self._grants[robot], token)
        if was.state != student.state:
            log.write(f"{student.name} {'is locked out' if student.state == 'locked-out' else 'may join again'}")
        if was.name != student.name:
            log.write(f"{was.name} was renamed to {student.name}")

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
        return [client for client in self._session.clients if client.grant is grant] if grant is not None else []

    def has_program(self, robot: str) -> bool:
        """Whether a student's robot is driven, or a program of the student is connected."""
        return any(is_program(client) for client in self.find_clients(robot))
