"""RemoteArena: an arena on a server, with the handles of an arena in this process."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import count
from typing import Any, TypeVar

from paddock.arena.base_arena import SimulatedArena
from paddock.arena.robot import Robot
from paddock.core.argument_checks import all_finite, check_seed, check_ticks
from paddock.core.errors import (
    BadMessage,
    LinkError,
    Refused,
    SimulationError,
    UnknownName,
    VersionMismatch,
    format_value,
)
from paddock.core.observation import Command
from paddock.core.user_code import received_data
from paddock.network.client.dialogue import Dialogue, Steering
from paddock.network.client.program_end import note_open, send_program_end
from paddock.network.client.remote_body import RemoteBody, RemoteRobots, list_sensed_devices
from paddock.network.client.remote_monitor import RemoteMonitor
from paddock.network.client.watcher import SENSORS, RemoteWatcher, choose_streams
from paddock.network.client.wire import WebSocketWire, choose_token, parse_address
from paddock.network.protocol import MINOR, VERSION
from paddock.network.protocol import messages as m
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds.world_spec import WorldSpec

A = TypeVar("A", bound=m.Message)
SLICE = 0.2  # approximate wall seconds per part of a long step, so that Ctrl-C can interrupt it
FIRST_SLICE = 64  # ticks
log = logging.getLogger("paddock.links")


class RemoteArena(SimulatedArena):
    """An arena on a server. Every call returns, or raises a LinkError within the timeout. Threads may share it."""

    robots: RemoteRobots
    dialogue: Dialogue

    def __init__(self, url: str, *, token: str | None, name: str, lock_step: bool | None, timeout: float) -> None:
        super().__init__()
        self.url, token_in_url = parse_address(url)
        self.timeout = float(timeout)
        self._token, self._name, self._lock_step = choose_token(token or token_in_url), name, lock_step
        self.name = name  # as others see it; the server may change it
        self._clock: m.ClockState | None = None
        self._ids, self._tick = count(1), 0
        self.in_lock = self.held = False  # whether this client has joined the lock; whether time waits for it
        self._stepping = threading.Lock()  # one step at a time
        self._step_under_way: int | None = None  # number of its request
        self.steering = Steering(self)
        self.changes = 0  # counts changes that robots can see without a tick
        self._lights: dict[int, dict[str, tuple[dict[str, float], tuple[float, float]]]] = {}  # by snapshot
        self.robots, self.watcher, self.closed = RemoteRobots(self), RemoteWatcher(self), False
        self._greet()

    def _greet(self) -> None:
        self.dialogue = Dialogue(WebSocketWire(self.url, self.timeout), self._on_message)
        try:
            number, name, token = self.number(), self._name, self._token
            hello = m.Hello(id=number, version=VERSION, minor=MINOR, name=name, token=token, events=True, shows=True)
            welcome = self.ask(hello, m.Welcome)
            if welcome.version != VERSION:
                raise VersionMismatch(
                    f"{self.url}: this client has protocol version {VERSION}, the server {welcome.version}: "
                    "install the same release of Paddock on both sides"
                )
            self.server_minor, self.dialogue.wire.newer = welcome.minor, welcome.minor > MINOR
            self.name, self.role = welcome.client, welcome.role
            self.world, self._dt = _read_world(welcome.world), welcome.dt
            self.dialogue.wait(lambda: self.robots.known and self._clock is not None, "hello")
            if welcome.waits:
                log.warning("%s", welcome.waits)
                # A heat sends a message every second.
                self.dialogue.wait(lambda: not self._waits, "hello", while_alive=True)
            self.in_lock = (welcome.lock_step if self._lock_step is None else self._lock_step) and self.role != "viewer"
            if self.in_lock:
                self._do(m.Lock(id=self.number(), timeout=min(3600.0, self.timeout)))
            if self.tick:
                self.disturb("time had passed before this program connected")
            note_open(self)
        except BaseException:
            self.dialogue.wire.close()
            raise

    def reconnect(self) -> None:
        """Connect again after the connection was lost. Handles, enabled devices, watches and the lock are restored.

        Robots that this client had spawned no longer exist: spawn them again.
        """
        self.dialogue.wire.close()
        self._clock, self.steering.pending_error, self._step_under_way = None, None, None
        self.robots.known = self.in_lock = self.held = False
        self.forget()
        self._greet()
        self.closed = False
        for robot in self.robots.handles:
            self.watcher.switch_on_again(robot)
        for name in self.steering.driven & set(self.robots):
            self.claim(name)

    @cached_property
    def monitor(self) -> RemoteMonitor:
        """Maps and estimates that running controllers publish, and the goals that users send to them."""
        return RemoteMonitor(lambda message: self.dialogue.wire.send(message))

    @property
    def connected(self) -> bool:
        with contextlib.suppress(LinkError):
            self.dialogue.catch_up()
        return self.dialogue.wire.connected

    # ---- time

    @property
    def nondeterminism(self) -> str:
        return self.steering.nondeterminism

    @property
    def dt(self) -> float:
        return self._dt

    @property
    def seed(self) -> int:
        assert self._clock is not None
        return self._clock.seed or 0  # the server does not send it to students

    @property
    def tick(self) -> int:
        return self._tick

    def step(self, n: int = 1) -> None:
        """Wait for `n` ticks: in lock-step with all clients in the lock, else at the speed of the server's clock."""
        if n == 1:  # the most common case
            self._step(1)
            return
        left = check_ticks(n)
        most = FIRST_SLICE if self.in_lock else m.MAX_TICKS  # outside the lock, time would continue between two parts
        while True:
            ticks, began = min(left, most), time.monotonic()
            self._step(ticks)
            left -= ticks
            if left == 0:
                return
            took = time.monotonic() - began
            most = max(1, min(4 * most, int(most * SLICE / max(took, 1e-3)), m.MAX_TICKS))

    def _step(self, ticks: int) -> None:
        with self._stepping:
            self.raise_trouble()
            if self._step_under_way is not None:  # an earlier call stopped waiting for it
                try:
                    self.dialogue.wait(lambda: self._step_under_way is None, "step", while_alive=True)
                finally:
                    self._step_under_way = None
            with self.steering.mutex:
                commands = self.steering.take()
                request = self._send_step(ticks, commands)
            try:
                self._answer(request, m.Observed, while_alive=True)
            except (Refused, UnknownName):
                mine = {name: command for name, command in commands.items() if not self.steering.is_lost(name)}
                if len(mine) == len(commands):
                    raise
                with self.steering.mutex:
                    request = self._send_step(ticks, mine)
                self._answer(request, m.Observed, while_alive=True)
            self.steering.raise_pending_error()

    def _send_step(self, ticks: int, commands: dict[str, Command]) -> m.Step:
        request = m.Step(id=self.number(), ticks=ticks, commands=commands)
        self._step_under_way = request.id
        self.dialogue.ask(request)
        return request

    def update_time(self) -> None:
        if not self.held:
            self._step(0)

    def reset(self, seed: int | None = None) -> None:
        self._do(m.Reset(id=self.number(), seed=None if seed is None else check_seed(seed)))
        self.forget()
        self._light({})
        self.note_event("reset", text="reset" if seed is None else f"reset with seed {seed}")

    def play(self) -> None:
        """Let the server's clock run."""
        self._do(m.Play(id=self.number()))
        self.note_event("resume", text="let the clock run")

    def pause(self) -> None:
        """Stop the server's clock."""
        self._do(m.Pause(id=self.number()))
        self.note_event("pause", text="stopped the clock")

    def advance(self, n: int = 1) -> None:
        """Let the server's paused clock run for `n` ticks. Return immediately."""
        self._do(m.Advance(id=self.number(), ticks=check_ticks(n)))

    def set_speed(self, speed: float | None) -> None:
        """Set the speed of the clock [simulated seconds per second]; None for as fast as possible."""
        if speed is not None and not (all_finite(speed) and speed > 0):
            raise SimulationError(f"speed: expected a factor > 0, or None for as fast as possible, got {speed!r}")
        self._do(m.SetSpeed(id=self.number(), speed=speed or 0.0))
        self.note_event("speed", text=f"set the speed to {'as fast as possible' if speed is None else f'{speed:g} ×'}")

    @property
    def running(self) -> bool:
        """Whether the server's clock runs, according to its last message."""
        return self._clock is not None and self._clock.running

    def digest(self) -> str:
        if self.role != "supervisor":  # every run calls this; refusals would fill the server's log
            raise Refused(f"digest: only a supervisor may do that, and you are a {self.role}")
        return str(self.ask(m.Digest(id=self.number()), m.Answer).value)

    def snapshot(self) -> int:
        """Return the number of a snapshot on the server, which keeps the last few while this client is connected."""
        number = int(self.ask(m.TakeSnapshot(id=self.number()), m.Answer).value)
        lights = {body.name: (dict(body.lights), body.sound) for body in self.robots.bodies}
        self._lights = dict(list(self._lights.items())[-63:]) | {number: lights}
        return number

    def restore(self, snapshot: int) -> None:
        if not isinstance(snapshot, int) or isinstance(snapshot, bool):
            raise SimulationError(f"restore: expected a snapshot, got {format_value(snapshot)}")
        self._do(m.Restore(id=self.number(), snapshot=snapshot))
        self.forget()
        self._light(self._lights.get(snapshot, {}))
        self.note_event("restore", text="restored a snapshot")

    def _light(self, lights: dict[str, tuple[dict[str, float], tuple[float, float]]]) -> None:
        """Set the state of LEDs and speakers after a jump in time, because no message reports it."""
        for body in self.robots.bodies:
            body.lights, body.sound = lights.get(body.name, (dict.fromkeys(body.spec.leds, 0.0), (0.0, 0.0)))

    # ---- robots

    def _spawn(
        self, name: str, spec: RobotSpec, at: tuple[float, float] | None, heading: float, color: str | None
    ) -> None:
        request = m.Spawn(
            id=self.number(), robot=name, kind=spec.to_table(), at=at and (at[0], at[1]), heading=heading, color=color
        )
        self._do(request)
        self.forget()
        self.note_event("spawn", name, f"{name} was spawned")

    def remove(self, name: str) -> None:
        """Remove a robot that this client has spawned. Its handle becomes invalid."""
        if not self.robots.info(name).spawned:
            raise Refused(f"remove: robot {name!r} belongs to the world; release_robot({name!r}) releases it to others")
        self.release_robot(name)
        self.note_event("remove", name, f"{name} was removed")

    def release_robot(self, name: str) -> None:
        """Release a robot: it stops, and others may drive it. A robot that this client has spawned is removed."""
        self._do(m.ReleaseRobot(id=self.number(), robot=self[name].name))
        self.steering.forget(name)
        self.forget()

    def claim(self, name: str, *, force: bool = False) -> Robot:
        """Become the driver of a robot; its first command does so, too. With `force`, take over from another driver."""
        robot = self[name]
        self._do(m.Claim(id=self.number(), robot=name, force=force))
        return robot

    def send_goal(self, name: str, x: float, y: float) -> None:
        """Send a goal [m] to the controller that drives a robot, in any process. `Refused` contains the reason."""
        self._do(m.SendGoal(id=self.number(), robot=self[name].name, x=x, y=y))

    def owner(self, name: str) -> str:
        """Name of the client that drives a robot; empty if there is none."""
        return self.robots.info(name).owner

    # ---- requests

    def number(self) -> int:
        """Return a new number for a request."""
        return next(self._ids) % 2**31

    def _do(self, request: m.Request) -> None:
        self.ask(request, m.Done)

    def ask(self, request: m.Request, cls: type[A]) -> A:
        """Send the queued commands and then a request, and wait for its answer."""
        self.raise_trouble()
        with self.steering.mutex:
            self.steering.send()
            self.dialogue.ask(request)
        answer = self._answer(request, cls)
        self.steering.raise_pending_error()  # refusals of the commands arrive before the answer
        return answer

    def _answer(self, request: m.Request, cls: type[A], *, while_alive: bool = False) -> A:
        answer = self.dialogue.answer(request, while_alive=while_alive)
        if not isinstance(answer, cls):
            raise BadMessage(f"{self.url}: expected {cls.type!r} as answer to {request.type!r}, got {answer.type!r}")
        return answer

    def raise_trouble(self) -> None:
        """Raise an error that occurred since the last call: a refused command, or an observer's exception."""
        self.steering.raise_pending_error()
        if self.watcher.errors and threading.current_thread() is not self.watcher.thread:
            raise self.watcher.errors.pop(0)

    # ---- received messages, in the thread that reads

    def _on_message(self, message: m.Message) -> None:
        if isinstance(message, m.Observed):
            self._tick = message.tick
            stepped = message.id == self._step_under_way
            for name, seen in message.robots.items():
                body = self.robots.body(name)
                if body is not None:
                    body.keep(seen, message.tick, stepped=stepped)
            if stepped:
                self._step_under_way = None
        elif isinstance(message, m.Sensed):
            self._tick = message.tick
            self._on_sensed(message)
        elif isinstance(message, m.ClockState):
            self._on_clock(message)
        elif isinstance(message, m.RobotList):
            self.changes += 1  # the robots may see different neighbours
            self.steering.on_drivers(message)
            for name in self.robots.update(message):
                self.watcher.forget(name)
        elif isinstance(message, m.WorldUpdate):
            self.world = _read_world(message.world)
            self.robots.new_world = message.exercise or self.world.name
            self.forget()
        elif isinstance(message, m.Welcome | m.HeatState):
            self._waits = bool(message.waits)  # until the heat ends
        elif isinstance(message, m.EventUpdate):
            self.steering.on_event(message)
        elif isinstance(message, m.ShowRequested | m.GoalRequested):
            self.monitor.on_message(message)
        elif isinstance(message, m.Released):
            self.steering.on_release(message)
        elif isinstance(message, m.RunStatus):
            self.steering.has_rival = message.state == "running"
        elif isinstance(message, m.Refusal):
            if message.id is None:
                self.steering.pending_error = self.steering.pending_error or message
            elif message.id == self._step_under_way:
                self._step_under_way = None

    def _on_sensed(self, message: m.Sensed) -> None:
        self.watcher.on_sensed(message)
        body = self.robots.body(message.robot)
        if body is None or self.held or not self.watcher.watches(message.robot, message.stream):
            return
        if message.stream == SENSORS:
            body.keep(message.seen, message.tick)
        else:
            for camera, picture in message.seen.pictures.items():
                body.keep_picture(camera, picture)

    def _on_clock(self, clock: m.ClockState) -> None:
        before = self._clock
        if before is not None and (clock.tick < self._tick or clock.seed != before.seed):  # it was reset
            self.forget()
        self._clock, self._tick = clock, clock.tick
        self.held = self.in_lock and self.name in clock.lock

    def forget(self) -> None:
        """Discard all cached readings."""
        for body in self.robots.bodies:
            body.forget()

    # ---- watching

    def update_watch(self, robot: Robot) -> None:
        self.watch(robot, list_sensed_devices(robot))

    def watch(self, robot: Robot, on: Collection[str]) -> None:
        """Subscribe to the enabled devices that a robot's observers need."""
        if isinstance(robot.body, RemoteBody):
            self.watcher.follow(robot, choose_streams(robot, on))

    def close(self, error: BaseException | None = None) -> None:
        """Disconnect. The robots of this client stop, and those that it has spawned are removed.

        Args:
            error: error that ended the program, for the server. Default: the one that is being handled.
        """
        if not self.closed:
            send_program_end(self, error or sys.exc_info()[1])
        self.closed = True
        self.dialogue.wire.close()
        for error in self.watcher.errors:
            log.error("an observer failed", exc_info=error)
        self.watcher.errors.clear()


def _read_world(table: Mapping[str, Any]) -> WorldSpec:
    """Return the world of a server; it may not name files of this machine."""
    with received_data("a server"):
        return WorldSpec.from_table(table)
