"""TimeLock: the interface through which a bridge takes part in the clock of a served arena."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import asyncio

SimulationState = Literal["stopped", "running", "paused"]


class TimeMember(Protocol):
    """A client of a bridge as a member of the clock. While it is in the lock, the clock waits for it."""

    name: str
    held: bool  # whether the clients at its address have used up their share of the server's time

    @property
    def locked(self) -> bool:
        """Whether the clock waits for this member. A member that timed out is released from the lock."""

    def lock(self, on: bool) -> None:
        """Enter the lock at the current tick, or leave it and continue without the lock.

        Entering is refused while clients with tokens drive robots.
        """

    def charge(self, work: Callable[[], object]) -> None:
        """Do some work for this client, at the expense of the clients at its address; it may be `held` afterwards."""

    def ask(self, ticks: int, then: Callable[[], None]) -> None:
        """Acknowledge the current tick, and call `then` when so many ticks have passed.

        The call may happen before `ask` returns. A member has one request at a time; a newer one replaces it.
        """

    def leave(self) -> None:
        """Leave the clock."""


class TimeLock(Protocol):
    """The clock of an arena. Call all methods except `on_start` and `call` from the thread of its event loop."""

    def on_start(self, begin: Callable[[asyncio.AbstractEventLoop], object]) -> None:
        """Call a function in the event loop's thread once it runs. A bridge serves its sockets there.

        So requests need no other thread, and simulated time does not advance while a request is executed.
        """

    def call(self, function: Callable[[], object]) -> None:
        """Call a function in the event loop's thread, from any other thread."""

    @property
    def state(self) -> SimulationState:
        """State of the clock: stopped at the start, running, or paused later."""

    @property
    def speed(self) -> float | None:
        """Simulated seconds per second while no member is in the lock; None for as fast as possible."""

    def join(
        self, name: str, *, timeout: float, address: str = "", resume: Callable[[], object] = lambda: None
    ) -> TimeMember:
        """Join the clock, initially outside of the lock.

        Args:
            name: of the client.
            timeout: for which the clock waits for it in the lock [s].
            address: of the client, whose share of the server's time it uses.
            resume: is called when it is no longer held.
        """

    def keep_awake(self, until: float) -> None:
        """Poll for messages until a loop time before sleeping, for clients that send in quick succession."""

    def run(self) -> None:
        """Start or resume the clock."""

    def pause(self) -> None:
        """Pause the clock."""

    def advance(self, ticks: int) -> None:
        """Advance by some ticks while the clock is paused."""

    def stop(self, mine: Iterable[TimeMember] = ()) -> None:
        """Reset to the start and stop the clock.

        Refused while members other than `mine` are in the lock or drive robots.
        """
