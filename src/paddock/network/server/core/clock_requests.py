"""Requests about time: steps, the clock, resets and snapshots."""

from __future__ import annotations

from paddock.core.errors import Refused, SimulationError
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import Service, handles

MAX_SNAPSHOTS = 16  # of one client
SLOWEST = 0.01  # simulated seconds per second


class ClockRequests(Service):
    """Carries out requests about time."""

    @handles(m.Step, Role.CONTROLLER)
    def step(self, client: Client, request: m.Step) -> None:
        session = self.session
        if client.step_id is not None:
            raise Refused("step: your last step is still pending")
        session.ownership.command(client, request.commands)
        client.step_id = request.id
        member, clock = client.member, session.clock
        if not member.locked or client.share.readmitted:  # it may have been released
            session.supervision.take_part(client)
        clock.ask(member, request.ticks, lambda: session.finish_step(client))

    @handles(m.Play, Role.SUPERVISOR, done=True)
    def play(self, client: Client, request: m.Play) -> None:
        session = self.session
        if not session.clock.running:
            session.interventions.announce(client, "resume", "resumed")
        session.clock.set_running(True)

    @handles(m.Pause, Role.SUPERVISOR, done=True)
    def pause(self, client: Client, request: m.Pause) -> None:
        session = self.session
        if session.clock.running:
            session.interventions.announce(client, "pause", "paused")
        session.clock.set_running(False)

    @handles(m.Advance, Role.SUPERVISOR, done=True)
    def advance(self, client: Client, request: m.Advance) -> None:
        if self.session.clock.running:
            raise Refused("advance: the clock is running; pause it first")
        self.session.clock.advance(request.ticks)

    @handles(m.SetSpeed, Role.SUPERVISOR, done=True)
    def set_speed(self, client: Client, request: m.SetSpeed) -> None:
        session = self.session
        if session.arena.is_real and request.speed != 1:
            raise Refused("set_speed: the robots of this arena are real: the speed is always 1")
        if 0 < request.speed < SLOWEST:
            expected = f"0 for as fast as possible, or {SLOWEST} to 1000"
            raise Refused(f"set_speed.speed: expected {expected}, got {request.speed:g}")
        session.interventions.announce(
            client, "speed", f"speed set to {request.speed:g}" if request.speed else "speed set to as fast as possible"
        )
        session.clock.set_speed(request.speed or None)

    @handles(m.Reset, Role.SUPERVISOR, done=True)
    def reset(self, client: Client, request: m.Reset) -> None:
        self.session.reset(request.seed)
        self.session.interventions.announce(client, "reset", "reset")

    @handles(m.Digest, Role.SUPERVISOR)
    def digest(self, client: Client, request: m.Digest) -> Message:
        return m.Answer(id=request.id, value=self.session.arena.digest())

    @handles(m.TakeSnapshot, Role.SUPERVISOR)
    def snapshot(self, client: Client, request: m.TakeSnapshot) -> Message:
        if len(client.snapshots) >= MAX_SNAPSHOTS:
            client.snapshots.pop(next(iter(client.snapshots)))
        number = next(client.snapshot_numbers)
        client.snapshots[number] = self.session.arena.snapshot()
        return m.Answer(id=request.id, value=number)

    @handles(m.Restore, Role.SUPERVISOR, done=True)
    def restore(self, client: Client, request: m.Restore) -> None:
        session = self.session
        snapshot = client.snapshots.get(request.snapshot)
        if snapshot is None:
            raise SimulationError(
                f"restore: no snapshot {request.snapshot}; the server keeps the last {MAX_SNAPSHOTS} of each client"
            )
        session.arena.restore(snapshot)
        session.on_jump()
        session.interventions.announce(client, "restore", "restored a snapshot")
