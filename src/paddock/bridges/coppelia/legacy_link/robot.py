"""VrepRobot: the handle of a robot in V-REP, which is also its arena."""

from __future__ import annotations

import struct

from paddock.bridges.common.stepped_robot import SteppedRobot
from paddock.bridges.coppelia.legacy_link.body import VrepBody, key

SYNCHRONOUS, FREE, TRIGGER, SIMULATION, GET_FLOAT, GET_INTEGER = 0x1, 0x2, 0x3, 0x1007, 0x1023, 0x1021
START, STOP, TIME_STEP, VERSION = 0, 2, 1, 1


class VrepRobot(SteppedRobot):
    """A robot in V-REP. Uses the synchronous mode."""

    body: VrepBody
    nature = "a robot in V-REP"

    def _read_dt(self) -> float:
        (step,) = struct.unpack("<f", self.body.client.call(GET_FLOAT, key(TIME_STEP)))
        return round(float(step), 6)

    def _ask_time(self) -> float:
        self.body.client.call(GET_INTEGER, key(VERSION))  # every answer contains the time
        return self.body.client.time

    def _hold(self, on: bool) -> None:
        self.body.client.call(SYNCHRONOUS if on else FREE)

    def _start_there(self) -> None:
        self.body.client.call(SIMULATION, key(START))

    def _stop_there(self) -> None:
        self.body.client.call(SIMULATION, key(STOP))
        self._wait(lambda now: now <= 0)  # it stops at the end of a step

    def _pass_steps(self, n: int) -> None:
        for _ in range(n):
            self.body.client.call(TRIGGER)
            self._ask_time()  # when this is answered, the step is over
