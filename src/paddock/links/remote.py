"""RemoteArena: an arena on a server, with the handles of an arena in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from paddock.arena.base import BaseArena, checked_seed, checked_ticks
from paddock.arena.robot import Robot
from paddock.core import errors
from paddock.core.errors import BadMessage, LinkError, PaddockError, SimulationError, Timeout, UnknownName, shown
from paddock.core.numeric import all_finite
from paddock.core.observation import Command, Observation
from paddock.links.remote_body import RemoteBody, array_of
from paddock.links.wire import Wire, address_of
from paddock.protocol import VERSION
from paddock.protocol import messages as m
from paddock.robots import RobotSpec, load_robot
from paddock.worlds.spec import WorldSpec

A = TypeVar("A", bound=m.Message)
IMAGES = "camera:"  # streams of pictures are called so, with the camera's name


class RemoteArena(BaseArena):
    """Every call ends: with an answer, or with a LinkError within the timeout. Threads may share it."""

    robots: RemoteRobots
    in_lock = False  # whether time waits for us
    _clock: m.Clock | None = None

    def __init__(self, url: str, *, token: str | None, name: str, lock_step: bool | None, timeout: float) -> None:
        if not (all_finite(timeout) and timeout > 0):
            raise LinkError(f"connect: timeout: expected seconds > 0, got {timeout!r}")
        self.url, token_in_url = address_of(url)
        self.timeout = float(timeout)
        self._token, self._name, self._wish = token or token_in_url, name, lock_step
        self._ids = count(1)
        self._news = threading.Condition()
        self._reading = threading.Lock()
        self._answers: dict[int, m.Message] = {}
        self._expected: set[int] = set()
        self._complaint: m.Refused | None = None
        self._sensed: dict[tuple[str, str], m.Sensed] = {}  # the newest of each stream
        self._watched: dict[str, set[str]] = {}  # streams by robot
        self._watcher: threading.Thread | None = None
        self._commanded: dict[str, RemoteBody] = {}
        self._kinds: list[tuple[dict[str, Any], RobotSpec]] = []
        self.robots = RemoteRobots(self)
        self.closed = False
        self._greet()

    def _greet(self) -> None:
        self._wire = Wire(self.url, self.timeout)
        welcome = self.ask(m.Hello(id=0, version=VERSION, name=self._name, token=self._token), m.Welcome)
        self.name, self.role = welcome.client, welcome.role
        self.world = WorldSpec.from_table(welcome.world)
        self._dt, self._tick = welcome.dt, 0
        deadline = time.monotonic() + self.timeout
        self._wait(lambda: self.robots.known and self._clock is not None, deadline, "its list of robots")
        self.in_lock = welcome.lock_step if self._wish is None else self._wish
        if self.in_lock and self.role != "viewer":
            self.ask(m.Lock(id=0, timeout=min(3600.0, self.timeout)))
        else:
            self.in_lock = False

    def reconnect(self) -> None:
        """Connect anew after the connection was lost; robots, enabled devices and watches are as before."""
        self._wire.close()
        self._answers.clear()
        self._clock, self.robots.known = None, False
        self.closed = False
        self._greet()
        for robot in self.robots.handles.values():
            on = tuple(device.name for device in robot.devices.values() if device.enabled)
            if robot.name in self.robots and on:
                self.ask(m.Enable(id=0, robot=robot.name, devices=on))
                for device in robot.devices.values():
                    if device.polled:
                        self.ask(m.PollOnly(id=0, robot=robot.name, device=device.name))
            self.watched(robot)
        self.forget()

    # ---- time

    @property
    def dt(self) -> float:
        return self._dt

    @property
    def seed(self) -> int:
        assert self._clock is not None
        return self._clock.seed

    @property
    def tick(self) -> int:
        return self._tick

    def step(self, n: int = 1) -> None:
        """Let `n` ticks pass: in the lock together with all others in it, else as the server's clock goes."""
        left = checked_ticks(n)
        while True:
            ticks = min(left, m.MOST_TICKS)
            answer = self.ask(m.Step(id=0, ticks=ticks, commands=self.take_commands()), m.Observed, patient=True)
            left -= ticks
            if left == 0:
                break
        self._tick = answer.tick
        for name, seen in answer.robots.items():
            body = self.robots.bodies.get(name)
            if body is not None:
                body.keep(seen, answer.tick, fresh=True)

    def reset(self, seed: int | None = None) -> None:
        self._done(m.Reset(id=0, seed=None if seed is None else checked_seed(seed)))
        self._tick = 0
        self.forget()

    def play(self) -> None:
        """Let the server's clock run."""
        self._done(m.Play(id=0))

    def pause(self) -> None:
        """Stop the server's clock."""
        self._done(m.Pause(id=0))

    def set_speed(self, speed: float | None) -> None:
        """Simulated seconds per second; None for flat out."""
        if speed is not None and not (all_finite(speed) and speed > 0):
            raise SimulationError(f"speed: expected a factor > 0, or None for flat out, got {speed!r}")
        self._done(m.SetSpeed(id=0, speed=speed or 0.0))

    @property
    def running(self) -> bool:
        """Whether the server's clock runs, as far as is known."""
        return self._clock is not None and self._clock.running

    def digest(self) -> str:
        return str(self.ask(m.Digest(id=0), m.Answer).value)

    def snapshot(self) -> int:
        """The number of a copy that the server keeps as long as you are connected; it keeps the last few."""
        return int(self.ask(m.Snapshot(id=0), m.Answer).value)

    def restore(self, snapshot: int) -> None:
        if not isinstance(snapshot, int):
            raise SimulationError(f"restore: expected the number of a snapshot, got {shown(snapshot)}")
        self._done(m.Restore(id=0, snapshot=snapshot))
        self.forget()

    # ---- robots

    def spawn(
        self,
        name: str,
        kind: str | Path | RobotSpec,
        *,
        at: tuple[float, float] | None = None,
        heading: float = 0.0,
        color: str | None = None,
    ) -> Robot:
        spec = kind if isinstance(kind, RobotSpec) else load_robot(kind)
        table = spec.to_table()
        self._done(m.Spawn(id=0, robot=name, kind=table, at=at, heading=heading, color=color))
        return self[name]

    def remove(self, name: str) -> None:
        """Take a robot that you brought along out of the world; leave any other one to others."""
        self._done(m.Leave(id=0, robot=self[name].name))

    def claim(self, name: str, *, force: bool = False) -> Robot:
        """Drive a robot from now on (its first command does so, too); by force, take it from whoever drives it."""
        robot = self[name]
        self._done(m.Claim(id=0, robot=name, force=force))
        return robot

    def owner(self, name: str) -> str:
        """Who drives a robot; an empty text for nobody."""
        return self.robots.info(name).owner

    # ---- commands

    def commanded(self, body: RemoteBody) -> None:
        """A robot was given a command: in the lock it waits for the next step, else it leaves at once."""
        self._commanded[body.name] = body
        if not self.in_lock:
            self._raise_complaint()
            self._wire.send(m.Steer(commands=self.take_commands()))

    def take_commands(self) -> dict[str, Command]:
        """All commands that wait to be sent."""
        if not self._commanded:
            return {}
        bodies, self._commanded = self._commanded, {}
        given = {name: body.take_command() for name, body in bodies.items()}
        return {name: command for name, command in given.items() if command is not None}

    def stands_still(self, tick: int) -> bool:
        """Whether nothing can have changed since a tick."""
        return self.in_lock and tick == self._tick

    def forget(self) -> None:
        """What was seen is no longer so."""
        for body in self.robots.bodies.values():
            body.seen, body.fresh = None, False

    # ---- watching

    def watching(self, robot: str) -> bool:
        """Whether news of a robot's sensors come by themselves."""
        return "" in self._watched.get(robot, ())

    def watched(self, robot: Robot) -> None:
        streams: dict[str, tuple[tuple[str, ...], float]] = {}
        watches = robot.watches
        chosen = tuple(robot.chosen.slots)
        if watches.sensors is not None and chosen:
            streams[""] = (chosen, watches.sensors.period)
        for camera, (schedule, _) in watches.cameras.items():
            streams[IMAGES + camera] = ((camera,), schedule.period)
        for gone in self._watched.get(robot.name, set()) - set(streams):
            self.ask(m.Unsubscribe(id=0, robot=robot.name, stream=gone))
        for stream, (devices, period) in streams.items():
            self.ask(m.Subscribe(id=0, robot=robot.name, devices=devices, period=period, stream=stream))
        self._watched[robot.name] = set(streams)
        if streams and (self._watcher is None or not self._watcher.is_alive()):
            self._watcher = threading.Thread(target=self._watch, name="paddock-watch", daemon=True)
            self._watcher.start()

    def _watch(self) -> None:
        """In the background: read what comes, and tell the observers the newest of it."""
        while not self.closed and any(self._watched.values()):
            with self._news:
                sensed, self._sensed = self._sensed, {}
            for message in sensed.values():
                self._tell(message)
            if not sensed:
                try:
                    self._receive_or_wait(lambda: bool(self._sensed), time.monotonic() + 0.5)
                except Timeout:
                    continue
                except PaddockError:
                    return  # the next call of anyone tells it

    def _tell(self, message: m.Sensed) -> None:
        robot = self.robots.handles.get(message.robot)
        if robot is None:
            return
        if message.stream:
            camera = message.stream.removeprefix(IMAGES)
            robot.watches.show(camera, array_of(message.seen.pictures[camera]))
        else:
            slots, length, _, _ = robot.chosen
            row = np.empty(length)
            there = {name: slot for name, slot in slots.items() if name in message.seen.readings}
            for name, slot in there.items():
                row[slot.first : slot.last] = message.seen.readings[name]
            robot.watches.tell(Observation(message.tick * self._dt, row, there))

    # ---- asking

    def _done(self, request: m.Request) -> None:
        self.ask(request, m.Done)

    def ask(self, request: m.Request, wanted: type[A] = m.Done, *, patient: bool = False) -> A:  # type: ignore[assignment]
        """Send a request and wait for its answer; a patient one waits as long as the server gives signs of life."""
        self._raise_complaint()
        number = next(self._ids) % 2**31
        self._expected.add(number)
        try:
            self._wire.send(replace(request, id=number))
            deadline = None if patient else time.monotonic() + self.timeout
            self._wait(lambda: number in self._answers, deadline, request.type)
        finally:
            self._expected.discard(number)
        answer = self._answers.pop(number)
        if isinstance(answer, m.Refused):
            raise error_of(answer)
        if not isinstance(answer, wanted):
            raise BadMessage(f"{self.url}: expected {wanted.type!r} as answer to {request.type!r}, got {answer.type!r}")
        return answer

    def _wait(self, there: Any, deadline: float | None, what: str) -> None:
        """Read until something is there."""
        while not there():
            try:
                self._receive_or_wait(there, deadline or time.monotonic() + self.timeout)
            except Timeout:
                raise Timeout(f"{self.url}: no answer to {what!r} within {self.timeout:g} s") from None

    def _receive_or_wait(self, there: Any, deadline: float) -> None:
        """Read some messages; or, while another thread reads, wait until it has read some."""
        if self._reading.acquire(blocking=False):
            try:
                if there():
                    return
                for message in self._wire.receive(deadline):
                    self._sort(message)
            finally:
                self._reading.release()
                with self._news:
                    self._news.notify_all()
        else:
            with self._news:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Timeout(self.url)
                if not there():
                    self._news.wait(min(0.05, left))

    def _sort(self, message: m.Message) -> None:
        """Put an arrived message where it belongs."""
        number = getattr(message, "id", None)
        if number is not None:
            if number in self._expected:
                self._answers[number] = message
        elif isinstance(message, m.Sensed):
            with self._news:
                self._sensed[message.robot, message.stream] = message
            body = self.robots.bodies.get(message.robot)
            if body is not None and self.watching(message.robot) and not message.stream:
                body.keep(message.seen, message.tick, fresh=False)
        elif isinstance(message, m.Clock):
            self._clock, self._tick = message, message.tick
        elif isinstance(message, m.Robots):
            self.robots.update(message)
        elif isinstance(message, m.Refused):
            self._complaint = message

    def _raise_complaint(self) -> None:
        complaint, self._complaint = self._complaint, None
        if complaint is not None:
            raise error_of(complaint)

    def kind(self, table: dict[str, Any]) -> RobotSpec:
        """The spec of a kind of robot; each is read once."""
        for known, spec in self._kinds:
            if known == table:
                return spec
        spec = RobotSpec.from_table(table)
        self._kinds.append((table, spec))
        return spec

    def close(self) -> None:
        """Leave: your robots stop, and those you brought along vanish."""
        self.closed = True
        self._wire.close()


class RemoteRobots(Mapping[str, Robot]):
    """The robots of a remote arena by name; handles are made when they are first asked for."""

    def __init__(self, arena: RemoteArena) -> None:
        self._arena = arena
        self._infos: dict[str, m.RobotInfo] = {}
        self._kinds: tuple[dict[str, Any], ...] = ()
        self.handles: dict[str, Robot] = {}
        self.bodies: dict[str, RemoteBody] = {}  # of the handles
        self.known = False

    def update(self, news: m.Robots) -> None:
        """There are other robots now, or other drivers."""
        self._infos = {info.name: info for info in news.robots}
        self._kinds = news.kinds
        self.known = True
        for name in [name for name in self.handles if name not in self._infos]:
            self.bodies.pop(name).gone = True
            del self.handles[name]

    def info(self, name: str) -> m.RobotInfo:
        """Its kind, colour and driver."""
        if not isinstance(name, str) or name not in self._infos:
            raise UnknownName("robot", name, self._infos)
        return self._infos[name]

    def __getitem__(self, name: str) -> Robot:
        handle = self.handles.get(name) if isinstance(name, str) else None
        if handle is None:
            spec = self._arena.kind(self._kinds[self.info(name).kind])
            body = self.bodies[name] = RemoteBody(self._arena, name, spec)
            handle = self.handles[name] = Robot(self._arena, body)
        return handle

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)


def error_of(refusal: m.Refused) -> PaddockError:
    """The error that a refusal tells of, as the server raised it."""
    cls = getattr(errors, refusal.error, None)
    if not (isinstance(cls, type) and issubclass(cls, PaddockError)):
        cls = LinkError
    error = cls.__new__(cls, refusal.message)
    Exception.__init__(error, refusal.message)
    if isinstance(error, UnknownName):
        error.message = refusal.message
    return error
