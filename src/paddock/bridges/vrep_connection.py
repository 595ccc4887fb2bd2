"""One client of V-REP's legacy remote API, in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddock.arena.time_lock import SimulationState
from paddock.coppelia.legacy import Caller, LegacySession, PacketJoiner, split_packets
from paddock.core.errors import BadMessage, PaddockError, Refused

if TYPE_CHECKING:
    from paddock.bridges.vrep import VrepServer

MOST_CLIENTS, MOST_WAITING = 64, 100  # connections; messages of one that does not wait for answers
LONGEST_HOLD = 2.0  # seconds for which the reply to a trigger waits for the step; clients wait 5 s
SLICE = 0.01  # seconds for which messages of a client are carried out before others have their turn
GREETING = 10.0  # seconds for the first message of a client
DONE = object()

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
        self._job: Iterator[None] | None = None  # the message that is carried out
        self._triggered = False  # by it
        self._deaf = False  # the client does not read what it was sent
        self._greeting = loop.call_later(GREETING, self._hang_up, f"it said nothing for {GREETING:g} s")
        self._goal: int | None = None  # the tick at which a step ends that was triggered and has not passed yet
        self._hold: asyncio.TimerHandle | None = None  # while a reply waits for its step

    # ---- the wire

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        peer = transport.get_extra_info("peername") or ("?", 0)  # it may have gone already
        self.host, self.name = peer[0], f"vrep {peer[0]}:{peer[1]}"
        self.member = self.server.time.join(self.name, timeout=self.server.silence)
        self.server.connections[self] = None
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if len(self.server.connections) > MOST_CLIENTS:
            self._hang_up(f"there are {MOST_CLIENTS} clients already")

    def data_received(self, data: bytes) -> None:
        try:
            self._messages.extend(self._joiner.feed(data))
        except BadMessage as error:
            self._hang_up(error)
            return
        if self._messages:
            self._greeting.cancel()
        if len(self._messages) > MOST_WAITING:
            self._hang_up("it does not wait for answers")
        elif self._job is None:
            self._work()

    def pause_writing(self) -> None:
        self._deaf = True  # who does not read is not listened to

    def resume_writing(self) -> None:
        self._deaf = False
        self.loop.call_soon(self._work)

    def connection_lost(self, error: Exception | None) -> None:
        self._greeting.cancel()
        if self._hold is not None:
            self._hold.cancel()
        self._messages.clear()
        self.member.leave()  # its robots do what they were told last, as in V-REP
        self.server.connections.pop(self, None)

    def hang_up(self) -> None:
        """The bridge closes."""
        self.transport.abort()

    def _hang_up(self, why: object) -> None:
        log.warning("%s: %s; hung up", self.name, why)
        self.transport.abort()

    # ---- messages

    def _work(self) -> None:
        """Carry out messages in their order for a little while, until one has to wait, and go on after the others."""
        end = time.perf_counter() + SLICE
        while self._can_work() and (self._job or self._messages):
            if time.perf_counter() > end:
                self.loop.call_soon(self._work)
                break
            if self._job is None:
                self._job = self._carry_out(self._messages.popleft())
            self._go_on(end)
        if self._job or self._messages or self._deaf:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def _can_work(self) -> bool:
        return self._hold is None and not self._deaf and not self.transport.is_closing()

    def _go_on(self, end: float) -> None:
        """Go on with the message that is carried out, until it is, has to wait, or time is up."""
        self.server.live.client = self
        try:
            self.server.simulator.scene.begin()
            while self._job is not None and self._can_work() and time.perf_counter() < end:
                if next(self._job, DONE) is DONE:
                    self._job = None
        except PaddockError as error:
            self._hang_up(error)
        except Exception:
            log.exception("%s: a message could not be carried out", self.name)
            self._hang_up("a message failed at the server")

    def _carry_out(self, message: bytes) -> Iterator[None]:
        """Carry out a message and reply; it stops after each command, and when a step has to pass first."""
        self._triggered = False
        yield from self.session.execute(message)
        if self._triggered:
            self._wait_for_step()
            yield
            self.server.simulator.scene.begin()
        now = time.monotonic() * 1000
        yield from self.session.execute_streams(now)
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
        self.loop.call_soon(self._work)

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
        self.synchronous, self._goal, self._triggered = False, None, False
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
