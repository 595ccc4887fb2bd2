"""Steering: commands on their way to a server, and what happens to robots that others take over meanwhile."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

from paddock.core.errors import Refused
from paddock.core.observation import Command
from paddock.episodes.events import Event, Kind
from paddock.links.dialogue import error_of
from paddock.protocol import messages as m

if TYPE_CHECKING:
    from paddock.links.remote import RemoteArena
    from paddock.links.remote_body import RemoteBody


class Steering:
    """The commands of a remote arena: in the lock they wait for the next step, else they leave at once."""

    def __init__(self, arena: RemoteArena) -> None:
        self._arena = arena
        self.turn = threading.Lock()  # commands leave in the order in which they were given
        self._waiting: dict[str, RemoteBody] = {}
        self.driven: set[str] = set()  # robots that were given commands
        self._taken: set[str] = set()  # … and that others have taken over since
        self._noted: set[str] = set()  # … and of which a run was told that
        self.has_rival = False  # whether the program that serves the arena runs it, too
        self.complaint: m.Refusal | None = None  # about commands that were sent without a question

    def add(self, body: RemoteBody) -> None:
        """A robot was given a command. Whoever calls it has the turn."""
        if self.is_lost(body.name):
            body.take_command()
            return
        self._waiting[body.name] = body
        self.driven.add(body.name)
        if not self._arena.in_lock:
            self.raise_complaint()  # errors of observers are no answer to a command: what asks next raises them
            self.send()

    def send(self) -> None:
        """Send what waits, without waiting for an answer. Whoever calls it has the turn."""
        if self._waiting:
            self._arena.dialogue.wire.send(m.Steer(commands=self.take()))

    def take(self) -> dict[str, Command]:
        """What waits, by robot; it has to be sent then."""
        if not self._waiting:
            return {}
        bodies, self._waiting = self._waiting, {}
        return {name: body.take_command() for name, body in bodies.items()}

    def is_lost(self, robot: str) -> bool:
        """Whether a robot was taken over or away during a run: the run goes on, commands to it are left out."""
        return self._arena.is_recording and (robot in self._taken or not self._arena.robots.has(robot))

    def hear_drivers(self, news: m.RobotList) -> None:
        """Whether others have taken over robots that were driven from here, or given them back."""
        free = ("", self._arena.name)
        self._arena.note_drivers({info.name: info.owner for info in news.robots if info.owner not in free})
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

    def hear_release(self, message: m.Released) -> None:
        """Time waits no longer for someone."""
        if message.client == self._arena.name:
            self._arena.held = False
            self._arena.disturb("time went on without this program, which was too slow for the lock")

    @property
    def chance(self) -> str:
        """What besides the program and the seed has decided the present state; empty: nothing."""
        if not self._arena.in_lock:
            return "time on the server does not wait for this program"
        return self._arena.disturbance or ("the program that serves the arena runs it, too" if self.has_rival else "")

    def hear_event(self, message: m.EventNews) -> None:
        """Someone else intervened: a run under way should know."""
        if message.kind == "driver" and message.robot in self.driven:
            self._note_loss(message.robot, message.text)  # the list of robots comes later: it may be free again
        else:
            time, kind = message.tick * self._arena.dt, cast(Kind, message.kind)
            self._arena.append_event(Event(time=time, kind=kind, robot=message.robot, text=message.text))

    def _note_loss(self, robot: str, text: str) -> None:
        """Tell a run once that someone took a robot over, whichever message says so first."""
        if robot not in self._noted:
            self._noted.add(robot)
            self._note(robot, f"{text}: commands from here are not applied")

    def _note(self, robot: str, text: str) -> None:
        self._arena.append_event(Event(time=self._arena.time, kind="driver", robot=robot, text=text))

    def raise_complaint(self) -> None:
        """Raise what was refused, but for a command that was under way when someone took its robot over."""
        if self.complaint is not None:
            complaint, self.complaint = self.complaint, None
            if complaint.error != Refused.__name__ or not any(map(self.is_lost, self.driven)):
                raise error_of(complaint)
