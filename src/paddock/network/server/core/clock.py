"""ServerClock: advances a served arena. It waits for the members of the lock, for the pace, and while it is paused."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from paddock.arena import Arena
from paddock.core.provenance import available_threads

log = logging.getLogger("paddock.server")

SLICE = 0.01  # wall seconds of simulation before messages are read again
LONGEST_LEAP = 0.1  # simulated seconds of a free-running clock before messages are read again
LAG_REPORT_DELAY = 3.0  # wall seconds for which a member may delay the others before it is logged
FARTHEST_BEHIND = 0.25  # wall seconds; a larger delay is not caught up


class ClockListener(Protocol):
    """Callbacks of a clock."""

    def next_tick(self, tick: int) -> float:
        """Return the next tick at which callbacks are needed; infinity for none."""

    def before_ticks(self) -> None:
        """Called before the arena advances."""

    def after_ticks(self) -> None:
        """Called after the arena has advanced."""

    def on_clock_change(self) -> None:
        """Called when speed, pause or lock have changed."""


class LockListener(Protocol):
    """Callbacks about the members of the lock."""

    def report_lag(self, member: Member) -> None:
        """Called when a member delays the others."""

    def report_resumed(self, member: Member) -> None:
        """Called when a member that was reported as lagging has requested a step."""

    def on_release(self, member: Member, reason: str) -> None:
        """Called when a member is released from the lock."""


@dataclass(eq=False)
class Member:
    """A client that requests steps. The clock waits for members in the lock."""

    name: str
    timeout: float = 10.0  # seconds until the next request while others wait
    locked: bool = False
    target: int = 0  # requested tick
    waiting: Callable[[], None] | None = None  # called when the target is reached
    lags: bool = False  # it delays the others, and this was reported
    _timeout_timer: asyncio.TimerHandle | None = field(default=None, repr=False)  # until it is released
    _report_timer: asyncio.TimerHandle | None = field(default=None, repr=False)  # until the delay is reported


class ServerClock:
    """The clock of a served arena. All methods run in the event loop's thread.

    Args:
        arena: the arena.
        listener: is called when time passes.
        lock_listener: is called when members of the lock are late.
        charge: calls a function with a number of ticks; the time that it takes is not charged to a client.
        speed: simulated seconds per second; None for as fast as possible.
        lock_step: whether the clock advances only while it has members in the lock.
        may_go_on: returns whether it may advance further now; it is called after each part of an advance.
    """

    def __init__(
        self,
        arena: Arena,
        listener: ClockListener,
        lock_listener: LockListener,
        *,
        charge: Callable[[Callable[[int], None], int], None],
        speed: float | None,
        lock_step: bool,
        may_go_on: Callable[[], bool] | None = None,
    ) -> None:
        self.arena, self.listener, self.lock_listener, self.lock_step = arena, listener, lock_listener, lock_step
        self._charge, self._may_go_on = charge, may_go_on
        self.speed = speed
        self.running = True
        self.held = False  # stopped until a start signal, whether running or not
        self.obstacles: set[str] = set()  # further reasons why it is stopped; clients are not told
        self.is_private = False  # nobody else waits for a member of the lock
        self.by_single_ticks = False  # because each tick may end what runs, and stop the clock
        self.members: list[Member] = []
        self._extra = 0  # ticks that a paused clock may still advance
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle | None = None
        self._cost = 1e-5  # wall seconds of a tick, estimated
        self._leap = max(1, int(LONGEST_LEAP / arena.dt))  # ticks
        self._may_poll = available_threads() > 1
        self._awake_until = 0.0  # by the loop's clock; 0: the loop may sleep
        self._start_pace()

    # ---- requests

    def join(self, member: Member, lock: bool) -> None:
        """Add a member; with `lock`, the clock waits for it from the current tick on."""
        if member not in self.members:
            self.members.append(member)
            member.target = self.arena.tick
        member.locked = lock
        member.target = max(member.target, self.arena.tick)
        self.listener.on_clock_change()
        self.run_ticks()

    def leave(self, member: Member) -> None:
        """Remove a member."""
        self._cancel_timers(member)
        member.locked, member.waiting = False, None
        if member in self.members:
            self.members.remove(member)
            self.listener.on_clock_change()
        self.run_ticks()

    def ask(self, member: Member, ticks: int, then: Callable[[], None]) -> None:
        """Acknowledge the current tick, and call `then` when `ticks` have passed."""
        if member.lags:
            self.lock_listener.report_resumed(member)
        self._cancel_timers(member)
        member.target = self.arena.tick + ticks
        member.waiting = then
        self.run_ticks()

    def set_running(self, running: bool) -> None:
        self.running, self._extra = running, 0
        self._announce()

    def hold(self, on: bool) -> None:
        """Stop the clock until a start signal, or give the signal; may be called during a tick."""
        self.held, self._extra = on, 0
        if on:
            self.listener.on_clock_change()
        else:
            self._announce()

    def set_speed(self, speed: float | None) -> None:
        self.speed = speed
        self._announce()

    def block(self, why: str) -> None:
        """Stop the clock for a reason of the server."""
        self.obstacles.add(why)

    def unblock(self, why: str) -> None:
        """Remove a reason; the clock continues at its pace if there is no other one."""
        if why in self.obstacles:
            self.obstacles.discard(why)
            self._start_pace()
            self.run_ticks()

    def stop(self) -> None:
        """Stop the clock; may be called during a tick."""
        self.running, self._extra = False, 0
        self.listener.on_clock_change()

    def advance(self, ticks: int) -> None:
        """Advance a paused clock by some ticks."""
        self._extra = 0 if self.running else self._extra + ticks
        self.run_ticks()

    def on_jump(self) -> None:
        """Reset targets and pace after the arena's clock was set to another time."""
        for member in self.members:
            member.target = self.arena.tick
        self._announce()

    def close(self) -> None:
        """Stop the clock and cancel all timers."""
        if self._timer is not None:
            self._timer.cancel()
        self.running = False
        for member in self.members:
            self._cancel_timers(member)

    @property
    def lock(self) -> list[Member]:
        return [member for member in self.members if member.locked]

    # ---- ticks

    def run_ticks(self) -> None:
        """Advance the arena as far as allowed, and schedule the next call."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        began, first = time.perf_counter(), self.arena.tick
        while True:
            self._answer()
            ticks = self._ticks_allowed()
            if ticks < 1:
                break
            ahead = self._seconds_ahead(self.arena.tick + 1)
            if ahead > 0:
                self._timer = self._loop.call_later(ahead, self.run_ticks)
                break
            waited = time.perf_counter() - began > SLICE or (self.arena.tick - first >= self._leap and not self.lock)
            if waited:
                self._timer = self._loop.call_soon(self.run_ticks)
                break
            due = ticks if ticks == 1 else min(ticks, self._ticks_due(), max(1, int(SLICE / self._cost)))
            self._charge(self._step, due)
            if self._may_go_on is not None and not self._may_go_on():
                break
        self._check_laggards()

    def _step(self, ticks: int) -> None:
        began = time.perf_counter()
        self.listener.before_ticks()
        self.arena.advance(ticks)
        self._cost += 0.2 * ((time.perf_counter() - began) / ticks - self._cost)
        if self._extra:
            self._extra = max(0, self._extra - ticks)
        self.listener.after_ticks()

    def _ticks_allowed(self) -> int:
        """Return how many ticks may pass before the clock has to wait or call back, regardless of the pace."""
        if self.held or self.obstacles:
            return 0
        tick = self.arena.tick
        limit = tick + (self._leap if self.running else self._extra)
        locked = False
        for member in self.members:
            locked = locked or member.locked
            if member.target < limit and (member.locked or member.waiting is not None):
                limit = member.target
        if self.by_single_ticks:
            limit = min(limit, tick + 1)
        if limit <= tick or (self.running and self.lock_step and not locked):
            return 0
        return int(min(limit, self.listener.next_tick(tick))) - tick

    def _answer(self) -> None:
        tick = self.arena.tick
        for member in self.members:
            if member.waiting is not None and member.target <= tick:
                break
        else:
            return
        for member in list(self.members):
            if member.waiting is not None and member.target <= tick:
                then, member.waiting = member.waiting, None
                try:
                    then()
                except Exception:  # an error of one client must not stop the clock
                    log.exception("cannot answer the step of %s", member.name)

    # ---- pace

    def _start_pace(self) -> None:
        self._start, self._start_tick = time.perf_counter(), self.arena.tick

    def due_time(self, tick: int) -> float:
        """Return when a tick is due at the current pace, by `time.perf_counter`."""
        return self._start + (tick - self._start_tick) * self.arena.dt / (self.speed or math.inf)

    def _seconds_ahead(self, tick: int) -> float:
        """Return wall seconds until the next tick is due; at most 0 if it is due, never more than a period."""
        if self.speed is None:
            return 0.0
        ahead, period = self.due_time(tick) - time.perf_counter(), self.arena.dt / self.speed
        if ahead > 1.5 * period:  # time was set forward by hand
            log.warning(
                "tick %d was due only in %.3g s, because the arena's time has jumped: it is due now", tick, ahead
            )
        elif ahead >= -FARTHEST_BEHIND and tick > self._start_tick:
            return ahead
        self._start, self._start_tick = time.perf_counter(), tick  # this tick is due now, and the next a period later
        return 0.0

    def _ticks_due(self) -> int:
        """Return how many ticks are due."""
        if self.speed is None:
            return 1_000_000
        elapsed = (time.perf_counter() - self._start) * self.speed / self.arena.dt
        return max(1, math.floor(elapsed) - (self.arena.tick - self._start_tick))

    def _announce(self) -> None:
        self._start_pace()
        self.listener.on_clock_change()
        self.run_ticks()

    # ---- polling

    def keep_awake(self, until: float) -> None:
        """Poll for messages until a time of the loop before sleeping, because waking up takes longer than a message."""
        if not self._may_poll:
            return
        if self._awake_until == 0.0:
            self._loop.call_soon(self._poll)
        self._awake_until = until

    def _poll(self) -> None:
        if self._loop.time() < self._awake_until:
            self._loop.call_soon(self._poll)  # between two calls, the loop polls all connections
        else:
            self._awake_until = 0.0

    # ---- timeouts

    def _check_laggards(self) -> None:
        """Start the timers of members that make others wait, and cancel those of all other members."""
        if self.is_private:
            return
        tick = self.arena.tick
        others_wait = not self.lock_step or any(member.target > tick for member in self.members)
        for member in self.members:
            if not member.locked:
                continue
            if others_wait and self.running and not self.held and member.target <= tick and member.waiting is None:
                if member._timeout_timer is None and math.isfinite(member.timeout):
                    member._timeout_timer = self._loop.call_later(member.timeout, self._on_timeout, member)
                if member._report_timer is None and not member.lags:
                    member._report_timer = self._loop.call_later(LAG_REPORT_DELAY, self._report, member)
            else:
                self._cancel_timers(member)

    def _report(self, member: Member) -> None:
        member.lags, member._report_timer = True, None
        self.lock_listener.report_lag(member)

    def _on_timeout(self, member: Member) -> None:
        self.release(member, f"no answer within {member.timeout:g} s")

    def release(self, member: Member, reason: str) -> None:
        """Release a member from the lock; it may still request steps."""
        self._cancel_timers(member)
        member.locked = False
        self.lock_listener.on_release(member, reason)
        self.listener.on_clock_change()
        self.run_ticks()

    @staticmethod
    def _cancel_timers(member: Member) -> None:
        if member._timeout_timer is not None:
            member._timeout_timer.cancel()
        if member._report_timer is not None:
            member._report_timer.cancel()
        member._timeout_timer, member._report_timer, member.lags = None, None, False
