"""Session: an arena, its clients and its services. It passes requests to their owners, and news to the clients.

A server has a shared session. Further sessions are private copies of its world (`sessions.py`).
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from paddock.arena import Arena, Robot
from paddock.core.errors import BadMessage, PaddockError, Refused, VersionMismatch
from paddock.core.user_limits import UserLimits
from paddock.network.protocol import VERSION, Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client, Subscription, check_count, failure, refusal
from paddock.network.server.core.clock import ServerClock
from paddock.network.server.core.core_requests import CoreRequests
from paddock.network.server.core.downloads import Download
from paddock.network.server.core.fair_shares import Share
from paddock.network.server.core.interventions import Interventions
from paddock.network.server.core.ownership import Ownership
from paddock.network.server.core.service import News, Service, build_routes, find_overriding
from paddock.network.server.core.supervision import Supervision
from paddock.network.server.core.visibility import Occasion, knows_seed, make_welcome, make_world_news
from paddock.network.server.core.world_view import describe_scene, read_enabled_devices
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from paddock.network.server.core.sessions import Sessions

NEWS_DELAY = 0.05  # wall seconds in which changes are collected before all clients are notified
PUSH_BUDGET = 0.002  # CPU seconds of a tick for the subscriptions of one share, on a paced clock
MAX_AT_ADDRESS = 128  # connections with a token of many users, such as the viewers of a class behind one router
REMINDER = 1.0  # wall seconds between two keep-alive messages to clients that wait for a step

log = logging.getLogger("paddock.server")


class ClockBrake:
    """Stops the clock of a private copy while the share of its owner is used up."""

    def __init__(self, clock: ServerClock) -> None:
        self._clock = clock

    def hold(self, why: str) -> None:
        self._clock.block(why)

    def release(self, why: str) -> None:
        self._clock.unblock(why)


class Session:
    """Connects an arena with its clients, clock and services. Runs in the event loop's thread.

    Args:
        arena: the served arena.
        sessions: all sessions of the server, which have tokens, limits and shares in common.
        speed: of the clock, in simulated seconds per second; None for as fast as possible.
        lock_step: whether the clock advances only when all clients in the lock request it.
        name: of a private copy; empty: the shared session.
        payer: the share to which the simulation of a private copy is charged.
    """

    def __init__(
        self,
        arena: Arena,
        sessions: Sessions,
        *,
        speed: float | None,
        lock_step: bool,
        name: str = "",
        payer: Share | None = None,
    ) -> None:
        self.arena, self.sessions, self.name, self.payer = arena, sessions, name, payer
        self.tokens, self.people, self.shares = sessions.tokens, sessions.people, sessions.shares
        self.loop = sessions.loop
        self.clients: list[Client] = []
        self.knows_seed = False  # whether a student has set the seed of a private copy, which is then no secret
        self.ownership = Ownership(arena, self.people)
        self.interventions, self.supervision = Interventions(self), Supervision()
        self.clock = self._make_clock(speed, lock_step=lock_step)
        self._news_share = self.shares.nobody  # cause of notifications
        self._news_timer: asyncio.TimerHandle | None = None
        self._sent_changes = 0  # changes of robots and owners that were sent to all clients, or are scheduled
        self._reminder = self.loop.call_later(REMINDER, self._remind)
        self.services: Sequence[Service] = ()
        self.serve(())

    def _make_clock(self, speed: float | None, *, lock_step: bool) -> ServerClock:
        payer = self.payer
        charge = partial(self.shares.charge, payer or self.shares.clock)
        may_go_on = None if payer is None else lambda: not self.shares.is_over(payer)
        clock = ServerClock(
            self.arena, self, self.supervision, charge=charge, speed=speed, lock_step=lock_step, may_go_on=may_go_on
        )
        if payer is not None:
            clock.is_private = True
            self._brake = ClockBrake(clock)
            payer.clocks[self._brake] = None
            if payer.held:
                clock.block("share")
        return clock

    @property
    def limits(self) -> UserLimits:
        """Limits of a token."""
        return self.sessions.limits

    @limits.setter
    def limits(self, limits: UserLimits) -> None:
        self.sessions.limits = limits

    @property
    def occasion(self) -> Occasion:
        """The occasion on which the arena is served."""
        return self.sessions.occasion

    @occasion.setter
    def occasion(self, occasion: Occasion) -> None:
        self.sessions.occasion = occasion

    @property
    def is_private(self) -> bool:
        """Whether this is a private copy."""
        return self.payer is not None

    def serve(self, services: Iterable[Service], guests: Iterable[Service] = ()) -> None:
        """Attach services. The last one that handles a message owns it. Guests belong to another session."""
        parts = (self.supervision, CoreRequests(), *services)
        self.services = parts
        self._routes = build_routes(parts, guests, private=self.is_private)
        self._before_ticks = find_overriding(parts, Service.before_ticks)
        self._after_ticks = find_overriding(parts, Service.after_ticks)
        self._news: News = {
            "world": lambda client: make_world_news(self, client),
            "robots": self.ownership.robot_list,
        }
        for service in parts:  # before the clock: no client may take the seed of a new run for that of the ended run,
            self._news |= service.list_news()  # or its stopped clock for a pause
        self._news["clock"] = self._clock_message
        for service in parts:
            service.attach(self)

    @cached_property
    def scene(self) -> m.SceneData:
        """All that is drawn except the robots; computed again for another world."""
        return describe_scene(self.arena)

    def close(self) -> None:
        """Stop the clock, the services and all timers."""
        for timer in (self._reminder, self._news_timer):
            if timer is not None:
                timer.cancel()
        for service in self.services:
            service.close()
        self.clock.close()
        if self.payer is not None:
            self.payer.clocks.pop(self._brake, None)

    # ---- connections and requests

    def find_file(self, path: str, host: str) -> Download | None:
        """Return the file that a service has at a path; None if there is none."""
        return next(filter(None, (service.find_file(path, host) for service in self.services)), None)

    def admit(self, client: Client, hello: m.Hello) -> None:
        """Accept a client and send it the current state."""
        if hello.version != VERSION:
            raise VersionMismatch(
                f"hello.version: this server has protocol version {VERSION}, you have {hello.version}: "
                "install the same release of Paddock on both sides"
            )
        most = self.limits.connections if client.grant.name else MAX_AT_ADDRESS
        check_count("connections", client, len(client.share.connections) + 1, most)
        client.session = self
        self.supervision.name(client)
        client.wants_events, client.shows = hello.events, hello.shows
        self.clients.append(client)
        client.send(make_welcome(self, client, hello.id))
        client.stale.update(self._news.keys() - {"world"})
        for service in self.services:
            service.on_join(client)
            service.on_enter(client)
        self._send_stale(client)
        self.sessions.note_presence(self)

    def enter(self, client: Client) -> None:
        """Add a client that comes from another session."""
        client.session = self
        self.clients.append(client)
        self.sessions.note_presence(self)

    def announce_arrival(self, client: Client) -> None:
        """Tell a client that came from another session about this one."""
        client.stale.update(self._news.keys())
        self._send_stale(client)
        if client.wants_events:
            text = f"moved to {self.name}'s copy of the world" if self.name else "moved to the shared arena"
            client.send(m.EventUpdate(kind="reset", text=text, tick=self.arena.tick))
        for subscription in client.subscriptions.values():
            self.push(client, subscription)
        for service in self.services:
            service.on_enter(client)

    def leave(self, client: Client) -> None:
        """Remove a client, which may enter another session: stop its robots, and take it out of the lock."""
        self.clients.remove(client)
        for service in self.services:
            service.on_exit(client)
        try:
            self.ownership.catch_up([*self.clients, client])
            self.ownership.give_up(client.driven, self.clients)
            self._notice()
        finally:
            self.clock.leave(client.member)
            self.sessions.note_presence(self)

    def handle(self, client: Client, message: Message) -> None:
        """Pass a request to the service that owns it; errors are sent to that client only."""
        client.silent, client.last_request_at = False, self.loop.time()
        answer: Message | None
        try:
            self.ownership.catch_up(self.clients)
            route = self._routes.get(type(message))
            if route is None:
                answer = self._refuse_unknown(message)
            else:
                if client.grant.role < route.role:
                    client.grant.check(route.role, message.type)
                answer = route.handler(client, message)
        except PaddockError as error:
            answer = refusal(error, getattr(message, "id", None))
            if client.grant.role is not Role.SUPERVISOR:
                self.note_refusal(client.name, str(error), client.grant.name)
        except Exception:
            log.exception("request %s of %s failed", message.type, client.name)
            answer = failure(message.type, getattr(message, "id", None))
        self._notice()
        if answer is not None:
            self.send_changes(client)
            client.send(answer)

    @staticmethod
    def _refuse_unknown(message: Message) -> None:
        """Refuse a request that no service of this server handles; ignore what needs no answer."""
        if isinstance(message, m.Hello):
            raise BadMessage("hello: this connection has already been accepted")
        if isinstance(message, m.Request):
            raise Refused(f"{message.type}: this server does not offer it")

    def note_refusal(self, name: str, text: str, about: str) -> None:
        """Tell the services that a request, or a connection from an address (`about`), was refused."""
        for service in self.services:
            service.on_refusal(name, text, about)

    def on_silence(self, client: Client, why: str) -> None:
        """Stop the robots of a client that does not respond or is idle, unless the clock waits for it anyway.

        Real robots also stop during a step: a program that hangs cannot end the step early.
        """
        waits = client.member.locked and not (self.arena.is_real and client.step_id is not None)
        if not waits:
            if client.driven and not client.silent:
                log.warning("%s %s: its robots stop (%s)", client.name, why, ", ".join(client.driven))
            for name in client.driven:
                self.ownership.halt(name)
        client.silent = True

    def drop(self, client: Client) -> None:
        """Remove a disconnected client: stop its robots, remove those that it spawned, and take it out of the lock."""
        if client not in self.clients:
            return
        client.stop_frames()
        for service in self.services:
            service.on_leave(client)
        client.subscriptions.clear()
        self.leave(client)

    @property
    def viewers(self) -> list[Client]:
        """The clients that receive frames."""
        return [client for client in self.clients if client.frames is not None]

    # ---- notifications

    def look_for_changes(self) -> None:
        """Detect robots that another user of the arena has added or removed."""
        self.ownership.catch_up(self.clients)
        self._notice()

    def _notice(self) -> None:
        """Schedule a notification if robots or drivers have changed."""
        if self._sent_changes != self.ownership.changes:
            self._sent_changes = self.ownership.changes
            self.mark_stale("robots")
            self.interventions.note_drivers()

    def mark_stale(self, what: str) -> None:
        """Notify all clients after a short delay, but each client before its next answer or frame."""
        self._news_share = self.shares.current
        for client in self.clients:
            client.stale.add(what)
        if self._news_timer is None:
            self._news_timer = self.loop.call_later(NEWS_DELAY, self._send_changes_to_all)

    def _send_changes_to_all(self) -> None:
        self._news_timer = None
        for client in self.clients:
            self.send_changes(client)

    def send_news(self, what: str) -> None:
        """Notify all clients now, of this and of what else is stale."""
        self._news_share = self.shares.current
        for client in self.clients:
            client.stale.add(what)
            self.send_changes(client)

    def send_changes(self, client: Client) -> None:
        """Notify a client of what is stale."""
        if client.stale:
            self.shares.charge(self._news_share, self._send_stale, client)

    def _send_stale(self, client: Client) -> None:
        stale, client.stale = client.stale, set()
        for what, describe in self._news.items():
            if what in stale and (message := describe(client)) is not None:
                client.send(message)

    # ---- readings for clients

    def push_all(self) -> None:
        """Send all subscriptions now, because a move by hand changes readings even while the clock is stopped."""
        for client in self.clients:
            for subscription in client.subscriptions.values():
                self.push(client, subscription)

    def push(self, client: Client, subscription: Subscription) -> None:
        tick = self.arena.tick
        if client.slow:
            subscription.next = tick + 1
            return
        if subscription.next <= tick:
            subscription.next = max(subscription.next + subscription.every, tick + 1)
        robot, truth = subscription.robot, client.grant.role is Role.SUPERVISOR
        try:
            seen = read_enabled_devices(self.arena, robot, truth=truth, jpeg=subscription.jpeg)
        except (PaddockError, KeyError):
            return  # a program in this process has just removed it; the next `catch_up` detects that
        except Exception:
            log.exception("cannot send to %s the readings of %s", client.name, robot.name)
            return
        client.send(m.Sensed(robot=robot.name, tick=tick, seen=seen, stream=subscription.stream))

    def readings(self, client: Client, handle: Robot) -> m.RobotReadings:
        """Return the current readings of a client's handle, with the ground truth for supervisors."""
        return read_enabled_devices(self.arena, handle, truth=client.grant.role is Role.SUPERVISOR)

    def finish_step(self, client: Client) -> None:
        """Answer the pending step of a client."""
        assert client.step_id is not None
        id, client.step_id = client.step_id, None
        answer: Message
        try:
            robots = {name: self.readings(client, handle) for name, handle in client.handles.items()}
            answer = m.Observed(id=id, tick=self.arena.tick, robots=robots)
        except Exception:
            log.exception("request step of %s failed", client.name)
            answer = failure("step", id)
        self.send_changes(client)
        client.send(answer)

    # ---- jumps

    def reset(self, seed: int | None = None) -> None:
        """Reset the arena."""
        self.arena.reset(seed)
        for service in self.services:
            service.on_reset()
        self.on_jump()

    def change_world(self, world: WorldSpec, seed: int | None, settle: Callable[[], None]) -> None:
        """Open another world at its start; each client is notified before its next answer.

        Drivers keep robots of the same name. Spawned robots are removed. `settle` updates the permissions of clients,
        while the clock is stopped and no request is answered.
        """
        self.arena.change_world(world, seed)
        held, self.clock.held = self.clock.held, True
        self.ownership.spawned.clear()
        self.ownership.catch_up(self.clients)
        try:
            settle()
        finally:
            self.clock.held = held
        self.arena.prepare_sensing(camera=np.empty((1, 1)))
        for client in self.clients:
            client.snapshots.clear()
            for subscription in client.subscriptions.values():
                subscription.choose(client.grant)
        self.__dict__.pop("scene", None)
        self.mark_stale("world")
        self.mark_stale("robots")
        self.on_jump()

    def on_jump(self) -> None:
        """Update commands, services and subscriptions after the arena's clock was set to another time."""
        self.ownership.forget_commands()
        for service in self.services:
            service.on_jump()
        for client in self.clients:
            client.due = self.arena.tick
            for subscription in client.subscriptions.values():
                subscription.next = self.arena.tick
            self.send_changes(client)  # another world has other devices
        self.push_all()
        self.clock.on_jump()

    def on_teleport(self, robots: Iterable[str]) -> None:
        """Update services after robots were moved by hand."""
        for service in self.services:
            service.on_teleport(robots)

    # ---- callbacks of the clock

    def next_tick(self, tick: int) -> float:
        soonest = math.inf
        for client in self.clients:
            if client.subscriptions and client.due < soonest and not client.share.held:
                soonest = client.due
        return max(soonest, tick + 1)

    def before_ticks(self) -> None:
        self.look_for_changes()
        tick = self.arena.tick
        for service in self._before_ticks:
            if tick >= service.due:
                service.before_ticks()
        self.ownership.repeat_commands()

    def after_ticks(self) -> None:
        tick = self.arena.tick
        for service in self._after_ticks:
            if tick >= service.due:
                service.after_ticks()
        for client in self.clients:
            if client.subscriptions and client.due <= tick and not client.share.held:
                self.shares.charge(client.share, self._push_due, client)

    def _push_due(self, client: Client) -> None:
        """Send the due subscriptions, the longest waiting first, until the client's share is used up."""
        tick, share = self.arena.tick, client.share
        hurried = self.clock.speed is not None and not self.clock.lock
        began = time.thread_time()
        due = [subscription for subscription in client.subscriptions.values() if subscription.next <= tick]
        for subscription in sorted(due, key=lambda each: each.next):
            spent = share.add_streamed(tick, time.thread_time() - began)
            began = time.thread_time()
            if self.shares.is_over(share) or (hurried and spent > PUSH_BUDGET):
                break  # one client must not delay the clock
            self.push(client, subscription)
        client.due = min(subscription.next for subscription in client.subscriptions.values())

    def on_clock_change(self) -> None:
        self.mark_stale("clock")

    def _clock_message(self, client: Client) -> m.ClockState:
        return m.ClockState(
            tick=self.arena.tick,
            seed=self.arena.seed if knows_seed(self, client.grant) else None,
            running=self.clock.running and not self.clock.held,
            speed=self.clock.speed or 0.0,
            lock=tuple(member.name for member in self.clock.lock),
        )

    def _remind(self) -> None:
        """Send a keep-alive to clients that wait for a step, also when the clock is slow."""
        self._reminder = self.loop.call_later(REMINDER, self._remind)
        for client in self.clients:
            if client.step_id is not None:
                client.send(self._clock_message(client))
