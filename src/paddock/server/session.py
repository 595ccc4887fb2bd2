"""Session: an arena, its clients, and what each of them may do. Every message is handled here."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from itertools import count

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena, Robot
from paddock.arena.devices import Camera
from paddock.core.errors import BadMessage, PaddockError, Refused, SimulationError, UnknownName, VersionMismatch
from paddock.core.observation import Command
from paddock.protocol import VERSION, Message
from paddock.protocol import messages as m
from paddock.server.access import Role
from paddock.server.client import Client, FrameStream, Subscription
from paddock.server.conductor import Conductor, Member
from paddock.server.sight import bodies, picture, scene_of, seen_by
from paddock.server.uploads import uploaded_robot

MOST_ROBOTS, MOST_BROUGHT = 5000, 32  # in the world; by one client
MOST_SUBSCRIPTIONS = 256  # of one client
MOST_SNAPSHOTS = 16  # of one client
LONGEST_TEXT = 2000  # letters of a refusal
NEWS_DELAY = 0.05  # wall seconds in which changes are gathered before everyone is told
SCORE_PERIOD = 0.5  # wall seconds
REMINDER = 1.0  # wall seconds between two signs of life to those who wait for time to pass

Scoring = Callable[[Arena], Mapping[str, float]]
log = logging.getLogger("paddock.server")


class Session:
    """Runs in the event loop's thread, from the first client to the last."""

    def __init__(
        self, arena: Arena, *, speed: float | None = 1.0, lock_step: bool = False, scoring: Scoring | None = None
    ) -> None:
        self.arena, self.scoring = arena, scoring
        self.clients: list[Client] = []
        self.owners: dict[str, Client] = {}  # by robot
        self.spawned: set[str] = set()
        self._held: dict[str, NDArray[np.float64]] = {}  # commands that a program in this process must not overrule
        self.conductor = Conductor(arena, self, speed=speed, lock_step=lock_step)
        self._loop = asyncio.get_running_loop()
        self._news: asyncio.TimerHandle | None = None
        self._layout = 0  # counts changes of the robots' list
        self._numbers = count(1)
        self._handlers: dict[str, Callable[[Client, m.Message], Message | None]] = {
            kind: getattr(self, f"_{kind}") for kind in m.REQUESTS if kind != "hello"
        }
        self._timers = [self._loop.call_later(REMINDER, self._remind)]
        if scoring is not None:
            self._timers.append(self._loop.call_soon(self._score))  # type: ignore[arg-type]

    def close(self) -> None:
        """No more time passes."""
        for timer in [*self._timers, *([self._news] if self._news else [])]:
            timer.cancel()
        self.conductor.close()

    # ---- clients come, speak and go

    def admit(self, client: Client, hello: m.Hello) -> None:
        """Welcome a client."""
        if hello.version != VERSION:
            raise VersionMismatch(
                f"hello.version: this server speaks version {VERSION}, you speak {hello.version}: "
                "install the same release of Paddock on both sides"
            )
        client.name = client.member.name = self._unique(client.grant.name or hello.name or "client")
        self.clients.append(client)
        world = self.arena.world
        client.send(
            m.Welcome(
                id=hello.id,
                version=VERSION,
                server=f"paddock {version('paddock')}",
                client=client.name,
                role=str(client.grant.role),
                world=world.with_robots().to_table(),
                dt=self.arena.dt,
                lock_step=self.conductor.lock_step,
            )
        )
        client.send(self._robots_for(client))
        client.send(self._clock_message())

    def handle(self, client: Client, message: Message) -> None:
        """Do what a client asks for; whatever goes wrong is told to that client alone."""
        id = getattr(message, "id", None)
        try:
            if message.type == "hello":
                raise BadMessage("hello: you are welcome already")
            answer = self._handlers[message.type](client, message)
        except PaddockError as error:
            answer = refusal(error, id)
        except Exception:
            log.exception("a %s of %s failed", message.type, client.name)
            answer = refusal(SimulationError(f"{message.type}: the server failed; see its log"), id)
        self._tell_news(client)
        if answer is not None:
            client.send(answer)

    def drop(self, client: Client) -> None:
        """A client is gone: its robots stop, those it brought along vanish, nobody waits for it."""
        if client not in self.clients:
            return
        self.clients.remove(client)
        client.frames = None
        client.subscriptions.clear()
        driven = list(client.driven)
        self._give_up(client, driven)
        self.conductor.leave(client.member)

    def _unique(self, name: str) -> str:
        taken = {client.name for client in self.clients}
        return next(one for one in (name, *(f"{name}-{i}" for i in range(2, len(taken) + 3))) if one not in taken)

    # ---- robots

    def _claim(self, client: Client, message: m.Claim) -> Message:
        self._own(client, message.robot, force=message.force)
        return m.Done(id=message.id)

    def _spawn(self, client: Client, message: m.Spawn) -> Message:
        client.grant.check(Role.CONTROLLER, "spawn")
        client.grant.check_robot(message.robot, "spawn")
        if len(self.arena.robots) >= MOST_ROBOTS:
            raise Refused(f"spawn: there are {MOST_ROBOTS} robots already")
        if sum(name in self.spawned for name in client.driven) >= MOST_BROUGHT:
            raise Refused(f"spawn: you brought {MOST_BROUGHT} robots along already; let one leave first")
        if message.robot in self.arena:
            raise Refused(f"spawn: there is a robot called {message.robot!r} already; choose another name")
        spec = uploaded_robot(message.kind)
        self.arena.spawn(message.robot, spec, at=message.at, heading=message.heading, color=message.color)
        self.spawned.add(message.robot)
        self.owners[message.robot] = client
        client.driven.append(message.robot)
        self.robots_changed()
        return m.Done(id=message.id)

    def _leave(self, client: Client, message: m.Leave) -> Message:
        self._known(message.robot)
        if self.owners.get(message.robot) is not client:
            raise Refused(f"leave: robot {message.robot!r} is not yours")
        self._give_up(client, [message.robot])
        return m.Done(id=message.id)

    def _give_up(self, client: Client, robots: Iterable[str]) -> None:
        changed = False
        for name in list(robots):
            changed = True
            client.forget(name)
            del self.owners[name]
            self._held.pop(name, None)
            if name in self.spawned:
                self.spawned.discard(name)
                for other in self.clients:
                    other.forget(name)
                self.arena.remove(name)
            else:
                self._halt(name)
        if changed:
            self.robots_changed()

    def _halt(self, name: str) -> None:
        """Stand still and be silent."""
        robot = self.arena[name]
        robot.stop()
        if robot.spec.speaker:
            robot.speaker.stop()

    def _own(self, client: Client, name: str, *, force: bool = False) -> None:
        """Make sure that a client drives a robot, or refuse."""
        owner = self.owners.get(name)
        if owner is client:
            return
        self._known(name)
        client.grant.check(Role.CONTROLLER, f"robot {name!r}")
        client.grant.check_robot(name, "claim")
        if owner is not None:
            if not force:
                raise Refused(f"claim: robot {name!r} is driven by {owner.name}")
            client.grant.check(Role.SUPERVISOR, "claim by force")
            owner.driven.remove(name)
            self._held.pop(name, None)
            self._halt(name)
        self.owners[name] = client
        client.driven.append(name)
        self.robots_changed()

    def _known(self, name: str) -> None:
        if name not in self.arena:
            raise UnknownName("robot", name, self.arena.robots)

    def _handle_for(self, client: Client, robot: str) -> Robot:
        """A client's handle to a robot that it may read."""
        self._known(robot)
        client.grant.check_robot(robot, "read")
        return client.handle(self.arena, robot)

    def robots_changed(self) -> None:
        """There are other robots, or other drivers."""
        self._layout += 1
        self._changed("robots")

    def _changed(self, what: str) -> None:
        """Tell everyone soon, and at once whoever is answered or sent a frame before that."""
        for client in self.clients:
            client.stale.add(what)
        if self._news is None:
            self._news = self._loop.call_later(NEWS_DELAY, self._tell_all)

    def _tell_all(self) -> None:
        self._news = None
        for client in self.clients:
            self._tell_news(client)

    def _tell_news(self, client: Client) -> None:
        if client.stale:
            news, client.stale = client.stale, set()
            if "robots" in news:
                client.send(self._robots_for(client))
            if "clock" in news:
                client.send(self._clock_message())

    def _robots_for(self, client: Client) -> m.Robots:
        kinds = list(dict.fromkeys(self.arena.built.robots))
        numbers = {kind: i for i, kind in enumerate(kinds)}
        may_drive = client.grant.role >= Role.CONTROLLER
        return m.Robots(
            kinds=tuple(kind.to_table() for kind in kinds),
            robots=tuple(
                m.RobotInfo(
                    name=robot.name,
                    kind=numbers[kind],
                    color=robot.color or kind.body.color,
                    owner=self.owners[robot.name].name if robot.name in self.owners else "",
                    spawned=robot.name in self.spawned,
                    yours=may_drive
                    and client.grant.covers(robot.name)
                    and self.owners.get(robot.name, client) is client,
                )
                for robot, kind in zip(self.arena.world.robots, self.arena.built.robots, strict=True)
            ),
        )

    # ---- sensing

    def _enable(self, client: Client, message: m.Enable) -> Message:
        handle = self._handle_for(client, message.robot)
        (handle.enable if message.on else handle.disable)(*message.devices)
        return m.Done(id=message.id)

    def _poll_only(self, client: Client, message: m.PollOnly) -> Message:
        self._handle_for(client, message.robot).device(message.device).poll_only(message.on)
        return m.Done(id=message.id)

    def _sense(self, client: Client, message: m.Sense) -> Message:
        handle = self._handle_for(client, message.robot)
        self._command(client, message.commands)
        return m.Observed(id=message.id, tick=self.arena.tick, robots={message.robot: self._seen(client, handle)})

    def _read(self, client: Client, message: m.Read) -> Message:
        device = self._handle_for(client, message.robot).device(message.device)
        self._command(client, message.commands)
        tick = self.arena.tick
        device.refuse_if_disabled()
        if not isinstance(device, Camera):
            values = device.raw_values() if message.raw else device.robot.body.read(device, raw=False)
            return m.Reading(id=message.id, tick=tick, values=values)
        if message.raw:
            return m.Reading(id=message.id, tick=tick, values=device.depth().ravel())
        return m.Reading(id=message.id, tick=tick, picture=picture(device, jpeg=False))

    def _subscribe(self, client: Client, message: m.Subscribe) -> None:
        self._handle_for(client, message.robot)
        handle = self.arena.robots.new_handle(message.robot)
        handle.enable(*message.devices)
        for name in message.devices:
            handle.device(name).polled = False
        handle.refresh()
        every = max(1, round(message.period / self.arena.dt))
        subscription = Subscription(handle, every, self.arena.tick, message.jpeg, message.stream)
        if len(client.subscriptions | {(message.robot, message.stream): None}) > MOST_SUBSCRIPTIONS:
            raise Refused(f"subscribe: you have {MOST_SUBSCRIPTIONS} subscriptions already; end one first")
        client.subscriptions[message.robot, message.stream] = subscription
        client.send(m.Done(id=message.id))
        self._push(client, subscription)

    def _unsubscribe(self, client: Client, message: m.Unsubscribe) -> Message:
        client.subscriptions.pop((message.robot, message.stream), None)
        return m.Done(id=message.id)

    def _push(self, client: Client, subscription: Subscription) -> None:
        tick = self.arena.tick
        if client.slow:
            subscription.next = tick + 1
            return
        subscription.next = max(subscription.next + subscription.every, tick + 1)
        robot = subscription.robot
        truth = client.grant.role is Role.SUPERVISOR
        seen = seen_by(self.arena, robot, truth=truth, jpeg=subscription.jpeg)
        client.send(m.Sensed(robot=robot.name, tick=tick, seen=seen, stream=subscription.stream))

    def _seen(self, client: Client, handle: Robot) -> m.Seen:
        return seen_by(self.arena, handle, truth=client.grant.role is Role.SUPERVISOR)

    # ---- commands and time

    def _step(self, client: Client, message: m.Step) -> Message | None:
        if client.step_id is not None:
            raise Refused("step: your last step is still under way")
        client.grant.check(Role.CONTROLLER, "step")
        self._command(client, message.commands)
        client.step_id = message.id
        if client.member not in self.conductor.members or client.member.locked != client.wants_lock:
            self.conductor.join(client.member, client.wants_lock)
        self.conductor.ask(client.member, message.ticks, lambda: self._stepped(client))
        return None

    def _stepped(self, client: Client) -> None:
        assert client.step_id is not None
        id, client.step_id = client.step_id, None
        robots = {name: self._seen(client, handle) for name, handle in client.handles.items()}
        self._tell_news(client)
        client.send(m.Observed(id=id, tick=self.arena.tick, robots=robots))

    def _steer(self, client: Client, message: m.Steer) -> None:
        self._command(client, message.commands)

    def _command(self, client: Client, commands: Mapping[str, Command]) -> None:
        """Carry out all commands, or refuse all."""
        for name in commands:
            self._own(client, name)
        rows = [self.arena.numbers[name] for name in commands]
        before = self.arena.commands[0, rows], self.arena.motion[rows]  # copies
        try:
            for name, command in commands.items():
                client.handle(self.arena, name).apply(command)
        except PaddockError:
            self.arena.commands[0, rows], self.arena.motion[rows] = before
            raise
        if self.arena.gate is not None:
            self._held |= {name: self.arena.commands[0, row].copy() for name, row in zip(commands, rows, strict=True)}

    def _lock(self, client: Client, message: m.Lock) -> Message:
        client.grant.check(Role.CONTROLLER, "lock")
        client.wants_lock, client.member.timeout = message.on, message.timeout
        if message.on:
            self.conductor.join(client.member, True)
        elif client.step_id is None:
            self.conductor.leave(client.member)
        return m.Done(id=message.id)

    def _play(self, client: Client, message: m.Play) -> Message:
        client.grant.check(Role.SUPERVISOR, "play")
        self.conductor.set_running(True)
        return m.Done(id=message.id)

    def _pause(self, client: Client, message: m.Pause) -> Message:
        client.grant.check(Role.SUPERVISOR, "pause")
        self.conductor.set_running(False)
        return m.Done(id=message.id)

    def _advance(self, client: Client, message: m.Advance) -> Message:
        client.grant.check(Role.SUPERVISOR, "advance")
        if self.conductor.running:
            raise Refused("advance: the clock is running; pause it first")
        self.conductor.advance(message.ticks)
        return m.Done(id=message.id)

    def _set_speed(self, client: Client, message: m.SetSpeed) -> Message:
        client.grant.check(Role.SUPERVISOR, "set_speed")
        if 0 < message.speed < 0.01:
            raise Refused(f"set_speed.speed: expected 0 for flat out, or 0.01 to 1000, got {message.speed:g}")
        self.conductor.set_speed(message.speed or None)
        return m.Done(id=message.id)

    def _reset(self, client: Client, message: m.Reset) -> Message:
        client.grant.check(Role.SUPERVISOR, "reset")
        self.arena.reset(message.seed)
        self._jumped()
        return m.Done(id=message.id)

    def _place(self, client: Client, message: m.Place) -> Message:
        client.grant.check(Role.SUPERVISOR, "place")
        self._known(message.robot)
        self.arena[message.robot].place(message.x, message.y, message.heading)
        for one in self.clients:  # time may stand still, yet all that is near it looks different now
            for subscription in one.subscriptions.values():
                self._push(one, subscription)
        return m.Done(id=message.id)

    def _digest(self, client: Client, message: m.Digest) -> Message:
        client.grant.check(Role.SUPERVISOR, "digest")
        return m.Answer(id=message.id, value=self.arena.digest())

    def _snapshot(self, client: Client, message: m.Snapshot) -> Message:
        client.grant.check(Role.SUPERVISOR, "snapshot")
        if len(client.snapshots) >= MOST_SNAPSHOTS:
            client.snapshots.pop(next(iter(client.snapshots)))
        number = next(self._numbers)
        client.snapshots[number] = self.arena.snapshot()
        return m.Answer(id=message.id, value=number)

    def _restore(self, client: Client, message: m.Restore) -> Message:
        client.grant.check(Role.SUPERVISOR, "restore")
        snapshot = client.snapshots.get(message.snapshot)
        if snapshot is None:
            raise SimulationError(
                f"restore: no snapshot {message.snapshot}; the server keeps the last {MOST_SNAPSHOTS} of each client"
            )
        self.arena.restore(snapshot)  # type: ignore[arg-type]
        self._jumped()
        return m.Done(id=message.id)

    def _jumped(self) -> None:
        for client in self.clients:
            for subscription in client.subscriptions.values():
                subscription.next = self.arena.tick
        self.conductor.jumped()

    # ---- the audience of the conductor

    def next_tick(self, tick: int) -> float:
        return min((max(s.next, tick + 1) for c in self.clients for s in c.subscriptions.values()), default=math.inf)

    def before_ticks(self) -> None:
        for name, command in self._held.items():
            self.arena.commands[0, self.arena.numbers[name]] = command

    def ticked(self) -> None:
        tick = self.arena.tick
        for client in self.clients:
            for subscription in client.subscriptions.values():
                if subscription.next <= tick:
                    self._push(client, subscription)

    def released(self, member: Member) -> None:
        client = next((one for one in self.clients if one.member is member), None)
        robots = tuple(client.driven) if client is not None else ()
        for name in robots:
            self._halt(name)
            self._held.pop(name, None)
        reason = f"no answer within {member.timeout:g} s"
        for one in self.clients:
            one.send(m.Released(client=member.name, robots=robots, reason=reason))

    def clock_changed(self) -> None:
        self._changed("clock")

    def _clock_message(self) -> m.Clock:
        return m.Clock(
            tick=self.arena.tick,
            seed=self.arena.seed,
            running=self.conductor.running,
            speed=self.conductor.speed or 0.0,
            lock=tuple(member.name for member in self.conductor.lock),
        )

    def _remind(self) -> None:
        """A sign of life to those who wait for time to pass, however slow it is."""
        self._timers[0] = self._loop.call_later(REMINDER, self._remind)
        message = self._clock_message()
        for client in self.clients:
            if client.step_id is not None:
                client.send(message)

    # ---- the page

    def _look(self, client: Client, message: m.Look) -> Message:
        return scene_of(self.arena, message.id)

    def _frames(self, client: Client, message: m.Frames) -> Message:
        if message.rate == 0:
            client.frames = None
        else:
            client.frames = FrameStream(1 / message.rate)
            self._loop.call_soon(self._frame, client, client.frames)
        return m.Done(id=message.id)

    def _got(self, client: Client, message: m.Got) -> None:
        if client.frames is not None:
            client.frames.got = max(client.frames.got, min(message.frame, client.frames.sent))

    def _frame(self, client: Client, stream: FrameStream) -> None:
        """Send the newest frame if the last one has arrived and anything moved."""
        if client.frames is not stream:
            return
        self._loop.call_later(stream.period, self._frame, client, stream)
        if stream.got < stream.sent:
            return
        now = bodies(self.arena)
        state = (self.arena.tick, self._layout, now)
        if state == stream.last:
            return
        stream.last, stream.sent = state, stream.sent + 1
        self._tell_news(client)
        client.send(m.Frame(frame=stream.sent, tick=self.arena.tick, bodies=now))

    def _score(self) -> None:
        assert self.scoring is not None
        self._timers[1:] = [self._loop.call_later(SCORE_PERIOD, self._score)]
        watching = [client for client in self.clients if client.frames is not None]
        if not watching:
            return
        try:
            scores = self.scoring(self.arena)
        except Exception:
            log.exception("the scoring failed; there will be no more scores")
            self._timers.pop().cancel()
            return
        lines = [m.Score(robot=name, score=float(score)) for name, score in scores.items() if math.isfinite(score)]
        message = m.Scores(scores=tuple(sorted(lines, key=lambda line: -line.score)))
        for client in watching:
            client.send(message)


def refusal(error: PaddockError, id: int | None) -> m.Refused:
    """An error as it is told to a client."""
    text = str(error)
    return m.Refused(
        id=id, error=type(error).__name__, message=text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    )
