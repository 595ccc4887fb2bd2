"""A client of V-REP's legacy remote API, in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddock.arena.time_lock import SimulationState
from paddock.bridges.common.connection import MessageConnection
from paddock.bridges.coppelia.legacy import Caller, LegacySession, PacketJoiner, split_packets
from paddock.core.errors import Refused

if TYPE_CHECKING:
    from paddock.bridges.coppelia.legacy_bridge import VrepServer

LONGEST_HOLD = 2.0  # maximum delay of the reply to a trigger [s]; the timeout of clients is 5 s


class VrepConnection(MessageConnection[bytes]):
    """A client: its session and its control of time (implements `Control`).

    The reply to a message with a trigger is delayed until the step is completed. All values in the reply, including
    streams, are therefore sensed after the step, and a program in synchronous mode produces the same run every time.
    """

    kind = "vrep"
    server: VrepServer

    def __init__(self, server: VrepServer, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(server, loop, PacketJoiner())
        self.synchronous = False
        self.session = LegacySession(Caller(server.simulator, self))
        self._triggered = False  # whether the current message contains a trigger
        self._goal: int | None = None  # the tick at which the last triggered step ends; None: all steps are completed
        self._hold: asyncio.TimerHandle | None = None  # timer while a reply waits for its step

    def leave(self) -> None:
        """Clean up after disconnection. The client's robots continue their last command, as in V-REP."""
        if self._hold is not None:
            self._hold.cancel()
        self.server.simulator.release(self)

    def can_work(self) -> bool:
        return self._hold is None and super().can_work()

    def begin_turn(self) -> None:
        super().begin_turn()
        if self.state != "stopped":
            self.server.simulator.begin_run()
        self.server.simulator.scene.begin()

    def carry_out(self, message: bytes) -> Iterator[None]:
        """Process a message and reply. Yield after each command, and while the reply waits for a step."""
        self._triggered = False
        yield from self.session.execute(message)
        if self._triggered:
            self._wait_for_step()
            yield
            self.server.simulator.scene.begin()
        now = time.monotonic() * 1000
        yield from self.session.execute_streams(1000 * self.server.arena.time if self.synchronous else now)
        self.transport.write(split_packets(self.session.build_reply(now)))
        if self.session.ended:
            self.transport.close()

    def _wait_for_step(self) -> None:
        tick = self.server.arena.tick
        start = tick if self._goal is None else self._goal
        self._goal = start + self.server.simulator.ticks_of_step(start)
        self._hold = self.loop.call_later(LONGEST_HOLD, self._end_hold)
        self.member.ask(self._goal - tick, self._pass_step)

    def _pass_step(self) -> None:
        """Reply; all triggered steps are completed."""
        self._goal = None
        self._end_hold()

    def _end_hold(self) -> None:
        """Reply. If other clients kept time waiting too long, the reply only confirms that the trigger was accepted."""
        if self._hold is None:
            return
        self._hold.cancel()
        self._hold = None
        self._schedule_work()

    # ---- time

    @property
    def state(self) -> SimulationState:
        return self.server.time.state

    @property
    def real_time(self) -> bool:
        return self.server.time.speed == 1

    def start(self) -> None:
        self.server.simulator.begin_run()
        self.server.time.run()

    def pause(self) -> None:
        if self.state == "stopped":
            raise Refused("the simulation is stopped")
        self.server.time.pause()

    def stop(self) -> None:
        mine = self.server.stop_time(self.host)
        self.server.simulator.forget()
        for connection in mine:
            connection.end_synchronous()

    def end_synchronous(self) -> None:
        """Leave synchronous mode because the simulation was stopped."""
        self.synchronous, self._goal, self._triggered = False, None, False
        self.session.restart_streams()
        self.member.lock(False)
        self._end_hold()

    def set_synchronous(self, on: bool) -> None:
        self.member.lock(on)
        self.synchronous, self._goal = on, None
        self.session.restart_streams()

    def trigger(self) -> None:
        if not self.synchronous:
            raise Refused("expected simxSynchronous(clientID, True) first")
        if self.state != "running":
            raise Refused(f"the simulation is {self.state}: expected simxStartSimulation first")
        self.member.lock(True)  # join again if it was released after its timeout
        self._triggered = True
