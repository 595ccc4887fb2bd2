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
from paddock.protocol import Message
from paddock.protocol import messages as m
from paddock.server.access import Role
from paddock.server.client import Client, Subscription, check_count
from paddock.server.frame_stream import FrameStream, stream_frames
from paddock.server.replay_desk import ReplayDesk
from paddock.server.visibility import hide_scene
from paddock.server.world_view import picture

if TYPE_CHECKING:
    from paddock.server.session import Session

Handler = Callable[["Session", Client, Any], Message | None]
F = TypeVar("F", bound=Handler)
MOST_SUBSCRIPTIONS = 256  # of one client
MOST_SNAPSHOTS = 16  # of one client
SLOWEST = 0.01  # simulated seconds per second

HANDLERS: dict[type[Message], Handler] = {}


def handles(message: type[m.Message], role: Role = Role.VIEWER, *, done: bool = False) -> Callable[[F], F]:
    """Register a function as the handler of a message; it is called only for clients that have the role.

    `done`: answer with `done`.
    """

    def enter(function: F) -> F:
        def check_and_call(session: Session, client: Client, wish: Any) -> Message | None:
            client.grant.check(role, message.type)
            answer = function(session, client, wish)
            return m.Done(id=wish.id) if done else answer

        HANDLERS[message] = check_and_call if done or role is not Role.VIEWER else function
        return function

    return enter


@handles(m.Hello)
def hello(session: Session, client: Client, wish: m.Hello) -> Message:
    raise BadMessage("hello: this connection has already been accepted")


# ---- robots


@handles(m.Claim, done=True)
def claim(session: Session, client: Client, wish: m.Claim) -> None:
    session.ownership.claim(client, wish.robot, force=wish.force, asked=True)


@handles(m.Spawn, done=True)
def spawn(session: Session, client: Client, wish: m.Spawn) -> None:
    session.heats.check_spawn(client)
    check_upload(session, client)
    session.ownership.spawn(client, wish)
    session.interventions.announce(client, "spawn", f"{wish.robot} was spawned", wish.robot)


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
            "give its sensors shorter tables and its lamps shorter names"
        )
    wait = client.share.wait_for_upload(client.received, limits, time.monotonic())
    if wait:
        raise Refused(
            f"spawn: you may upload {limits.upload_kb_per_s:g} kB per second with all your connections together: "
            f"try again in {math.ceil(wait)} s"
        )


@handles(m.Leave, done=True)
def leave(session: Session, client: Client, wish: m.Leave) -> None:
    session.ownership.check_known(client, wish.robot)
    if session.ownership.owners.get(wish.robot) is not client:
        raise Refused(f"leave: robot {wish.robot!r} is not yours")
    session.ownership.give_up([wish.robot], session.clients)


@handles(m.SetPose, Role.SUPERVISOR, done=True)
def set_pose(session: Session, client: Client, wish: m.SetPose) -> None:
    session.ownership.check_known(client, wish.robot)
    session.arena[wish.robot].set_pose(wish.x, wish.y, wish.heading)
    session.history.break_path(wish.robot)
    session.push_all()
    session.interventions.announce(client, "teleport", f"{wish.robot} was moved by hand", wish.robot)


@handles(m.SendGoal)
def send_goal(session: Session, client: Client, wish: m.SendGoal) -> None:
    session.ownership.check_may_drive(client, wish.robot, "send_goal")
    session.goals.send(client, wish)
    session.interventions.announce(
        client, "goal", f"{client.name} sent {wish.robot} to ({wish.x:.2f}, {wish.y:.2f})", wish.robot
    )


@handles(m.GoalAnswer)
def answer_goal(session: Session, client: Client, wish: m.GoalAnswer) -> None:
    session.goals.take(client, wish)


@handles(m.Shown)
def show(session: Session, client: Client, wish: m.Shown) -> None:
    session.map_board.take(client, wish)


# ---- sensing


def handle_for(session: Session, client: Client, robot: str) -> Robot:
    """Return a client's own handle to a robot that it may read."""
    session.ownership.check_known(client, robot)
    client.grant.check_robot(robot, "read")
    return client.handle(session.arena, robot)


@handles(m.Enable, done=True)
def enable(session: Session, client: Client, wish: m.Enable) -> None:
    handle, grant = handle_for(session, client, wish.robot), client.grant
    grant.check_devices(wish.devices, "enable")
    for device in [handle.device(name) for name in wish.devices or handle.devices if grant.allows(name)]:
        (device.enable if wish.on else device.disable)()


@handles(m.PollOnly, done=True)
def poll_only(session: Session, client: Client, wish: m.PollOnly) -> None:
    client.grant.check_devices((wish.device,), "poll_only")
    handle_for(session, client, wish.robot).device(wish.device).poll_only(wish.on)


@handles(m.Sense)
def sense(session: Session, client: Client, wish: m.Sense) -> Message:
    handle = handle_for(session, client, wish.robot)
    session.ownership.command(client, wish.commands)
    return m.Observed(id=wish.id, tick=session.arena.tick, robots={wish.robot: session.readings(client, handle)})


@handles(m.Read)
def read(session: Session, client: Client, wish: m.Read) -> Message:
    client.grant.check_devices((wish.device,), "read")
    device = handle_for(session, client, wish.robot).device(wish.device)
    session.ownership.command(client, wish.commands)
    tick = session.arena.tick
    device.refuse_if_disabled()
    if not isinstance(device, Camera):
        values = device.raw_values() if wish.raw else device.robot.body.read(device, raw=False)
        return m.Reading(id=wish.id, tick=tick, values=values)
    if wish.raw:
        return m.Reading(id=wish.id, tick=tick, values=device.depth().ravel())
    return m.Reading(id=wish.id, tick=tick, picture=picture(device, jpeg=False))


@handles(m.Subscribe)
def subscribe(session: Session, client: Client, wish: m.Subscribe) -> None:
    handle_for(session, client, wish.robot)
    client.grant.check_devices(wish.devices, "subscribe")
    if len(client.subscriptions | {(wish.robot, wish.stream): None}) > MOST_SUBSCRIPTIONS:
        raise Refused(f"subscribe: you have {MOST_SUBSCRIPTIONS} subscriptions already; end one first")
    if (wish.robot, wish.stream) not in client.subscriptions:
        count = sum(len(other.subscriptions) for other in session.clients if other.share is client.share)
        check_count("subscriptions", client, count + 1, session.limits.subscriptions)
    handle = session.arena.robots.new_handle(wish.robot)
    for name in wish.devices:
        handle.device(name)  # raises for unknown devices
    every = max(1, round(wish.period / session.arena.dt))
    subscription = Subscription(handle, every, session.arena.tick, wish.jpeg, wish.stream, wish.devices)
    subscription.choose(client.grant)
    client.subscriptions[wish.robot, wish.stream] = subscription
    client.due = min(client.due, subscription.next)
    client.send(m.Done(id=wish.id))
    session.push(client, subscription)


@handles(m.Unsubscribe, done=True)
def unsubscribe(session: Session, client: Client, wish: m.Unsubscribe) -> None:
    client.subscriptions.pop((wish.robot, wish.stream), None)


# ---- commands and time


@handles(m.Steer)
def steer(session: Session, client: Client, wish: m.Steer) -> None:
    session.ownership.command(client, wish.commands)


@handles(m.Step, Role.CONTROLLER)
def step(session: Session, client: Client, wish: m.Step) -> None:
    if client.step_id is not None:
        raise Refused("step: your last step is still pending")
    session.ownership.command(client, wish.commands)
    client.step_id = wish.id
    member, clock = client.member, session.clock
    session.supervision.take_part(client)
    clock.ask(member, wish.ticks, lambda: session.finish_step(client))


@handles(m.Lock, Role.CONTROLLER, done=True)
def lock(session: Session, client: Client, wish: m.Lock) -> None:
    session.supervision.join_lock(client, wish.on, wish.timeout)


@handles(m.Play, Role.SUPERVISOR, done=True)
def play(session: Session, client: Client, wish: m.Play) -> None:
    session.heats.check_play()
    if session.replay is not None:
        session.replay.begin_again()
    if session.has_ended:
        session.run_again(None)
    elif not session.clock.running:
        session.interventions.announce(client, "resume", "resumed")
    session.clock.set_running(True)


@handles(m.Pause, Role.SUPERVISOR, done=True)
def pause(session: Session, client: Client, wish: m.Pause) -> None:
    if session.clock.running:
        session.interventions.announce(client, "pause", "paused")
    session.clock.set_running(False)


@handles(m.Advance, Role.SUPERVISOR, done=True)
def advance(session: Session, client: Client, wish: m.Advance) -> None:
    if session.clock.running:
        raise Refused("advance: the clock is running; pause it first")
    session.clock.advance(wish.ticks)


@handles(m.SetSpeed, Role.SUPERVISOR, done=True)
def set_speed(session: Session, client: Client, wish: m.SetSpeed) -> None:
    if session.arena.is_real and wish.speed != 1:
        raise Refused("set_speed: the robots of this arena are real: the speed is always 1")
    if 0 < wish.speed < SLOWEST:
        raise Refused(f"set_speed.speed: expected 0 for flat out, or {SLOWEST} to 1000, got {wish.speed:g}")
    session.interventions.announce(
        client, "speed", f"speed set to {wish.speed:g}" if wish.speed else "speed set to flat out"
    )
    session.clock.set_speed(wish.speed or None)


@handles(m.Reset, Role.SUPERVISOR, done=True)
def reset(session: Session, client: Client, wish: m.Reset) -> None:
    session.heats.check_idle("reset")
    if session.has_ended:
        session.run_again(wish.seed)
    else:
        session.scoreboard.keep()
        session.arena.reset(wish.seed)
        if session.desk is not None:
            session.desk.seating.deal()
        session.on_jump()
        session.interventions.announce(client, "reset", "reset")


@handles(m.RunAgain, Role.SUPERVISOR, done=True)
def run_again(session: Session, client: Client, wish: m.RunAgain) -> None:
    if not session.has_ended:
        raise Refused("run_again: no run has ended; `reset` goes back to the start")
    session.run_again(wish.seed)


@handles(m.Seek, Role.SUPERVISOR, done=True)
def seek(session: Session, client: Client, wish: m.Seek) -> None:
    find_replay(session, "seek").seek(wish.tick)


@handles(m.GoLive, Role.SUPERVISOR, done=True)
def go_live(session: Session, client: Client, wish: m.GoLive) -> None:
    find_replay(session, "go_live").go_live()


def find_replay(session: Session, what: str) -> ReplayDesk:
    """Return the replay of this session."""
    if session.replay is None:
        raise Refused(f"{what}: no recording is replayed here; `paddock replay run.mcap` replays one")
    return session.replay


@handles(m.Digest, Role.SUPERVISOR)
def digest(session: Session, client: Client, wish: m.Digest) -> Message:
    return m.Answer(id=wish.id, value=session.arena.digest())


@handles(m.TakeSnapshot, Role.SUPERVISOR)
def snapshot(session: Session, client: Client, wish: m.TakeSnapshot) -> Message:
    if len(client.snapshots) >= MOST_SNAPSHOTS:
        client.snapshots.pop(next(iter(client.snapshots)))
    number = next(client.snapshot_numbers)
    client.snapshots[number] = session.arena.snapshot()
    return m.Answer(id=wish.id, value=number)


@handles(m.Restore, Role.SUPERVISOR, done=True)
def restore(session: Session, client: Client, wish: m.Restore) -> None:
    session.heats.check_idle("restore")
    snapshot = client.snapshots.get(wish.snapshot)
    if snapshot is None:
        raise SimulationError(
            f"restore: no snapshot {wish.snapshot}; the server keeps the last {MOST_SNAPSHOTS} of each client"
        )
    session.scoreboard.keep()
    session.arena.restore(snapshot)
    session.on_jump()
    session.interventions.announce(client, "restore", "restored a snapshot")


# ---- the page


@handles(m.LookRequest)
def look(session: Session, client: Client, wish: m.LookRequest) -> Message:
    return replace(hide_scene(session.scene, client.grant), id=wish.id)


@handles(m.Frames, done=True)
def frames(session: Session, client: Client, wish: m.Frames) -> None:
    client.stop_frames()
    if wish.rate:
        client.frames = FrameStream(1 / wish.rate)
        stream_frames(session, client)
        session.viewed.set()
        if session.heats.phase != "none":
            client.send(session.heats.message(client))


@handles(m.Recall)
def recall(session: Session, client: Client, wish: m.Recall) -> Message:
    history, grant = session.history, client.grant
    if not wish.robot:
        hidden = grant.shows == "nothing"
        paths = b"" if hidden else history.paths(None if grant.shows == "all" else grant.sees)
        return m.History(id=wish.id, ticks=history.ticks[:0] if hidden else history.ticks, paths=paths)
    session.ownership.check_known(client, wish.robot)
    grant.check_robot(wish.robot, "read")
    wheels = history.wheels(wish.robot)
    readings = {name: values for name, values in history.readings(wish.robot).items() if grant.allows(name)}
    return m.History(id=wish.id, ticks=history.ticks, wheels=wheels, readings=readings)


@handles(m.Got)
def confirm_frame(session: Session, client: Client, wish: m.Got) -> None:
    if client.frames is not None:
        client.frames.got = max(client.frames.got, min(wish.frame, client.frames.sent))
