"""Goals: forwards goals to the programs that drive robots, and their answers back."""

from __future__ import annotations

import contextlib
from functools import partial
from itertools import count

from paddock.core.errors import Refused
from paddock.network.protocol import messages as m
from paddock.network.server.core.client import Client, refusal
from paddock.network.server.core.service import Service, handles

GONE = "the program that drove it has disconnected"


class Goals(Service):
    """Passes goals to controllers in this process through the run monitor, and to remote programs as messages."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._open: dict[int, tuple[Client, Client, m.SendGoal]] = {}  # by number: driver, sender, its request

    @handles(m.SendGoal)
    def send(self, client: Client, request: m.SendGoal) -> None:
        """Forward a goal; the answer is sent later."""
        session, robot = self.session, request.robot
        session.ownership.check_may_drive(client, robot, "send_goal")
        self._forward(client, request)
        text = f"{client.name} sent {robot} to ({request.x:.2f}, {request.y:.2f})"
        session.interventions.announce(client, "goal", text, robot)

    def _forward(self, client: Client, request: m.SendGoal) -> None:
        monitor = self.session.arena.monitor
        owner = self.session.ownership.owners.get(request.robot)
        if owner is None or not owner.shows or monitor.takes_goals(request.robot):
            answer = partial(self._answer_soon, client, request)
            monitor.send_goal(request.robot, request.x, request.y, answer)
            return
        number = next(self._numbers)
        self._open[number] = owner, client, request
        owner.send(m.GoalRequested(robot=request.robot, x=request.x, y=request.y, number=number))

    @handles(m.GoalAnswer)
    def take(self, driver: Client, answer: m.GoalAnswer) -> None:
        """Forward the answer of a remote program."""
        asked, client, request = self._open.get(answer.number, (None, None, None))
        if asked is driver and client is not None and request is not None:
            del self._open[answer.number]
            _answer(client, request, answer.refusal)

    def on_exit(self, gone: Client) -> None:
        """Refuse the pending goals of a client that is gone."""
        for number, (driver, client, request) in list(self._open.items()):
            if gone in (driver, client):
                del self._open[number]
                _answer(client, request, GONE)

    def _answer_soon(self, client: Client, request: m.SendGoal, why: str) -> None:
        """Schedule the answer; called in the thread of a run."""
        with contextlib.suppress(RuntimeError):  # the server has ended in the meantime
            self.session.loop.call_soon_threadsafe(_answer, client, request, why)


def _answer(client: Client, request: m.SendGoal, why: str) -> None:
    client.send(refusal(Refused(f"{request.robot}: {why}"), request.id) if why else m.Done(id=request.id))
