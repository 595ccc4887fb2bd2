"""Coordinator: the only module that accesses the robot. It advances the time of the arena."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import msgspec
import numpy as np

from paddock.arena import Arena
from paddock.arena.base_arena import BaseArena
from paddock.arena.robot import Robot
from paddock.core.errors import PaddockError, SpecError, Timeout
from paddock.core.spec import Spec
from paddock.network.client import SERVERS, connect
from paddock.network.client.remote import RemoteArena
from paddock.network.nodes.bus import Bus
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.node import ASK_AGAIN, Module, RoundMerger
from paddock.network.nodes.node_messages import HealthMessage, ModuleMessage, MotorMessage, ResumeMessage, RoundMessage
from paddock.network.nodes.readings import SAME_TIME, make_message
from paddock.network.nodes.show import ModulesShow
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.build import build

COMMAND_AGE = 0.2  # [s] simulated age of a measurement after which commands based on it are rejected
MAX_LATE = 100  # messages handled at most after a tick was due
LATE = 0.5  # [s] delay behind the wall clock beyond which lost time is not caught up


@dataclass(frozen=True, kw_only=True, slots=True)
class CoordinatorOptions(Spec):
    """Options of the coordinator."""

    trace: str | None = None  # CSV file for the true motion of the robot, one line per tick or round


class CoordinatorModule(Module):
    """Opens a world or connects to a remote arena, sends the robot's readings, and sets its wheel speeds."""

    upstream = ("MOTOR",)
    options_class = CoordinatorOptions

    def __init__(self, name: str, spec: ModulesSpec, options: CoordinatorOptions, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        self.arena: BaseArena = open_arena(spec)
        self.robot: Robot = self.arena[spec.robot_name]
        check_kind(spec, self.robot)
        self.robot.enable(*spec.enabled_devices)
        self.stop_times = replace(spec.stop_times, tick=self.arena.dt)
        self.ticks = max(1, round(spec.period / self.arena.dt))
        rounds = max(1, round(spec.seconds / self.arena.dt / self.ticks))
        self.end = (self.arena.tick // self.ticks + rounds) * self.ticks
        self.measured_at = -np.inf  # simulated time of the measurement of the last command that turns wheels [s]
        self.received_at = -np.inf  # monotonic time at which that command was received [s]
        self.final_pose = self.robot.pose  # at the end of the run
        self.contacts = 0  # number of readings during which the robot was in contact
        self.stops = 0  # number of stops because a command was too old
        self.show: ModulesShow | None = None  # display for viewers of a remote arena
        if spec.url is not None:
            self.show = ModulesShow(spec.robot_spec, [entry.name.upper() for entry in spec.modules], bus.send)
            self.arena.monitor.begin({self.robot.name: self.show})
            if isinstance(self.arena, RemoteArena):
                self.arena.claim(self.robot.name)  # goals for the robot are sent here from now on
        self._trace: IO[str] | None = None
        if options.trace is not None:
            self._trace = (Path(spec.folder) / options.trace).open("w", encoding="utf-8", buffering=1)
            self._trace.write("time,wall,x,y,heading,left,right,command_left,command_right,contacts,measured\n")

    @classmethod
    def sources(cls, spec: ModulesSpec) -> frozenset[str] | None:
        return super().sources(spec) if spec.url is None else spec.names

    # ---- messages of other modules

    def _take(self, message: ModuleMessage) -> None:
        if self.show is not None:
            self.show.take(message, self.robot.pose)
        if message.source == "MOTOR" or isinstance(message, ResumeMessage):  # others are only displayed
            super()._take(message)

    def handle(self, message: ModuleMessage) -> None:
        if isinstance(message, MotorMessage) and message.source == "MOTOR":
            scale = self.robot.wheels.max_speed / 100 if message.normalized else 1.0
            wheels = message.left * scale, message.right * scale
            measured_at = message.time if message.time or message.sent else self.arena.time  # AP2DX sends neither
            if self.is_over(wheels, measured_at):
                self.halt()
                return
            self.received_at = time.monotonic()
            if any(wheels):
                self.measured_at = measured_at
            self.robot.wheels.set(*wheels)
            self.health.note_latency(message)

    def is_over(self, wheels: tuple[float, float], measured_at: float) -> bool:
        """Return whether the measurement of a command would be too old in the next tick, or is from before a reset."""
        age = self.arena.time - measured_at
        allowed = min(COMMAND_AGE, self.stop_times.find_hold(wheels))
        return any(wheels) and not -SAME_TIME < age < allowed - SAME_TIME

    def watch_commands(self) -> None:
        """Stop the robot if its last command is too old, by the clock of the measurement."""
        silence = time.monotonic() - self.received_at
        if silence > self.stop_times.stop_within or self.is_over(self.robot.body.command, self.measured_at):
            self.halt()

    def halt(self) -> None:
        """Stop the robot if its command is not zero."""
        if any(self.robot.body.command):
            self.robot.stop()
            self.stops += 1

    # ---- readings of the robot

    def send_readings(self) -> None:
        """Send the readings of all devices, even unchanged ones, because a module may just have started."""
        self.sent, self.round = [], self.arena.tick // self.ticks
        look, now = self.robot.sense(), self.arena.time
        if self.show is not None:
            self.show.store_scan(look)
            self.arena.monitor.give_goals()
            if self.show.has_map:  # earlier requests are answered once there is a map
                self.arena.monitor.show(self.robot.name, self.show)
        if now < self.time:
            self.note_reset(now)
        self.time = now
        self.contacts += bool(self.robot.contacts)
        with self.bus.together():
            for sensor in self.spec.robot_spec.sensors:
                if sensor.name in look.sensors:
                    values = np.asarray(getattr(look, sensor.name), float).reshape(-1).tolist()
                    self.send(make_message(sensor, values, now))
            last = self.arena.tick >= self.end
            self.finish_round(RoundMessage(number=self.round, time=now, last=last))

    def note_reset(self, now: float) -> None:
        """Stop the robot after the arena's clock went back. Modules then restart automatically, except in lock-step."""
        self.robot.stop()
        self.measured_at = -np.inf
        if self.spec.lock_step:
            raise PaddockError(
                f"the arena's clock went back from {self.time:g} s to {now:g} s: in lock-step, restart the modules"
            )

    # ---- time

    def run(self) -> None:
        try:
            self.run_in_lock_step() if self.spec.lock_step else self.run_freely()
            self.send_health()
            self.final_pose = self.robot.pose
        finally:
            self.robot.stop()

    def run_in_lock_step(self) -> None:
        """Advance time by one period whenever the motor has finished the round."""
        merger = RoundMerger(self.name, ("MOTOR",))
        self.send_readings()
        waiting_since = time.monotonic()
        ask_at = waiting_since + ASK_AGAIN
        while not self.ended.is_set():
            message = self.bus.receive(self.wake_period)
            self.wake(time.time())
            if (now := time.monotonic()) >= ask_at:
                ask_at = now + ASK_AGAIN
                self.bus.send(ResumeMessage(destination="MOTOR", number=self.round - 1))
            if now - waiting_since > self.spec.timeout:
                raise Timeout(f"round {self.round}: the motor has not finished it for {self.spec.timeout:g} s")
            for ready in merger.put(message) if message is not None else ():
                self._take(ready)
                if isinstance(ready, RoundMessage) and (ready.source, ready.number) == ("MOTOR", self.round):
                    waiting_since = time.monotonic()
                    ask_at = waiting_since + ASK_AGAIN
                    if ready.last:
                        return
                    self.step(self.ticks)
                    self.send_readings()

    def run_freely(self) -> None:
        """Advance time with the wall clock."""
        self.send_readings()
        paced = self.spec.url is None or urlsplit(self.spec.url).scheme in SERVERS
        tick_at = time.monotonic()
        while not self.ended.is_set() and self.arena.tick < self.end:
            tick_at = max(tick_at + self.arena.dt / self.spec.speed, time.monotonic() - LATE) if paced else 0.0
            late = 0  # messages since the tick was due; their number is limited so that they cannot delay the tick
            while late < MAX_LATE and (message := self.bus.receive(max(0.0, tick_at - time.monotonic()))) is not None:
                self._take(message)
                late += time.monotonic() >= tick_at
            self.watch_commands()
            self.step(1)
            if self.arena.tick % self.ticks == 0:
                self.send_readings()
            self.wake(time.time())

    def step(self, ticks: int) -> None:
        """Advance time, and write the true motion of the robot to the trace."""
        self.arena.step(ticks)
        if self._trace is not None:
            (x, y, heading), (left, right), contacts = self.robot.body.motion()
            rest = *self.robot.body.command, contacts, self.measured_at
            row = self.arena.time, time.time(), x, y, heading, left, right, *rest
            self._trace.write(",".join(f"{value:.6f}" for value in row) + "\n")

    def send_health(self) -> HealthMessage:
        report = super().send_health()
        if self.show is not None:
            self.show.take(msgspec.structs.replace(report, source=self.name, sent=time.time()), self.robot.pose)
        return report

    @property
    def _last_in_round(self) -> None:  # type: ignore[override]
        """None, because rounds of the coordinator end by its own clock."""
        return

    def status(self) -> str:
        return f"t {self.arena.time:.1f} s, contacts {self.contacts}, stopped {self.stops}"

    def close(self) -> None:
        if self._trace is not None:
            self._trace.close()
        self.arena.close()


def check_kind(spec: ModulesSpec, robot: Robot) -> None:
    """Refuse a robot that lacks devices of the configured type, or a type that lacks the configured devices."""
    kind = spec.robot_spec.name
    if unknown := set(spec.enabled_devices) - {sensor.name for sensor in spec.robot_spec.sensors}:
        raise SpecError(
            f"expected the type of the robot {robot.name}, but a {kind} has no {min(unknown)!r}", path="kind"
        )
    if spec.devices is None and (unknown := set(spec.enabled_devices) - {sensor.name for sensor in robot.spec.sensors}):
        raise SpecError(
            f"expected the type of the robot {robot.name}, but it has no {min(unknown)!r}, unlike a {kind}: "
            "or list its devices in `devices`",
            path="kind",
        )


def open_arena(spec: ModulesSpec) -> BaseArena:
    """Open the world of a configuration, or connect to the arena at its URL."""
    if spec.url is None:
        return Arena(build(load_world(spec.place(spec.world))), seed=spec.seed)
    if urlsplit(spec.url).scheme in SERVERS:  # in the lock: if this process hangs, simulated time and the robot stop
        return connect(spec.url, lock_step=True, name="coordinator")
    arena: BaseArena = connect(spec.url, name="coordinator")  # type: ignore
    return arena
