"""SteppedRobot: the handle of a robot in another simulator's scene, which is also its arena."""

from __future__ import annotations

import logging
import math
import time
from abc import abstractmethod
from collections.abc import Callable

from paddock.bridges.common.simulator_body import SteppedBody
from paddock.core.argument_checks import check_ticks
from paddock.core.errors import Timeout
from paddock.network.client.single import SingleRobot

PAUSE = 0.002  # seconds between two requests for the simulated time

log = logging.getLogger("paddock.links")


class SteppedRobot(SingleRobot):
    """A robot in another simulator. `step` advances time if time waits for this program, else it waits for time."""

    body: SteppedBody
    speeds = (None,)

    def __init__(self, body: SteppedBody, *, stepping: bool) -> None:
        """
        Args:
            body: the connected body.
            stepping: whether simulated time waits for this program.
        """
        super().__init__(body)
        self.stepping = stepping
        if not stepping:
            body.watchdog.start()
        self._dt = self._read_dt()
        self._begin()
        self.stop_at_exit()

    def _begin(self) -> None:
        if self.stepping:
            self._hold(True)
        self._start_there()
        self._start = self._ask_time()
        self._due = 0.0

    # ---- functions that differ between simulators

    @abstractmethod
    def _read_dt(self) -> float:
        """Return the duration of a simulation step [s]."""

    @abstractmethod
    def _ask_time(self) -> float:
        """Request and return the simulated time [s]. The client stores it."""

    @abstractmethod
    def _hold(self, on: bool) -> None:
        """Switch on or off that simulated time waits for this program."""

    @abstractmethod
    def _start_there(self) -> None:
        """Start the simulation."""

    @abstractmethod
    def _stop_there(self) -> None:
        """Stop the simulation and wait until it has stopped."""

    @abstractmethod
    def _pass_steps(self, n: int) -> None:
        """Advance the simulation by n steps."""

    def _await_step(self) -> None:
        """Wait before the time is requested again."""
        time.sleep(PAUSE)

    # ---- time

    @property
    def time(self) -> float:
        """Simulated time [s] since the connection or the last reset."""
        return self.body.client.time - self._start

    @property
    def tick(self) -> int:
        return math.floor(self.time / self._dt + 0.5)

    def update_time(self) -> None:
        if not self.stepping:
            self._ask_time()

    def step(self, n: int = 1) -> None:
        """Advance the simulation by n steps, or wait until n steps have passed."""
        ticks = check_ticks(n)
        if self.stepping:
            self._pass_steps(ticks)
            return
        self._due = max(self._due + ticks * self._dt, self.time)
        self._wait(lambda now: now - self._start >= self._due - 1e-6)

    def _wait(self, is_over: Callable[[float], bool]) -> None:
        """Request the simulated time until `is_over` accepts it. Raise `Timeout` if it does not advance."""
        timeout, last, end = self.body.client.timeout, math.nan, 0.0
        while not is_over(now := self._ask_time()):
            self.body.renew_watchdog()
            if now != last:
                last, end = now, time.monotonic() + timeout
            elif time.monotonic() > end:
                raise Timeout(f"{self.name}: simulated time did not advance for {timeout:g} s; is it paused?")
            self._await_step()

    def reset(self, seed: int | None = None) -> None:
        """Stop the simulation and start it again from its initial state."""
        with self.body.watchdog.driving(False):
            self._stop_there()
        self.body.forget()
        self._begin()
        self.note_event("reset", text=f"{self.name} was reset")

    def _stop_and_disconnect(self) -> None:
        try:
            self.stop()
            if self.stepping:
                self._hold(False)
        finally:
            self.body.watchdog.end()
            self.body.client.close()
