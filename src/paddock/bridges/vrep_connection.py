"""One client of V-REP's legacy remote API, in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from typing import TYPE_CHECKING

from paddock.arena.time_lock import SimulationState
from paddock.coppelia.legacy import Caller, LegacySession, PacketJoiner, split_packets
from paddock.core.errors import BadMessage, PaddockError, Refused

if TYPE_CHECKING:
    from paddock.bridges.vrep import VrepServer

MOST_CLIENTS, MOST_WAITING = 64, 100  # connections; messages of one that does not wait for answers
LONGEST_HOLD = 2.0  # seconds for which the reply to a trigger waits for the step; clients wait 5 s

log = logging.getLogger("paddock.vrep")


class VrepConnection(asyncio.Protocol):
    """A client: its bytes, and its hand on time (it implements `Control`).

    The reply to a message with a trigger is held back until the step has passed. So whatever comes with it, streams
    included, is what is sensed after the step, and a program in synchronous mode gives the same run every time.
    """

    def __init__(self, server: VrepServer, loop: asyncio.AbstractEventLoop) -> None:
        self.server, self.loop, self.host, self.name = server, loop, "", "vrep"
        self.synchronous = False
        self.session = LegacySession(Caller(server.simulator, self))
        self._joiner = PacketJoiner()
        self._messages: deque[bytes] = deque()
        self._heard = loop.time()
        self._triggered = False  # by the message that is carried out
        self._goal: int | None = None  # the tick at which a step ends that was triggered and has not passed yet
        self._hold: asyncio.TimerHandle | None = None  # while a reply waits for its step

    # ---- the wire

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        peer = transport.get_extra_info("peername")
        self.host, self.name = peer[0], f"vrep {peer[0]}:{peer[1]}"
        self.member = self.server.time.join(self.name, timeout=math.inf)
        self.server.connections[self] = None
        if len(self.server.connections) > MOST_CLIENTS:
            self._hang_up(f"there are {MOST_CLIENTS} clients already")

    def data_received(self, data: bytes) -> None:
        self._heard = self.loop.time()
        try:
            self._messages.extend(self._joiner.feed(data))
        except BadMessage as error:
            self._hang_up(error)
            return
        if len(self._messages) > MOST_WAITING:
            self._hang_up("it does not wait for answers")
        elif self._hold is None:
            self._work()

    def pause_writing(self) -> None:
        self.transport.pause_reading()  # who does not read is not listened to

    def resume_writing(self) -> None:
        self.transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        if self._hold is not None:
            self._hold.cancel()
        self._messages.clear()
        self.server.connections.pop(self, None)
        if not self.session.ended:  # it vanished: nobody steers its robots
            for robot in self.server.live.robots_of(self):
                robot.handle.stop()
        self.member.leave()

    def hang_up(self) -> None:
        """The bridge closes."""
        self.transport.abort()

    def _hang_up(self, why: object) -> None:
        log.warning("%s: %s; hung up", self.name, why)
        self.transport.abort()

    def release_if_silent(self, seconds: float) -> None:
        """Time waits no longer for a client that says nothing at all: its library speaks all the time."""
        if self.member.locked and self._hold is None and self.loop.time() - self._heard > seconds:
            log.warning("time waits no longer for %s: it said nothing for %g s", self.name, seconds)
            self.member.lock(False)

    def _work(self) -> None:
        """Carry out messages in their order, until one has to wait for a step."""
        while self._messages and self._hold is None and not self.transport.is_closing():
            self._triggered, self.server.live.client = False, self
            try:
                self.session.execute(self._messages.popleft())
            except BadMessage as error:
                self._hang_up(error)
                return
            if self._triggered:
                self._wait_for_step()
            else:
                self._reply()

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
        self._reply()
        if self._messages:
            self.loop.call_soon(self._work)

    def _reply(self) -> None:
        if self.transport.is_closing():
            return
        self.server.live.client = self
        try:
            self.transport.write(split_packets(self.session.build_reply(time.monotonic() * 1000)))
        except PaddockError as error:
            self._hang_up(error)
        if self.session.ended:
            self.transport.close()

    # ---- time

    @property
    def state(self) -> SimulationState:
        return self.server.time.state

    @property
    def real_time(self) -> bool:
        return self.server.time.speed == 1

    def start(self) -> None:
        self.server.time.run()

    def pause(self) -> None:
        if self.state == "stopped":
            raise Refused("the simulation is stopped")
        self.server.time.pause()

    def stop(self) -> None:
        mine = [connection for connection in self.server.connections if connection.host == self.host]
        live = self.server.live
        others = [client for client in self.server.connections if client not in mine and live.robots_of(client)]
        if others:
            raise Refused(f"the simulation cannot be stopped: {', '.join(c.name for c in others)} still drive robots")
        self.server.time.stop([connection.member for connection in mine])
        self.server.simulator.forget()
        for connection in mine:
            connection.end_synchronous()

    def end_synchronous(self) -> None:
        """The simulation was stopped: nobody waits for steps any more."""
        self.synchronous, self._goal = False, None
        self.member.lock(False)
        self._end_hold()

    def set_synchronous(self, on: bool) -> None:
        self.synchronous, self._goal = on, None
        self.member.lock(on)

    def trigger(self) -> None:
        if not self.synchronous:
            raise Refused("expected simxSynchronous(clientID, True) first")
        if self.state != "running":
            raise Refused(f"the simulation is {self.state}: expected simxStartSimulation first")
        self.member.lock(True)  # again, if it was silent for too long
        self._triggered = True
