"""Interventions: report actions of users and other programs to the run that they affect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.arena.episodes.events import Kind
from paddock.network.protocol import messages as m
from paddock.network.server.core.client import Client
from paddock.network.server.core.visibility import knows_seed

if TYPE_CHECKING:
    from paddock.network.server.core.session import Session

NOTED_BY_ARENA = ("teleport", "reset", "restore", "spawn", "remove")  # by the arena itself


class Interventions:
    """Reports interventions to a run in this process, to services, and to clients that requested events."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._drivers: dict[str, Client] = {}  # by robot, at the last check

    def announce(
        self, client: Client, kind: Kind, text: str, robot: str | None = None, *, seed: int | None = None
    ) -> None:
        """Report an intervention. The seed is sent only to clients that may know it."""
        session, arena = self._session, self._session.arena
        if kind not in NOTED_BY_ARENA:
            arena.note_event(kind, robot, text)
        by = "" if client.name in text else f" (by {client.name})"
        in_full = f"{text}{'' if seed is None else f' with seed {seed}'}{by}"
        for service in session.services:
            service.on_intervention(client, kind, text, in_full)
        for other in session.clients:
            if other.wants_events and other is not client and (robot is None or other.grant.sees(robot)):
                visible_text = in_full if knows_seed(session, other.grant) else text + by
                other.send(m.EventUpdate(kind=kind, robot=robot, text=visible_text, tick=arena.tick))

    def note_drivers(self) -> None:
        """Report robots that were taken over from another client or from the program that runs this arena."""
        ownership, arena = self._session.ownership, self._session.arena
        before, self._drivers = self._drivers, dict(ownership.owners)
        beside_program = arena.gate is not None
        if beside_program:
            arena.note_drivers({robot: client.name for robot, client in self._drivers.items()})
        for robot in before.keys() | self._drivers.keys():
            old, new = before.get(robot), self._drivers.get(robot)
            if old is new or robot in ownership.spawned:
                continue
            if new is not None and (old is not None or beside_program):
                self.announce(new, "driver", f"{new.name} took over {robot}", robot)
            elif old is not None and robot not in arena.numbers:
                self.announce(old, "remove", f"{robot} was removed", robot)
            elif old is not None and new is None and beside_program:
                self.announce(old, "driver", f"{old.name} gave {robot} back", robot)
