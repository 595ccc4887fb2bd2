"""VrepRobot: the handle of a robot in V-REP, and the arena that it stands in, in one."""

from __future__ import annotations

import atexit
import logging
import math
import struct
import time
from collections.abc import Callable

from paddock.arena.base import check_ticks
from paddock.arena.episode_loop import EpisodeLoop
from paddock.core.errors import LinkError, SimulationError, Timeout
from paddock.links.single import SingleRobot
from paddock.links.vrep.body import VrepBody, key
from paddock.links.vrep.client import PAUSE

log = logging.getLogger("paddock.links")

SYNCHRONOUS, FREE, TRIGGER, SIMULATION, GET_FLOAT, GET_INTEGER = 0x1, 0x2, 0x3, 0x1007, 0x1023, 0x1021
START, STOP, TIME_STEP, VERSION = 0, 2, 1, 1


class VrepRobot(SingleRobot):
    """A robot of another simulator. In the synchronous mode `step` lets its time pass, else it waits for it."""

    body: VrepBody
    nature = "a robot in V-REP"

    def __init__(self, body: VrepBody, *, synchronous: bool) -> None:
        """
        Args:
            body: a way to it, connected.
            synchronous: time there waits for this program.
        """
        super().__init__(body)
        self.synchronous = synchronous
        (step,) = struct.unpack("<f", body.client.call(GET_FLOAT, key(TIME_STEP)))
        self._dt: float = round(step, 6)
        self._begin()
        atexit.register(self.close)  # a program that ends leaves no robot driving

    def _begin(self) -> None:
        client = self.body.client
        if self.synchronous:
            client.call(SYNCHRONOUS)
        client.call(SIMULATION, key(START))
        self._start = self._now()
        self._due = 0.0

    def _now(self) -> float:
        """The time there [s]."""
        self.body.client.call(GET_INTEGER, key(VERSION))
        return self.body.client.time

    @property
    def dt(self) -> float:
        return self._dt

    @property
    def time(self) -> float:
        """Simulated seconds since it was connected, or reset."""
        return self.body.client.time - self._start

    @property
    def tick(self) -> int:
        return math.floor(self.time / self._dt + 0.5)

    def step(self, n: int = 1) -> None:
        """Let n steps pass, or wait until they have."""
        ticks = check_ticks(n)
        if self.synchronous:
            for _ in range(ticks):
                self.body.client.call(TRIGGER)
                self._now()  # when this is answered, the step is over
            return
        self._due = max(self._due + ticks * self._dt, self.time)
        self._wait(lambda: self.time >= self._due - 1e-6)

    def _wait(self, is_over: Callable[[], bool]) -> None:
        """Look at the time there until it is as it should be; `Timeout` if it stands still."""
        timeout, last, end = self.body.client.timeout, math.nan, 0.0
        while not is_over():
            now = self._now()
            if now != last:
                last, end = now, time.monotonic() + timeout
            elif time.monotonic() > end:
                raise Timeout(f"{self.name}: time there stands still since {timeout:g} s; is the simulation paused?")
            time.sleep(PAUSE)

    def _drive(self, loop: EpisodeLoop) -> str:
        if loop.plan.speed is not None:
            raise SimulationError(f"run: {self.name} is {self.nature}: its time has the speed that it has there")
        self._due = self.time
        return loop.drive()

    def reset(self, seed: int | None = None) -> None:
        """Stop the simulation and start it again; everything there begins anew."""
        self.body.client.call(SIMULATION, key(STOP))
        self._wait(lambda: self._now() <= 0)  # it stops at the end of a step
        self.body.forget()
        self._begin()
        self.note_event("reset", text=f"{self.name} was reset")

    def close(self) -> None:
        """Stop the robot, and hang up."""
        if not self._end():
            return
        atexit.unregister(self.close)
        try:
            self.stop()
            if self.synchronous:
                self.body.client.call(FREE)
        except LinkError as error:
            log.warning("%s could not be stopped: %s", self.name, error)
        self.body.client.close()
