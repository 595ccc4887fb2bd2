"""SteppedRobot: the handle of a robot in another simulator's scene, and the arena that it stands in, in one."""

from __future__ import annotations

import logging
import math
import time
from abc import abstractmethod
from collections.abc import Callable

from paddock.arena.base import check_ticks
from paddock.arena.episode_loop import EpisodeLoop
from paddock.core.errors import SimulationError, Timeout
from paddock.links.scene.body import SteppedBody
from paddock.links.single import SingleRobot

PAUSE = 0.002  # seconds between two looks at the time there

log = logging.getLogger("paddock.links")


class SteppedRobot(SingleRobot):
    """A robot of another simulator. Where time waits for this program `step` lets it pass, else it waits for it."""

    body: SteppedBody

    def __init__(self, body: SteppedBody, *, stepping: bool) -> None:
        """
        Args:
            body: a way to it, connected.
            stepping: time there waits for this program.
        """
        super().__init__(body)
        self.stepping = stepping
        if not stepping:
            body.guard.start()
        self._dt = self._read_dt()
        self._begin()
        self.stop_at_exit()

    def _begin(self) -> None:
        if self.stepping:
            self._hold(True)
        self._start_there()
        self._start = self._ask_time()
        self._due = 0.0

    # ---- what simulators do differently

    @abstractmethod
    def _read_dt(self) -> float:
        """The length of a step there [s]."""

    @abstractmethod
    def _ask_time(self) -> float:
        """The time there [s]; the client knows it from then on."""

    @abstractmethod
    def _hold(self, on: bool) -> None:
        """Have time there wait for this program, or not any more."""

    @abstractmethod
    def _start_there(self) -> None:
        """Let the simulation run."""

    @abstractmethod
    def _stop_there(self) -> None:
        """End the simulation, and wait until it has."""

    @abstractmethod
    def _pass_steps(self, n: int) -> None:
        """Let time pass that waits for this program."""

    def _await_step(self) -> None:
        """Let the simulator work on before it is asked for the time again."""
        time.sleep(PAUSE)

    # ---- time

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

    def update_time(self) -> None:
        if not self.stepping:
            self._ask_time()

    def step(self, n: int = 1) -> None:
        """Let n steps pass, or wait until they have."""
        ticks = check_ticks(n)
        if self.stepping:
            self._pass_steps(ticks)
            return
        self._due = max(self._due + ticks * self._dt, self.time)
        self._wait(lambda now: now - self._start >= self._due - 1e-6)

    def _wait(self, is_over: Callable[[float], bool]) -> None:
        """Ask for the time there until it is as it should be; `Timeout` if it stands still."""
        timeout, last, end = self.body.client.timeout, math.nan, 0.0
        while not is_over(now := self._ask_time()):
            self.body.renew_guard()
            if now != last:
                last, end = now, time.monotonic() + timeout
            elif time.monotonic() > end:
                raise Timeout(f"{self.name}: time there stands still since {timeout:g} s; is the simulation paused?")
            self._await_step()

    def _drive(self, loop: EpisodeLoop) -> str:
        if loop.plan.speed is not None:
            raise SimulationError(f"run: {self.name} is {self.nature}: its time has the speed that it has there")
        self._due = self.time
        return loop.drive()

    def reset(self, seed: int | None = None) -> None:
        """Stop the simulation and start it again; everything there begins anew."""
        with self.body.guard.driving(False):
            self._stop_there()
        self.body.forget()
        self._begin()
        self.note_event("reset", text=f"{self.name} was reset")

    def _let_go(self) -> None:
        try:
            self.stop()
            if self.stepping:
                self._hold(False)
        finally:
            self.body.guard.end()
            self.body.client.close()
