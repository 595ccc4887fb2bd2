"""PlayerRobot: the handle of a robot in a Player server, which is also its arena."""

from __future__ import annotations

from paddock.bridges.common.stepped_robot import SteppedRobot
from paddock.bridges.player.link.body import PlayerBody


class PlayerRobot(SteppedRobot):
    """A robot in a Player server. Time is that of the server: `step` waits for data of a later time."""

    body: PlayerBody
    nature = "a robot of a Player server"

    def __init__(self, body: PlayerBody, dt: float) -> None:
        """
        Args:
            body: the connected body.
            dt: duration of a step [s].
        """
        self._step = dt
        super().__init__(body, stepping=False)

    def _read_dt(self) -> float:
        return self._step

    def _ask_time(self) -> float:
        self.body.client.read()
        return self.body.client.time

    def _await_step(self) -> None:
        """Do nothing: reading has already waited."""

    def _hold(self, on: bool) -> None:
        """Do nothing: the server decides whether time waits for its clients."""

    def _start_there(self) -> None:
        """Do nothing: the server runs already."""

    def _stop_there(self) -> None:
        """Stop the robot and reset its odometry. The server continues, because the robot may be real."""
        self.stop()
        self.body.reset_odometry()

    def _pass_steps(self, n: int) -> None:
        for _ in range(n):
            self._ask_time()
