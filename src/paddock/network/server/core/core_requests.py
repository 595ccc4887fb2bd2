"""Requests about robots, time and the view of the page."""

from __future__ import annotations

import math
import time

from msgspec.structs import replace

from paddock.arena import Robot
from paddock.arena.devices import Camera
from paddock.core.errors import Refused, SimulationError
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client, FrameStream, Subscription, check_count
from paddock.network.server.core.service import Service, handles
from paddock.network.server.core.visibility import hide_scene
from paddock.network.server.core.world_view import bodies, picture, thing_poses

MAX_SUBSCRIPTIONS = 256  # of one client
MAX_SNAPSHOTS = 16  # of one client
SLOWEST = 0.01  # simulated seconds per second


class CoreRequests(Service):
    """Carries out the requests that every server handles."""

    # ---- robots

    @handles(m.Claim, done=True)
    def claim(self, client: Client, request: m.Claim) -> None:
        self.session.ownership.claim(client, request.robot, force=request.force, asked=True)

    @handles(m.Spawn, done=True)
    def spawn(self, client: Client, request: m.Spawn) -> None:
        self._check_upload(client)
        self.session.ownership.spawn(client, request)
        self.session.interventions.announce(client, "spawn", f"{request.robot} was spawned", request.robot)

    @handles(m.Remove, Role.SUPERVISOR, done=True)
    def remove(self, client: Client, request: m.Remove) -> None:
        session = self.session
        session.ownership.remove(client, request.robot, session.clients)
        session.interventions.announce(client, "remove", f"{request.robot} was removed", request.robot)

    def _check_upload(self, client: Client) -> None:
        """Refuse to spawn more robots, or more bytes of specs, than a token may."""
        session = self.session
        if client.grant.role is Role.SUPERVISOR:
            return
        limits, spawned = session.limits, session.ownership.spawned
        mine = [name for other in session.clients if other.share is client.share for name in other.driven]
        check_count("spawn", client, len(spawned.intersection(mine)) + 1, limits.robots)
        if client.received > 1000 * limits.upload_kb:
            raise Refused(
                f"spawn: this robot takes {client.received / 1000:.0f} kB, at most {limits.upload_kb:g} kB are "
                "allowed: give its sensors shorter tables and its LEDs shorter names"
            )
        wait = client.share.wait_for_upload(client.received, limits, time.monotonic())
        if wait:
            raise Refused(
                f"spawn: you may upload {limits.upload_kb_per_s:g} kB per second with all your connections together: "
                f"try again in {math.ceil(wait)} s"
            )

    @handles(m.ReleaseRobot, done=True)
    def leave(self, client: Client, request: m.ReleaseRobot) -> None:
        session = self.session
        session.ownership.check_known(client, request.robot)
        if session.ownership.owners.get(request.robot) is not client:
            raise Refused(f"release_robot: robot {request.robot!r} is not yours")
        session.ownership.give_up([request.robot], session.clients)

    @handles(m.SetPose, Role.SUPERVISOR, done=True)
    def set_pose(self, client: Client, request: m.SetPose) -> None:
        session = self.session
        session.ownership.check_known(client, request.robot)
        session.arena[request.robot].set_pose(request.x, request.y, request.heading)
        session.on_teleport((request.robot,))
        session.push_all()
        session.interventions.announce(client, "teleport", f"{request.robot} was moved by hand", request.robot)

    # ---- sensing

    def _handle_for(self, client: Client, robot: str) -> Robot:
        """Return a client's own handle to a robot that it may read."""
        self.session.ownership.check_known(client, robot)
        client.grant.check_robot(robot, "read")
        return client.handle(self.session.arena, robot)

    @handles(m.Enable, done=True)
    def enable(self, client: Client, request: m.Enable) -> None:
        handle, grant = self._handle_for(client, request.robot), client.grant
        grant.check_devices(request.devices, "enable")
        for device in [handle.device(name) for name in request.devices or handle.devices if grant.allows(name)]:
            (device.enable if request.on else device.disable)()

    @handles(m.PollOnly, done=True)
    def poll_only(self, client: Client, request: m.PollOnly) -> None:
        client.grant.check_devices((request.device,), "poll_only")
        self._handle_for(client, request.robot).device(request.device).poll_only(request.on)

    @handles(m.Sense)
    def sense(self, client: Client, request: m.Sense) -> Message:
        session = self.session
        handle = self._handle_for(client, request.robot)
        session.ownership.command(client, request.commands)
        return m.Observed(
            id=request.id, tick=session.arena.tick, robots={request.robot: session.readings(client, handle)}
        )

    @handles(m.Read)
    def read(self, client: Client, request: m.Read) -> Message:
        client.grant.check_devices((request.device,), "read")
        device = self._handle_for(client, request.robot).device(request.device)
        self.session.ownership.command(client, request.commands)
        tick = self.session.arena.tick
        device.refuse_if_disabled()
        if not isinstance(device, Camera):
            values = device.raw_values() if request.raw else device.robot.body.read(device, raw=False)
            return m.Reading(id=request.id, tick=tick, values=values)
        if request.raw:
            return m.Reading(id=request.id, tick=tick, values=device.depth().ravel())
        return m.Reading(id=request.id, tick=tick, picture=picture(device, jpeg=False))

    @handles(m.Subscribe)
    def subscribe(self, client: Client, request: m.Subscribe) -> None:
        session = self.session
        self._handle_for(client, request.robot)
        client.grant.check_devices(request.devices, "subscribe")
        if len(client.subscriptions | {(request.robot, request.stream): None}) > MAX_SUBSCRIPTIONS:
            raise Refused(f"subscribe: you have {MAX_SUBSCRIPTIONS} subscriptions already; end one first")
        if (request.robot, request.stream) not in client.subscriptions:
            same = [
                other
                for other in session.clients
                if other is client or (client.grant.name and other.share is client.share)
            ]
            count = sum(len(other.subscriptions) for other in same)
            check_count("subscriptions", client, count + 1, session.limits.subscriptions)
        handle = session.arena.robots.new_handle(request.robot)
        for name in request.devices:
            handle.device(name)  # raises for unknown devices
        every = max(1, round(request.period / session.arena.dt))
        subscription = Subscription(handle, every, session.arena.tick, request.jpeg, request.stream, request.devices)
        subscription.choose(client.grant)
        client.subscriptions[request.robot, request.stream] = subscription
        client.due = min(client.due, subscription.next)
        client.send(m.Done(id=request.id))
        session.push(client, subscription)

    @handles(m.Unsubscribe, done=True)
    def unsubscribe(self, client: Client, request: m.Unsubscribe) -> None:
        client.subscriptions.pop((request.robot, request.stream), None)

    # ---- commands

    @handles(m.SendCommands)
    def steer(self, client: Client, request: m.SendCommands) -> None:
        self.session.ownership.command(client, request.commands)

    # ---- time

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

    @handles(m.Play, Role.SUPERVISOR, done=True, in_copy=Role.CONTROLLER)
    def play(self, client: Client, request: m.Play) -> None:
        session = self.session
        if not session.clock.running:
            session.interventions.announce(client, "resume", "resumed")
        session.clock.set_running(True)

    @handles(m.Pause, Role.SUPERVISOR, done=True, in_copy=Role.CONTROLLER)
    def pause(self, client: Client, request: m.Pause) -> None:
        session = self.session
        if session.clock.running:
            session.interventions.announce(client, "pause", "paused")
        session.clock.set_running(False)

    @handles(m.Advance, Role.SUPERVISOR, done=True, in_copy=Role.CONTROLLER)
    def advance(self, client: Client, request: m.Advance) -> None:
        if self.session.clock.running:
            raise Refused("advance: the clock is running; pause it first")
        self.session.clock.advance(request.ticks)

    @handles(m.SetSpeed, Role.SUPERVISOR, done=True, in_copy=Role.CONTROLLER)
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

    @handles(m.Reset, Role.SUPERVISOR, done=True, in_copy=Role.CONTROLLER)
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

    # ---- the page

    @handles(m.GetScene)
    def look(self, client: Client, request: m.GetScene) -> Message:
        return replace(hide_scene(self.session.scene, client.grant), id=request.id)

    @handles(m.Frames, done=True)
    def frames(self, client: Client, request: m.Frames) -> None:
        client.stop_frames()
        if request.rate:
            client.frames = FrameStream(1 / request.rate)
            self._begin_stream(client)

    def on_enter(self, client: Client) -> None:
        """Continue the frames of a client that came from another session."""
        if client.frames is not None:
            client.frames.last, client.frames.confirmed = None, client.frames.sent
            self._begin_stream(client)

    def on_exit(self, client: Client) -> None:
        if client.frames is not None and client.frames.timer is not None:
            client.frames.timer.cancel()

    def _begin_stream(self, client: Client) -> None:
        self._stream(client)
        for service in self.session.services:
            service.on_watch(client)

    @handles(m.FrameAck)
    def confirm_frame(self, client: Client, request: m.FrameAck) -> None:
        if client.frames is not None:
            client.frames.confirmed = max(client.frames.confirmed, min(request.frame, client.frames.sent))

    def _stream(self, client: Client) -> None:
        """Send the newest frame if the previous one was confirmed and anything changed; schedule the next call."""
        stream, shares = client.frames, self.session.shares
        if stream is None:
            return
        stream.timer = self.session.loop.call_later(stream.period, self._stream, client)
        if stream.confirmed < stream.sent or client.share.held:
            return
        shares.charge(client.share, self._send_frame, client, stream)
        shares.is_over(client.share)

    def _send_frame(self, client: Client, stream: FrameStream) -> None:
        """Send poses and LEDs if anything changed; only the tick if nothing is visible to the client."""
        session = self.session
        session.look_for_changes()
        places, leds, things = b"", b"", b""
        if client.grant.shows != "nothing":
            things = thing_poses(session.arena)
            places, leds = bodies(session.arena, None if client.grant.shows == "all" else client.grant.sees)
        state = (session.arena.tick, session.ownership.changes, places, leds, things)
        if state == stream.last:
            return
        stream.last, stream.sent = state, stream.sent + 1
        session.send_changes(client)
        client.send(m.FrameData(frame=stream.sent, tick=session.arena.tick, bodies=places, lamps=leds, things=things))
