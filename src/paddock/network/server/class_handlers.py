"""Handlers for the requests of a class; registered in `handlers.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.errors import Refused, UnknownName
from paddock.network.protocol import messages as m
from paddock.network.server.access import Role
from paddock.network.server.client import Client
from paddock.network.server.handlers import handles

if TYPE_CHECKING:
    from paddock.network.server.classroom import Classroom
    from paddock.network.server.session import Session


def get_classroom(session: Session, what: str) -> Classroom:
    """Return the classroom of the served class."""
    if session.classroom is None:
        raise Refused(f"{what}: no class is served here; `paddock class serve FOLDER` serves one")
    return session.classroom


def find_clients(session: Session, name: str) -> list[Client]:
    """Return the connections of a student; if there is no such student, the client of that name."""
    clients = session.clients
    own = [client for client in clients if name and client.grant.name == name]
    found = own or [client for client in clients if name and client.name == name]
    if not found:
        raise UnknownName("client", name, [client.name for client in clients])
    return found


@handles(m.OpenWorld, Role.SUPERVISOR, done=True)
def open_world(session: Session, client: Client, request: m.OpenWorld) -> None:
    get_classroom(session, "open_world").open_world(client, request)


@handles(m.LockOut, Role.SUPERVISOR, done=True)
def lock_out(session: Session, client: Client, request: m.LockOut) -> None:
    get_classroom(session, "lock_out").lock_out(request.student, request.on)


@handles(m.Release, Role.SUPERVISOR, done=True)
def release(session: Session, client: Client, request: m.Release) -> None:
    for found in find_clients(session, request.client):
        session.supervision.release(found, "a supervisor released it")


@handles(m.Disconnect, Role.SUPERVISOR, done=True)
def disconnect(session: Session, client: Client, request: m.Disconnect) -> None:
    session.supervision.dismiss(find_clients(session, request.client), "a supervisor closed this connection")


@handles(m.SetHeat, Role.SUPERVISOR, done=True)
def set_heat(session: Session, client: Client, request: m.SetHeat) -> None:
    actions = {"prepare": session.heats.prepare, "start": session.heats.start, "stop": session.heats.stop}
    if request.action not in actions:
        raise UnknownName("action of set_heat", request.action, actions)
    number = session.heats.number
    actions[request.action]()
    if session.heats.number != number:  # the arena was reset
        session.interventions.announce(client, "reset", f"heat {session.heats.number}: prepared")


@handles(m.Submit)
def submit(session: Session, client: Client, request: m.Submit) -> m.ReceiptAnswer:
    return get_classroom(session, "submit").submissions.receive(client, request)


@handles(m.AskExercise)
def ask_exercise(session: Session, client: Client, request: m.AskExercise) -> m.ExerciseText:
    if session.classroom is None:
        return m.ExerciseText(id=request.id)
    return session.classroom.submissions.describe(client, request.id)


@handles(m.ProgramEnded)
def note_end(session: Session, client: Client, request: m.ProgramEnded) -> None:
    if session.classroom is not None:
        session.classroom.on_end(client, request)
