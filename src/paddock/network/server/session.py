"""Session: an arena, its clients, and the messages to them. `handlers.py` carries out their requests."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from functools import cached_property
from typing import TYPE_CHECKING

from paddock.arena import Arena, Robot
from paddock.arena.referees import Referee
from paddock.core.errors import PaddockError, VersionMismatch
from paddock.core.user_limits import ClassLimits
from paddock.network.protocol import VERSION, Message
from paddock.network.protocol import messages as m
from paddock.network.server import class_handlers  # noqa: F401 enters its requests
from paddock.network.server.access import Role
from paddock.network.server.client import Client, Subscription, check_count, failure, refusal
from paddock.network.server.clock import LAG_REPORT_DELAY, Member, ServerClock
from paddock.network.server.goal_router import GoalRouter
from paddock.network.server.handlers import HANDLERS
from paddock.network.server.heat_manager import HeatManager, HeatSettings
from paddock.network.server.history import RunHistory
from paddock.network.server.interventions import Interventions
from paddock.network.server.map_publisher import MapPublisher
from paddock.network.server.order_status_publisher import ListOrders, OrderStatusPublisher
from paddock.network.server.ownership import Ownership
from paddock.network.server.replay_control import ReplayControl
from paddock.network.server.scoreboard import Scoreboard
from paddock.network.server.shares import ShareLedger
from paddock.network.server.supervision import Supervision
from paddock.network.server.visibility import knows_seed, welcome_of, world_news_of
from paddock.network.server.world_view import readings_of, scene_of
from paddock.report.recordings import ReplayArena

if TYPE_CHECKING:
    from paddock.network.server.classroom import Classroom

NEWS_DELAY = 0.05  # wall seconds in which changes are collected before all clients are notified
PUSH_BUDGET = 0.002  # CPU seconds of a tick for the subscriptions of one share, on a paced clock
MAX_NAMED = 3  # robots named in the log for a lagging client
READMISSION = 10  # times the lock timeout, after which a released client may join the lock again
REMINDER = 1.0  # wall seconds between two keep-alive messages to clients that wait for a step

log = logging.getLogger("paddock.server")


class Session:
    """Connects an arena with its clients, clock and publishers. Runs in the event loop's thread."""

    def __init__(
        self,
        arena: Arena,
        *,
        speed: float | None,
        lock_step: bool,
        limits: ClassLimits,
        referee: Referee | None,
        heats: HeatSettings,
        people: dict[str, str],
        list_orders: ListOrders | None,
    ) -> None:
        self.arena, self.limits = arena, limits
        self.clients: list[Client] = []
        self.ownership = Ownership(arena, people)
        self.clock = ServerClock(arena, self, speed=speed, lock_step=lock_step)
        self.history = RunHistory(arena, self.ownership.list_client_robots)
        self.interventions = Interventions(self)
        self.run: m.RunStatus | None = None  # of the program in this process, if it reports one
        self.viewed, self.restarted = threading.Event(), threading.Event()  # that program waits for these
        self._loop = asyncio.get_running_loop()
        self.shares = ShareLedger(
            self._loop.call_later,
            first=lambda: {client.share for client in self.clients if client.member.locked},
            unpaced=lambda: self.clock.speed is None,
        )
        self._news_share = self._charged = self.shares.nobody  # cause of notifications; charged before the clock
        self._news: asyncio.TimerHandle | None = None
        self._sent_changes = 0  # changes of robots and owners that were sent to all clients, or are scheduled
        self._reminder = self._loop.call_later(REMINDER, self._remind)
        self.scoreboard = Scoreboard(arena, self.clients, people, referee)
        self.heats = HeatManager(self, heats)
        self.map_publisher = MapPublisher(arena.monitor, self.clients, self.ownership)
        self.goals = GoalRouter(arena.monitor, self.ownership)
        self.replay = ReplayControl(self, arena) if isinstance(arena, ReplayArena) else None
        self.supervision = Supervision(self)
        self.classroom: Classroom | None = None  # of the served class
        self._order_publisher = OrderStatusPublisher(self.clients, list_orders) if list_orders is not None else None

    @cached_property
    def scene(self) -> m.SceneData:
        """All that is drawn except the robots; computed again for another world."""
        return scene_of(self.arena)

    def close(self) -> None:
        """Stop the clock and all timers."""
        for timer in (self._reminder, self._news):
            if timer is not None:
                timer.cancel()
        for part in (self.heats, self.scoreboard, self.map_publisher, self._order_publisher, self.classroom):
            if part is not None:
                part.close()
        self.clock.close()

    # ---- connections and requests

    def admit(self, client: Client, hello: m.Hello) -> None:
        """Accept a client and send it the current state."""
        if hello.version != VERSION:
            raise VersionMismatch(
                f"hello.version: this server has protocol version {VERSION}, you have {hello.version}: "
                "install the same release of Paddock on both sides"
            )
        check_count("connections", client, len(client.share.connections) + 1, self.limits.connections)
        self.supervision.name(client)
        client.wants_events, client.shows = hello.events, hello.shows
        self.clients.append(client)
        if self.classroom is not None:
            self.classroom.on_join(client)
        client.send(welcome_of(self, client, hello.id))
        client.send(self.ownership.robot_list(client))
        if self.run is not None:
            client.send(self.run)
        if self.replay is not None:
            client.send(self.replay.timeline())
        client.send(self._clock_message(client))
        if self.heats.phase != "none":
            client.send(self.heats.message(client))

    def handle(self, client: Client, message: Message) -> None:
        """Carry out a request of a client; errors are sent to that client only."""
        client.silent, client.last_request_at = False, self._loop.time()
        answer: Message | None
        try:
            self.ownership.catch_up(self.clients)
            answer = HANDLERS[type(message)](self, client, message)
        except PaddockError as error:
            answer = refusal(error, getattr(message, "id", None))
            if self.classroom is not None:
                self.classroom.on_refusal(client, str(error))
        except Exception:
            log.exception("request %s of %s failed", message.type, client.name)
            answer = failure(message.type, getattr(message, "id", None))
        self._notice()
        if answer is not None:
            self.send_changes(client)
            client.send(answer)

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
        self.clients.remove(client)
        client.stop_frames()
        if self.classroom is not None:
            self.classroom.on_leave(client)
        client.subscriptions.clear()
        try:
            self.ownership.catch_up([*self.clients, client])
            self.ownership.give_up(client.driven, self.clients)
            self.goals.drop(client)
            self._notice()
        finally:
            self.clock.leave(client.member)

    def unique(self, name: str) -> str:
        """Return a client name that is not in use and is not the name of another student."""
        taken = {client.name for client in self.clients} | {*self.ownership.people.values()} - {name}
        return next(n for n in (name, *(f"{name}-{i}" for i in range(2, len(taken) + 3))) if n not in taken)

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
        if self._news is None:
            self._news = self._loop.call_later(NEWS_DELAY, self._send_changes_to_all)

    def _send_changes_to_all(self) -> None:
        self._news = None
        for client in self.clients:
            self.send_changes(client)

    def send_changes(self, client: Client) -> None:
        if client.stale:
            news, client.stale = client.stale, set()
            before = self.shares.switch(self._news_share)
            if "world" in news:
                client.send(world_news_of(self, client))
            if "robots" in news:
                client.send(self.ownership.robot_list(client))
            if "run" in news and self.run is not None:  # before the clock, so that no client takes the seed of a
                client.send(self.run)  # new run for that of the ended run, or its stopped clock for a pause
            if "timeline" in news and self.replay is not None:
                client.send(self.replay.timeline())
            if "clock" in news:
                client.send(self._clock_message(client))
            self.shares.switch(before)

    # ---- the run of a program in this process

    def set_run(self, status: m.RunStatus) -> None:
        """Send the state of the run to all clients; stop the clock if the run has ended."""
        self.run = status
        if self.has_ended:
            self.restarted.clear()
            self.clock.set_running(False)
        self.mark_stale("run")

    @property
    def has_ended(self) -> bool:
        """Whether a program waits for `run_again`."""
        return self.run is not None and self.run.again and self.run.state != "running"

    def run_again(self, seed: int | None) -> None:
        """Reset the arena and restart the run of the program that waits for this."""
        self.arena.reset(seed)
        self.on_jump()
        self.set_run(m.RunStatus(state="running"))
        self.clock.set_running(True)
        self.restarted.set()

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
            seen = readings_of(self.arena, robot, truth=truth, jpeg=subscription.jpeg)
        except (PaddockError, KeyError):
            return  # a program in this process has just removed it; the next `catch_up` detects that
        except Exception:
            log.exception("cannot send to %s the readings of %s", client.name, robot.name)
            return
        client.send(m.Sensed(robot=robot.name, tick=tick, seen=seen, stream=subscription.stream))

    def readings(self, client: Client, handle: Robot) -> m.RobotReadings:
        """Return the current readings of a client's handle, with the ground truth for supervisors."""
        return readings_of(self.arena, handle, truth=client.grant.role is Role.SUPERVISOR)

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

    def on_jump(self) -> None:
        """Update commands, history and subscriptions after the arena's clock was set to another time."""
        self.ownership.forget_commands()
        self.history.clear()
        for client in self.clients:
            client.due = self.arena.tick
            for subscription in client.subscriptions.values():
                subscription.next = self.arena.tick
            self.send_changes(client)  # another world has other devices
        self.push_all()
        self.clock.on_jump()

    # ---- callbacks of the clock

    def next_tick(self, tick: int) -> float:
        soonest = tick + 1 if self.heats.phase == "running" else math.inf  # it may end and stop the clock at any tick
        for client in self.clients:
            if client.subscriptions and client.due < soonest and not client.share.held:
                soonest = client.due
        return max(soonest, tick + 1)

    def before_ticks(self) -> None:
        self._charged = self.shares.current
        if self._charged is not self.shares.clock:
            self.shares.switch(self.shares.clock)
        self.look_for_changes()
        if not self.history.samples:
            self.history.sample()
        self.ownership.repeat_commands()

    def after_ticks(self) -> None:
        if self.replay is not None:
            self.replay.after_ticks()
        if self.arena.tick >= self.history.due:
            self.history.sample()
        tick = self.arena.tick
        for client in self.clients:
            if client.subscriptions and client.due <= tick and not client.share.held:
                self._push_due(client)
        if self._charged is not self.shares.clock:
            self.shares.switch(self._charged)

    def _push_due(self, client: Client) -> None:
        """Send the due subscriptions, the longest waiting first, until the client's share is used up."""
        tick, share = self.arena.tick, client.share
        hurried = self.clock.speed is not None and not self.clock.lock
        before, began = self.shares.switch(share), time.thread_time()
        due = [subscription for subscription in client.subscriptions.values() if subscription.next <= tick]
        for subscription in sorted(due, key=lambda each: each.next):
            spent = share.add_streamed(tick, time.thread_time() - began)
            began = time.thread_time()
            if self.shares.is_over(share) or (hurried and spent > PUSH_BUDGET):
                break  # one client must not delay the clock
            self.push(client, subscription)
        client.due = min(subscription.next for subscription in client.subscriptions.values())
        self.shares.switch(before)

    def report_lag(self, member: Member) -> None:
        log.warning("the clock waits for %s: no step for %g s", self._who(member), LAG_REPORT_DELAY)

    def report_resumed(self, member: Member) -> None:
        log.warning("%s continues", self._who(member))

    def on_release(self, member: Member, reason: str) -> None:
        robots = self._robots_of(member)
        for name in robots:
            self.ownership.halt(name)
        share = next((client.share for client in self.clients if client.member is member), None)
        log.warning("released %s from the lock: %s", self._who(member), reason)
        for client in self.clients:
            client.send(m.Released(client=member.name, robots=robots, reason=reason))
        if share is not None:
            share.readmitted = self._loop.time() + READMISSION * self.limits.lock_timeout
            for client in self.clients:  # the others must not wait for each client of the same token in turn
                if client.share is share and client.member.locked and client.member.waiting is None:
                    self.clock.release(client.member, reason)

    def _robots_of(self, member: Member) -> tuple[str, ...]:
        return next((tuple(client.driven) for client in self.clients if client.member is member), ())

    def _who(self, member: Member) -> str:
        """Return a member of the lock with its robots, for log messages."""
        robots = self._robots_of(member)
        first = ", ".join(robots[:MAX_NAMED]) + (", …" if len(robots) > MAX_NAMED else "")
        return f"{member.name} (driving {first})" if first else member.name

    def on_clock_change(self) -> None:
        self.mark_stale("clock")

    def _clock_message(self, client: Client) -> m.ClockState:
        return m.ClockState(
            tick=self.arena.tick,
            seed=self.arena.seed if knows_seed(self, client) else None,
            running=self.clock.running and not self.clock.held,
            speed=self.clock.speed or 0.0,
            lock=tuple(member.name for member in self.clock.lock),
        )

    def _remind(self) -> None:
        """Send a keep-alive to clients that wait for a step, also when the clock is slow."""
        self._reminder = self._loop.call_later(REMINDER, self._remind)
        for client in self.clients:
            if client.step_id is not None:
                client.send(self._clock_message(client))
