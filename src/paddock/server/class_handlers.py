"""What is done for each request of a class; entered in the list of `handlers.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from paddock.core.errors import Refused
from paddock.protocol import messages as m
from paddock.server.access import Role
from paddock.server.client import Client
from paddock.server.handlers import handles

if TYPE_CHECKING:
    from paddock.server.session import Session


def refuse_without_class(what: str) -> NoReturn:
    """Say what is needed."""
    raise Refused(f"{what}: no class is served here; `paddock class serve FOLDER` serves one")


@handles(m.OpenWorld, Role.SUPERVISOR, done=True)
def open_world(session: Session, client: Client, wish: m.OpenWorld) -> None:
    refuse_without_class("open_world")


@handles(m.LockOut, Role.SUPERVISOR, done=True)
def lock_out(session: Session, client: Client, wish: m.LockOut) -> None:
    refuse_without_class("lock_out")


@handles(m.Release, Role.SUPERVISOR, done=True)
def release(session: Session, client: Client, wish: m.Release) -> None:
    refuse_without_class("release")


@handles(m.Disconnect, Role.SUPERVISOR, done=True)
def disconnect(session: Session, client: Client, wish: m.Disconnect) -> None:
    refuse_without_class("disconnect")


@handles(m.SetHeat, Role.SUPERVISOR, done=True)
def set_heat(session: Session, client: Client, wish: m.SetHeat) -> None:
    raise Refused("set_heat: there is no referee here; serve with one to have heats")


@handles(m.Submit)
def submit(session: Session, client: Client, wish: m.Submit) -> None:
    refuse_without_class("submit")


@handles(m.AskExercise)
def ask_exercise(session: Session, client: Client, wish: m.AskExercise) -> m.ExerciseText:
    return m.ExerciseText(id=wish.id)


@handles(m.ProgramEnded)
def note_end(session: Session, client: Client, wish: m.ProgramEnded) -> None:
    """Nobody keeps a list of programs here."""
