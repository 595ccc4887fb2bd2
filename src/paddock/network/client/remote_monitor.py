"""RemoteMonitor: sends the maps and estimates of controllers to the server when a client there requests them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddock.arena.run_monitor import NO_RUN, GoalRequest, RunMonitor
from paddock.network.protocol import messages as m
from paddock.network.protocol.map_messages import pack_estimate, pack_grid, pack_map


class RemoteMonitor(RunMonitor):
    """A run monitor whose viewers are clients of the server.

    Args:
        send: sends a message.
    """

    def __init__(self, send: Callable[[m.Message], None]) -> None:
        super().__init__()
        self._send_message = send
        self._cells: set[str] = set()  # robots whose grid cells are also requested

    def on_message(self, message: m.ShowRequested | m.GoalRequested) -> None:
        """Handle a request to show a robot, or a goal for a robot. Does not block."""
        if isinstance(message, m.ShowRequested):
            self.asked.add(message.robot)
            if message.cells:
                self._cells.add(message.robot)
        else:
            number = message.number
            if self.takes_goals(message.robot):
                answer = GoalRequest(message.robot, message.x, message.y, lambda why: self._answer(number, why))
                self.goals.append(answer)
            else:
                self._answer(number, NO_RUN)

    def _answer(self, number: int, why: str) -> None:
        self._send_message(m.GoalAnswer(number=number, refusal=why))

    def show(self, robot: str, controller: Any) -> None:
        asked = robot in self.asked
        super().show(robot, controller)
        if asked:
            self._send(robot)

    def _send(self, robot: str) -> None:
        known, estimate, goals = self.maps.get(robot), self.estimates.get(robot), self.takes_goals(robot)
        if known is None and estimate is None and not goals:
            return
        grid = pack_grid(known.view) if known is not None and robot in self._cells else None
        self._cells.discard(robot)
        packed = None if known is None else pack_map(known, grid)
        self._send_message(m.Shown(robot=robot, map=packed, goals=goals, **pack_estimate(estimate)))
