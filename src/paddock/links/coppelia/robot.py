"""CoppeliaRobot: the handle of a robot in CoppeliaSim, and the arena that it stands in, in one."""

from __future__ import annotations

import atexit
import logging
import math

from paddock.arena.base import check_ticks
from paddock.arena.episode_loop import EpisodeLoop
from paddock.core.errors import LinkError, SimulationError
from paddock.links.coppelia.body import CoppeliaBody
from paddock.links.single import SingleRobot

log = logging.getLogger("paddock.links")


class CoppeliaRobot(SingleRobot):
    """A robot of another simulator. In stepping mode `step` lets its time pass, else it waits for it."""

    body: CoppeliaBody
    nature = "a robot in CoppeliaSim"

    def __init__(self, body: CoppeliaBody, *, stepping: bool) -> None:
        """
        Args:
            body: a way to it, connected.
            stepping: time there waits for this program.
        """
        super().__init__(body)
        self.stepping = stepping
        self._dt = float(body.client.call("getSimulationTimeStep"))
        self._begin()
        atexit.register(self.close)  # a program that ends leaves no robot driving

    def _begin(self) -> None:
        if self.stepping:
            self.body.client.call("setStepping", True)
        self.body.client.call("startSimulation")
        self._start = self._there = self._now()
        self._due = 0.0

    def _now(self) -> float:
        """The time there [s]."""
        self._there = float(self.body.client.call("getSimulationTime"))
        return self._there

    @property
    def dt(self) -> float:
        return self._dt

    @property
    def time(self) -> float:
        """Simulated seconds since it was connected, or reset."""
        return self._there - self._start

    @property
    def tick(self) -> int:
        return math.floor(self.time / self._dt + 0.5)

    def step(self, n: int = 1) -> None:
        """Let n steps pass, or wait until they have."""
        ticks = check_ticks(n)
        self._due = max(self._due + ticks * self._dt, self.time)
        for _ in range(ticks if self.stepping else 0):
            self.body.client.call("step")
        while self._now() - self._start < self._due - 1e-6 and not self.stepping:
            self.body.client.call("step")

    def _drive(self, loop: EpisodeLoop) -> str:
        if loop.plan.speed is not None:
            raise SimulationError(f"run: {self.name} is {self.nature}: its time has the speed that it has there")
        self._due = self.time
        return loop.drive()

    def reset(self, seed: int | None = None) -> None:
        """Stop the simulation and start it again; everything there begins anew."""
        client = self.body.client
        client.call("stopSimulation")
        while client.call("getSimulationState") != 0:
            client.call("step")  # it stops at the end of a step
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
            if self.stepping:
                self.body.client.call("setStepping", False)
        except LinkError as error:
            log.warning("%s could not be stopped: %s", self.name, error)
        self.body.client.close()
