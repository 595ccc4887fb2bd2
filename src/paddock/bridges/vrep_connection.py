"""One client of V-REP's legacy remote API, in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddock.arena.time_lock import SimulationState
from paddock.bridges.connection import MessageConnection
from paddock.coppelia.legacy import Caller, LegacySession, PacketJoiner, split_packets
from paddock.core.errors import Refused

if TYPE_CHECKING:
    from paddock.bridges.vrep import VrepServer

LONGEST_HOLD = 2.0  # seconds for which the reply to a trigger waits for the step; clients wait 5 s


class VrepConnection(MessageConnection[bytes]):
    """A client: its session, and its hand on time (it implements `Control`).

    The reply to a message with a trigger is held back until the step has passed. So whatever comes with it, streams
    included, is what is sensed after the step, and a program in synchronous mode gives the same run every time.
    """

    kind = "vrep"
    server: VrepServer

    def __init__(self, server: VrepServer, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(server, loop, PacketJoiner())
        self.synchronous = False
        self.session = LegacySession(Caller(server.simulator, self))
        self._triggered = False  # by the message that is carried out
        self._goal: int | None = None  # the tick at which a step ends that was triggered and has not passed yet
        self._hold: asyncio.TimerHandle | None = None  # while a reply waits for its step

    def leave(self) -> None:
        """Its robots do what they were told last, as in V-REP."""
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
        """Carry out a message and reply; it stops after each command, and when a step has to pass first."""
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
        """All steps that were triggered have passed."""
        self._goal = None
        self._end_hold()

    def _end_hold(self) -> None:
        """Reply; if others let time wait for too long, that tells only that the trigger was accepted."""
        if self._hold is None:
            return
        self._hold.cancel()
        self._hold = None
        self.loop.call_soon(self.work)

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
        """The simulation was stopped: nobody waits for steps any more."""
        self.synchronous, self._goal, self._triggered = False, None, False
        self.session.restart_streams()
        self.member.lock(False)
        self._end_hold()

    def set_synchronous(self, on: bool) -> None:
        self.synchronous, self._goal = on, None
        self.session.restart_streams()
        self.member.lock(on)

    def trigger(self) -> None:
        if not self.synchronous:
            raise Refused("expected simxSynchronous(clientID, True) first")
        if self.state != "running":
            raise Refused(f"the simulation is {self.state}: expected simxStartSimulation first")
        self.member.lock(True)  # again, if it was silent for too long
        self._triggered = True
