"""Steering: sends the commands of a remote arena to the server, and tracks robots that other clients take over."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

from paddock.arena.episodes.events import MOTIONS, Event, Kind
from paddock.core.errors import Refused
from paddock.core.observation import Command
from paddock.network.client.dialogue import make_error
from paddock.network.protocol import messages as m

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena
    from paddock.network.client.remote_body import RemoteBody


class Steering:
    """Collects the commands of a remote arena. In the lock they are sent with the next step, else immediately."""

    def __init__(self, arena: RemoteArena) -> None:
        self._arena = arena
        self.mutex = threading.Lock()  # keeps commands in the order in which they were given
        self._waiting: dict[str, RemoteBody] = {}
        self.driven: set[str] = set()  # robots that received commands from here
        self._taken: set[str] = set()  # … and that other clients have taken over since
        self._noted: set[str] = set()  # … and whose loss was recorded as an event
        self.has_rival = False  # whether the server's own program also runs the arena
        self.pending_error: m.Refusal | None = None  # refusal of commands, which are sent without waiting for an answer

    def add(self, body: RemoteBody) -> None:
        """Queue a new command of a robot. The caller must hold `turn`."""
        if self.is_lost(body.name):
            body.take_command()
            return
        self._waiting[body.name] = body
        self.driven.add(body.name)
        if not self._arena.in_lock:
            self.raise_pending_error()  # errors of observers do not belong to a command: the next request raises them
            self.send()

    def send(self) -> None:
        """Send the queued commands without waiting for an answer. The caller must hold `turn`."""
        if self._waiting:
            self._arena.dialogue.wire.send(m.SendCommands(commands=self.take()))

    def take(self) -> dict[str, Command]:
        """Remove and return the queued commands by robot. The caller must send them."""
        if not self._waiting:
            return {}
        bodies, self._waiting = self._waiting, {}
        return {name: body.take_command() for name, body in bodies.items()}

    def is_lost(self, robot: str) -> bool:
        """Whether a robot was taken over or removed during a run. The run continues without commands to it."""
        return (robot in self._taken or not self._arena.robots.has(robot)) and self._arena.is_recording

    def on_drivers(self, news: m.RobotList) -> None:
        """Record whether other clients have taken over robots that are driven from here, or released them."""
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

    def on_release(self, message: m.Released) -> None:
        """Handle the release of a client from the lock."""
        if message.client == self._arena.name:
            self._arena.held = False
            self._arena.disturb("time went on without this program, which was too slow for the lock")

    @property
    def nondeterminism(self) -> str:
        """Why the current state depends on more than the program and the seed; empty if it does not."""
        if not self._arena.in_lock:
            return "time on the server does not wait for this program"
        return self._arena.disturbance or ("the program that serves the arena runs it, too" if self.has_rival else "")

    def on_event(self, message: m.EventUpdate) -> None:
        """Record an intervention of another client in the current run."""
        if message.kind == "driver" and message.robot in self.driven:
            self._note_loss(message.robot, message.text)  # by the next list of robots, it may be free again
        else:
            time, kind = message.tick * self._arena.dt, cast(Kind, message.kind)
            self._arena.append_event(Event(time=time, kind=kind, robot=message.robot, text=message.text))
            self._arena.changes += kind in MOTIONS

    def _note_loss(self, robot: str, text: str) -> None:
        """Record once that another client took over a robot, at the first message that reports it."""
        if robot not in self._noted:
            self._noted.add(robot)
            self._note(robot, f"{text}: commands from here are not applied")

    def _note(self, robot: str, text: str) -> None:
        self._arena.append_event(Event(time=self._arena.time, kind="driver", robot=robot, text=text))

    def raise_pending_error(self) -> None:
        """Raise the first pending refusal, unless its command was sent just before another client took over."""
        if self.pending_error is not None:
            refusal, self.pending_error = self.pending_error, None
            if refusal.error != Refused.__name__ or not any(map(self.is_lost, self.driven)):
                raise make_error(refusal)
