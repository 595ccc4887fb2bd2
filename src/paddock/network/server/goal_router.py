"""GoalRouter: forwards goals to the programs that drive robots, and their answers back."""

from __future__ import annotations

import asyncio
import contextlib
from itertools import count

from paddock.arena.run_monitor import RunMonitor
from paddock.core.errors import Refused
from paddock.network.protocol import messages as m
from paddock.network.server.client import Client, refusal
from paddock.network.server.ownership import Ownership

GONE = "the program that drove it has disconnected"


class GoalRouter:
    """Passes goals to controllers in this process through the run monitor, and to remote programs as messages."""

    def __init__(self, monitor: RunMonitor, ownership: Ownership) -> None:
        self._monitor, self._ownership = monitor, ownership
        self._loop = asyncio.get_running_loop()
        self._numbers = count(1)
        self._open: dict[int, tuple[Client, Client, m.SendGoal]] = {}  # by number: driver, sender, its request

    def send(self, client: Client, request: m.SendGoal) -> None:
        """Forward a goal; the answer is sent later."""
        owner = self._ownership.owners.get(request.robot)
        if owner is None or not owner.shows or self._monitor.takes_goals(request.robot):
            self._monitor.send_goal(
                request.robot, request.x, request.y, lambda why: self._answer_soon(client, request, why)
            )
            return
        number = next(self._numbers)
        self._open[number] = owner, client, request
        owner.send(m.GoalNews(robot=request.robot, x=request.x, y=request.y, number=number))

    def take(self, driver: Client, answer: m.GoalAnswer) -> None:
        """Forward the answer of a remote program."""
        asked, client, request = self._open.get(answer.number, (None, None, None))
        if asked is driver and client is not None and request is not None:
            del self._open[answer.number]
            _answer(client, request, answer.refusal)

    def drop(self, gone: Client) -> None:
        """Refuse the pending goals of a disconnected client."""
        for number, (driver, client, request) in list(self._open.items()):
            if gone in (driver, client):
                del self._open[number]
                _answer(client, request, GONE)

    def _answer_soon(self, client: Client, request: m.SendGoal, why: str) -> None:
        """Schedule the answer; called in the thread of a run."""
        with contextlib.suppress(RuntimeError):  # the server has ended in the meantime
            self._loop.call_soon_threadsafe(_answer, client, request, why)


def _answer(client: Client, request: m.SendGoal, why: str) -> None:
    client.send(refusal(Refused(f"{request.robot}: {why}"), request.id) if why else m.Done(id=request.id))
