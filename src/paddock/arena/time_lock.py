"""TimeLock: how a bridge takes part in the time of a served arena, without knowing the server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import asyncio

SimulationState = Literal["stopped", "running", "paused"]


class TimeMember(Protocol):
    """A client of a bridge in the eyes of the clock. In the lock, time waits for it."""

    name: str

    @property
    def locked(self) -> bool:
        """Whether time waits for it. A member that did not answer in time is not in the lock any more."""

    def lock(self, on: bool) -> None:
        """Enter the lock at the present tick, or leave it and go on to take part freely."""

    def ask(self, ticks: int, then: Callable[[], None]) -> None:
        """Acknowledge the present tick, and be called back when so many ticks have passed.

        The call may come before `ask` returns. There is one wish at a time: a newer one replaces it.
        """

    def leave(self) -> None:
        """Take no part any more."""


class TimeLock(Protocol):
    """The time of an arena. But for `on_start` and `call`, methods are for the thread of its event loop only."""

    def on_start(self, begin: Callable[[asyncio.AbstractEventLoop], object]) -> None:
        """Call a function in the event loop's thread when it runs: a bridge serves its sockets there.

        So a request and its answer need no other thread, and time does not pass while a request is carried out.
        """

    def call(self, function: Callable[[], object]) -> None:
        """Call a function in the event loop's thread, from any other thread."""

    @property
    def state(self) -> SimulationState:
        """Stopped: time stands still at the start. Paused: it stands still later."""

    @property
    def speed(self) -> float | None:
        """Simulated seconds per second while nobody is in the lock; None for flat out."""

    def join(self, name: str, *, timeout: float) -> TimeMember:
        """Take part, outside of the lock at first; in it, a member may let others wait `timeout` seconds."""

    def stay_awake(self, until: float) -> None:
        """Look for messages until a time of the loop before sleeping: for whoever just had two in quick succession."""

    def run(self) -> None:
        """Let time pass."""

    def pause(self) -> None:
        """Let time stand still."""

    def advance(self, ticks: int) -> None:
        """Let so many ticks pass while time stands still."""

    def stop(self, mine: Iterable[TimeMember] = ()) -> None:
        """Back to the start, where time stands still.

        Refused while others than `mine` are in the lock, or drive robots.
        """
