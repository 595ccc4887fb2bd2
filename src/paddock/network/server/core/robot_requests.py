"""Requests about robots: drivers, sensing and commands."""

from __future__ import annotations

import math
import time

from paddock.arena import Robot
from paddock.arena.devices import Camera
from paddock.core.errors import Refused
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client, Subscription, check_count
from paddock.network.server.core.service import Service, handles
from paddock.network.server.core.world_view import picture

MAX_SUBSCRIPTIONS = 256  # of one client


class RobotRequests(Service):
    """Carries out requests about robots."""

    @handles(m.Claim, done=True)
    def claim(self, client: Client, request: m.Claim) -> None:
        self.session.ownership.claim(client, request.robot, force=request.force, asked=True)

    @handles(m.Spawn, done=True)
    def spawn(self, client: Client, request: m.Spawn) -> None:
        self._check_upload(client)
        self.session.ownership.spawn(client, request)
        self.session.interventions.announce(client, "spawn", f"{request.robot} was spawned", request.robot)

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
            count = sum(len(other.subscriptions) for other in session.clients if other.share is client.share)
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
