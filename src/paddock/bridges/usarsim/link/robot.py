"""UsarSimRobot: the handle of a robot in a USARSim server, which is also its arena."""

from __future__ import annotations

import logging
from collections.abc import Callable

from paddock.bridges.usarsim.link.body import UsarBody
from paddock.bridges.usarsim.link.connection import UsarConnection
from paddock.core.argument_checks import check_ticks
from paddock.core.geometry import Pose
from paddock.network.client.single import SingleRobot

log = logging.getLogger("paddock.links")


class UsarSimRobot(SingleRobot):
    """A robot in a USARSim server. Time is that of the server: `step(n)` waits until n ticks have passed there."""

    body: UsarBody
    nature = "a robot of a USARSim server"

    def __init__(self, body: UsarBody, dt: float, open_anew: Callable[[], UsarConnection]) -> None:
        """
        Args:
            body: the connected body.
            dt: duration of a tick [s].
            open_anew: opens a new connection with the robot at its start.
        """
        super().__init__(body)
        self._dt, self._open_anew = dt, open_anew
        self._begin()
        self.stop_at_exit()

    def _begin(self) -> None:
        """Set the time to 0 and start the watchdog."""
        self.body.watchdog.start()
        reports = self.body.server.reports
        self._start, self._due, self._restarts = reports.time, 0.0, reports.restarts

    @property
    def time(self) -> float:
        """Server time [s] since the connection or the last reset."""
        return self.body.server.reports.time - self._start

    @property
    def odometry(self) -> Pose | None:
        """Pose of the server's own odometry; None if the server reports none."""
        with self.body.server.reading() as reports:
            return reports.odometry

    def step(self, n: int = 1) -> None:
        """Wait until n ticks have passed on the server since the last step. Delays are not caught up."""
        server = self.body.server
        self._due = max(self._due + check_ticks(n) * self._dt, self.time)
        server.wait(self._is_over, "report of a later time")
        if server.reports.restarts != self._restarts:
            self._begin()
            self.note_event("reset", text=f"the world of {self.name} was reset")

    def _is_over(self) -> bool:
        """Whether the step is over or the world was reset. Also reset the watchdog."""
        self.body.renew_watchdog()
        return self.time >= self._due - 1e-6 or self.body.server.reports.restarts != self._restarts

    def reset(self, seed: int | None = None) -> None:
        """Reconnect with the robot at its start, also after a lost connection. The world is not reset."""
        self.body.watchdog.end()
        self.body.server.close()
        self.body.move_to(self._open_anew())
        self.reconnects += 1
        self.body.pending_error = None
        self._begin()
        self.note_event("reset", text=f"{self.name} was reset")

    def _stop_and_disconnect(self) -> None:
        try:
            self.stop()
        finally:
            self.body.watchdog.end()
            self.body.server.close()  # this removes the robot
            if self.body.images is not None:
                self.body.images.close()
