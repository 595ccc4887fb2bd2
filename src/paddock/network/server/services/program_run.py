"""ProgramRun: the run of a program in this process, which viewers may start again after its end."""

from __future__ import annotations

import threading

from msgspec.structs import replace

from paddock.arena.episodes.events import CHANGES, Kind
from paddock.core.errors import Refused
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import News, Service, before, handles


class ProgramRun(Service):
    """Reports the state of a run to clients, and their wishes to the program that waits for them in its own thread."""

    def __init__(self) -> None:
        self.status: m.RunStatus | None = None  # None: no program reports one
        self.viewed, self.restarted = threading.Event(), threading.Event()  # the program waits for these

    def list_news(self) -> News:
        return {"run": lambda client: self.status}

    def on_watch(self, client: Client) -> None:
        self.viewed.set()

    def on_intervention(self, client: Client, kind: Kind, text: str, in_full: str) -> None:
        """Show the first intervention that changes the run to viewers, because it is no longer repeatable."""
        status = self.status
        if kind in CHANGES and status is not None and status.state == "running" and not status.intervention:
            self.set_status(replace(status, intervention=f"{text} at {self.session.arena.time:g} s"))

    def on_reset(self) -> None:
        """Show only what a reset does not undo, such as robots that came or left, because the run begins again."""
        if self.status is not None and self.status.intervention:
            self.set_status(replace(self.status, intervention=self.session.arena.disturbance))

    def set_status(self, status: m.RunStatus) -> None:
        """Send the state of the run to all clients; stop the clock if the run has ended."""
        self.status = status
        if self.has_ended:
            self.restarted.clear()
            self.session.clock.set_running(False)
        self.session.mark_stale("run")

    @property
    def has_ended(self) -> bool:
        """Whether a program waits for `run_again`."""
        return self.status is not None and self.status.again and self.status.state != "running"

    @handles(m.RunAgain, Role.SUPERVISOR, done=True)
    def run_again(self, client: Client, request: m.RunAgain) -> None:
        """Reset the arena and restart the run of the program that waits for this."""
        if not self.has_ended:
            raise Refused("run_again: no run has ended; `reset` goes back to the start")
        self._restart(request.seed)

    @before(m.Play)
    def play(self, client: Client, request: m.Play) -> Message | None:
        return self._restart_if_ended(request.id, None)

    @before(m.Reset)
    def reset(self, client: Client, request: m.Reset) -> Message | None:
        return self._restart_if_ended(request.id, request.seed)

    def _restart_if_ended(self, id: int, seed: int | None) -> Message | None:
        if not self.has_ended:
            return None
        self._restart(seed)
        return m.Done(id=id)

    def _restart(self, seed: int | None) -> None:
        self.session.reset(seed)
        self.set_status(m.RunStatus(state="running", intervention=self.session.arena.disturbance))
        self.session.clock.set_running(True)
        self.restarted.set()
