"""Request handlers: one function per message, `(session, client, message) → answer`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from paddock.arena import Robot
from paddock.arena.devices import Camera
from paddock.core.errors import BadMessage, Refused, SimulationError
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.access import Role
from paddock.network.server.client import Client, Subscription, check_count
from paddock.network.server.frame_stream import FrameStream, stream_frames
from paddock.network.server.replay_control import ReplayControl
from paddock.network.server.visibility import hide_scene
from paddock.network.server.world_view import picture

if TYPE_CHECKING:
    from paddock.network.server.session import Session

Handler = Callable[["Session", Client, Any], Message | None]
F = TypeVar("F", bound=Handler)
MAX_SUBSCRIPTIONS = 256  # of one client
MAX_SNAPSHOTS = 16  # of one client
SLOWEST = 0.01  # simulated seconds per second

HANDLERS: dict[type[Message], Handler] = {}


def handles(message: type[m.Message], role: Role = Role.VIEWER, *, done: bool = False) -> Callable[[F], F]:
    """Register a function as the handler of a message; it is called only for clients that have the role.

    `done`: answer with `done`.
    """

    def enter(function: F) -> F:
        def check_and_call(session: Session, client: Client, request: Any) -> Message | None:
            client.grant.check(role, message.type)
            answer = function(session, client, request)
            return m.Done(id=request.id) if done else answer

        HANDLERS[message] = check_and_call if done or role is not Role.VIEWER else function
        return function

    return enter


@handles(m.Hello)
def hello(session: Session, client: Client, request: m.Hello) -> Message:
    raise BadMessage("hello: this connection has already been accepted")


# ---- robots


@handles(m.Claim, done=True)
def claim(session: Session, client: Client, request: m.Claim) -> None:
    session.ownership.claim(client, request.robot, force=request.force, asked=True)


@handles(m.Spawn, done=True)
def spawn(session: Session, client: Client, request: m.Spawn) -> None:
    session.heats.check_spawn(client)
    check_upload(session, client)
    session.ownership.spawn(client, request)
    session.interventions.announce(client, "spawn", f"{request.robot} was spawned", request.robot)


def check_upload(session: Session, client: Client) -> None:
    """Refuse to spawn more robots, or more bytes of specs, than a token may."""
    if client.grant.role is Role.SUPERVISOR:
        return
    limits, spawned = session.limits, session.ownership.spawned
    mine = [name for other in session.clients if other.share is client.share for name in other.driven]
    check_count("spawn", client, len(spawned.intersection(mine)) + 1, limits.robots)
    if client.received > 1000 * limits.upload_kb:
        raise Refused(
            f"spawn: this robot takes {client.received / 1000:.0f} kB, at most {limits.upload_kb:g} kB are allowed: "
            "give its sensors shorter tables and its LEDs shorter names"
        )
    wait = client.share.wait_for_upload(client.received, limits, time.monotonic())
    if wait:
        raise Refused(
            f"spawn: you may upload {limits.upload_kb_per_s:g} kB per second with all your connections together: "
            f"try again in {math.ceil(wait)} s"
        )


@handles(m.Leave, done=True)
def leave(session: Session, client: Client, request: m.Leave) -> None:
    session.ownership.check_known(client, request.robot)
    if session.ownership.owners.get(request.robot) is not client:
        raise Refused(f"leave: robot {request.robot!r} is not yours")
    session.ownership.give_up([request.robot], session.clients)


@handles(m.SetPose, Role.SUPERVISOR, done=True)
def set_pose(session: Session, client: Client, request: m.SetPose) -> None:
    session.ownership.check_known(client, request.robot)
    session.arena[request.robot].set_pose(request.x, request.y, request.heading)
    session.history.break_path(request.robot)
    session.push_all()
    session.interventions.announce(client, "teleport", f"{request.robot} was moved by hand", request.robot)


@handles(m.SendGoal)
def send_goal(session: Session, client: Client, request: m.SendGoal) -> None:
    session.ownership.check_may_drive(client, request.robot, "send_goal")
    session.goals.send(client, request)
    session.interventions.announce(
        client, "goal", f"{client.name} sent {request.robot} to ({request.x:.2f}, {request.y:.2f})", request.robot
    )


@handles(m.GoalAnswer)
def answer_goal(session: Session, client: Client, request: m.GoalAnswer) -> None:
    session.goals.take(client, request)


@handles(m.Shown)
def show(session: Session, client: Client, request: m.Shown) -> None:
    session.map_publisher.take(client, request)


# ---- sensing


def handle_for(session: Session, client: Client, robot: str) -> Robot:
    """Return a client's own handle to a robot that it may read."""
    session.ownership.check_known(client, robot)
    client.grant.check_robot(robot, "read")
    return client.handle(session.arena, robot)


@handles(m.Enable, done=True)
def enable(session: Session, client: Client, request: m.Enable) -> None:
    handle, grant = handle_for(session, client, request.robot), client.grant
    grant.check_devices(request.devices, "enable")
    for device in [handle.device(name) for name in request.devices or handle.devices if grant.allows(name)]:
        (device.enable if request.on else device.disable)()


@handles(m.PollOnly, done=True)
def poll_only(session: Session, client: Client, request: m.PollOnly) -> None:
    client.grant.check_devices((request.device,), "poll_only")
    handle_for(session, client, request.robot).device(request.device).poll_only(request.on)


@handles(m.Sense)
def sense(session: Session, client: Client, request: m.Sense) -> Message:
    handle = handle_for(session, client, request.robot)
    session.ownership.command(client, request.commands)
    return m.Observed(id=request.id, tick=session.arena.tick, robots={request.robot: session.readings(client, handle)})


@handles(m.Read)
def read(session: Session, client: Client, request: m.Read) -> Message:
    client.grant.check_devices((request.device,), "read")
    device = handle_for(session, client, request.robot).device(request.device)
    session.ownership.command(client, request.commands)
    tick = session.arena.tick
    device.refuse_if_disabled()
    if not isinstance(device, Camera):
        values = device.raw_values() if request.raw else device.robot.body.read(device, raw=False)
        return m.Reading(id=request.id, tick=tick, values=values)
    if request.raw:
        return m.Reading(id=request.id, tick=tick, values=device.depth().ravel())
    return m.Reading(id=request.id, tick=tick, picture=picture(device, jpeg=False))


@handles(m.Subscribe)
def subscribe(session: Session, client: Client, request: m.Subscribe) -> None:
    handle_for(session, client, request.robot)
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
def unsubscribe(session: Session, client: Client, request: m.Unsubscribe) -> None:
    client.subscriptions.pop((request.robot, request.stream), None)


# ---- commands and time


@handles(m.Steer)
def steer(session: Session, client: Client, request: m.Steer) -> None:
    session.ownership.command(client, request.commands)


@handles(m.Step, Role.CONTROLLER)
def step(session: Session, client: Client, request: m.Step) -> None:
    if client.step_id is not None:
        raise Refused("step: your last step is still pending")
    session.ownership.command(client, request.commands)
    client.step_id = request.id
    member, clock = client.member, session.clock
    session.supervision.take_part(client)
    clock.ask(member, request.ticks, lambda: session.finish_step(client))


@handles(m.Lock, Role.CONTROLLER, done=True)
def lock(session: Session, client: Client, request: m.Lock) -> None:
    session.supervision.join_lock(client, request.on, request.timeout)


@handles(m.Play, Role.SUPERVISOR, done=True)
def play(session: Session, client: Client, request: m.Play) -> None:
    session.heats.check_play()
    if session.replay is not None:
        session.replay.restart()
    if session.has_ended:
        session.run_again(None)
    elif not session.clock.running:
        session.interventions.announce(client, "resume", "resumed")
    session.clock.set_running(True)


@handles(m.Pause, Role.SUPERVISOR, done=True)
def pause(session: Session, client: Client, request: m.Pause) -> None:
    if session.clock.running:
        session.interventions.announce(client, "pause", "paused")
    session.clock.set_running(False)


@handles(m.Advance, Role.SUPERVISOR, done=True)
def advance(session: Session, client: Client, request: m.Advance) -> None:
    if session.clock.running:
        raise Refused("advance: the clock is running; pause it first")
    session.clock.advance(request.ticks)


@handles(m.SetSpeed, Role.SUPERVISOR, done=True)
def set_speed(session: Session, client: Client, request: m.SetSpeed) -> None:
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
def reset(session: Session, client: Client, request: m.Reset) -> None:
    session.heats.check_idle("reset")
    if session.has_ended:
        session.run_again(request.seed)
    else:
        session.scoreboard.keep()
        session.arena.reset(request.seed)
        if session.classroom is not None:
            session.classroom.seating.place_all()
        session.on_jump()
        session.interventions.announce(client, "reset", "reset")


@handles(m.RunAgain, Role.SUPERVISOR, done=True)
def run_again(session: Session, client: Client, request: m.RunAgain) -> None:
    if not session.has_ended:
        raise Refused("run_again: no run has ended; `reset` goes back to the start")
    session.run_again(request.seed)


@handles(m.Seek, Role.SUPERVISOR, done=True)
def seek(session: Session, client: Client, request: m.Seek) -> None:
    find_replay(session, "seek").seek(request.tick)


@handles(m.GoLive, Role.SUPERVISOR, done=True)
def go_live(session: Session, client: Client, request: m.GoLive) -> None:
    find_replay(session, "go_live").go_live()


def find_replay(session: Session, what: str) -> ReplayControl:
    """Return the replay of this session."""
    if session.replay is None:
        raise Refused(f"{what}: no recording is replayed here; `paddock record replay run.mcap` replays one")
    return session.replay


@handles(m.Digest, Role.SUPERVISOR)
def digest(session: Session, client: Client, request: m.Digest) -> Message:
    return m.Answer(id=request.id, value=session.arena.digest())


@handles(m.TakeSnapshot, Role.SUPERVISOR)
def snapshot(session: Session, client: Client, request: m.TakeSnapshot) -> Message:
    if len(client.snapshots) >= MAX_SNAPSHOTS:
        client.snapshots.pop(next(iter(client.snapshots)))
    number = next(client.snapshot_numbers)
    client.snapshots[number] = session.arena.snapshot()
    return m.Answer(id=request.id, value=number)


@handles(m.Restore, Role.SUPERVISOR, done=True)
def restore(session: Session, client: Client, request: m.Restore) -> None:
    session.heats.check_idle("restore")
    snapshot = client.snapshots.get(request.snapshot)
    if snapshot is None:
        raise SimulationError(
            f"restore: no snapshot {request.snapshot}; the server keeps the last {MAX_SNAPSHOTS} of each client"
        )
    session.scoreboard.keep()
    session.arena.restore(snapshot)
    session.on_jump()
    session.interventions.announce(client, "restore", "restored a snapshot")


# ---- the page


@handles(m.LookRequest)
def look(session: Session, client: Client, request: m.LookRequest) -> Message:
    return replace(hide_scene(session.scene, client.grant), id=request.id)


@handles(m.Frames, done=True)
def frames(session: Session, client: Client, request: m.Frames) -> None:
    client.stop_frames()
    if request.rate:
        client.frames = FrameStream(1 / request.rate)
        stream_frames(session, client)
        session.viewed.set()
        if session.heats.phase != "none":
            client.send(session.heats.message(client))


@handles(m.Recall)
def recall(session: Session, client: Client, request: m.Recall) -> Message:
    history, grant = session.history, client.grant
    if not request.robot:
        hidden = grant.shows == "nothing"
        paths = b"" if hidden else history.paths(None if grant.shows == "all" else grant.sees)
        return m.History(id=request.id, ticks=history.ticks[:0] if hidden else history.ticks, paths=paths)
    session.ownership.check_known(client, request.robot)
    grant.check_robot(request.robot, "read")
    wheels = history.wheels(request.robot)
    readings = {name: values for name, values in history.readings(request.robot).items() if grant.allows(name)}
    return m.History(id=request.id, ticks=history.ticks, wheels=wheels, readings=readings)


@handles(m.Got)
def confirm_frame(session: Session, client: Client, request: m.Got) -> None:
    if client.frames is not None:
        client.frames.got = max(client.frames.got, min(request.frame, client.frames.sent))
