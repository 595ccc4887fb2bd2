"""Answers to the requests of services that a server does not have."""

from __future__ import annotations

from typing import NoReturn

from paddock.core.errors import Refused
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import Service, handles


class NoReplay(Service):
    """Answers on a server that replays no recording."""

    @handles(m.Seek, Role.SUPERVISOR)
    @handles(m.GoLive, Role.SUPERVISOR)
    def refuse(self, client: Client, request: Message) -> NoReturn:
        raise Refused(f"{request.type}: no recording is replayed here; `paddock record replay run.mcap` replays one")


class NoCopies(Service):
    """Answers on a server without private copies."""

    @handles(m.Visit)
    def refuse(self, client: Client, request: m.Visit) -> NoReturn:
        raise Refused("visit: this server has no private copies; that of a class has (`paddock class serve`)")


class NoClass(Service):
    """Answers on a server without a class."""

    @handles(m.OpenWorld, Role.SUPERVISOR)
    @handles(m.LockOut, Role.SUPERVISOR)
    @handles(m.Restart, Role.SUPERVISOR)
    @handles(m.Park, Role.SUPERVISOR)
    @handles(m.Tell, Role.SUPERVISOR)
    @handles(m.Submit)
    def refuse(self, client: Client, request: Message) -> NoReturn:
        raise Refused(f"{request.type}: no class is served here; `paddock class serve FOLDER` serves one")

    @handles(m.AskExercise)
    def describe_nothing(self, client: Client, request: m.AskExercise) -> m.ExerciseText:
        return m.ExerciseText(id=request.id)
