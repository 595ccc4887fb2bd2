"""CoppeliaRobot: the handle of a robot in CoppeliaSim, which is also its arena."""

from __future__ import annotations

from paddock.bridges.common.stepped_robot import SteppedRobot
from paddock.bridges.coppelia.zmq_link.body import CoppeliaBody


class CoppeliaRobot(SteppedRobot):
    """A robot in CoppeliaSim. Uses the stepping mode."""

    body: CoppeliaBody
    nature = "a robot in CoppeliaSim"

    def _read_dt(self) -> float:
        return float(self.body.client.call("getSimulationTimeStep"))

    def _ask_time(self) -> float:
        self.body.client.time = float(self.body.client.call("getSimulationTime"))
        return self.body.client.time

    def _hold(self, on: bool) -> None:
        self.body.client.call("setStepping", on)

    def _start_there(self) -> None:
        self.body.client.call("startSimulation")

    def _stop_there(self) -> None:
        self.body.client.call("stopSimulation")
        while self.body.client.call("getSimulationState") != 0:
            self._await_step()  # it stops at the end of a step

    def _pass_steps(self, n: int) -> None:
        for _ in range(n):
            self.body.client.call("step")
        self._ask_time()

    def _await_step(self) -> None:
        self.body.client.call("step")
