"""A host's session and a robot's firmware connected by simulated lines, without a world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddock.core.geometry import Pose
from paddock.experiments.ecoli.waypoint_robots import (
    LineQuality,
    OrderEvent,
    OrderFirmware,
    RobotPlan,
    RobotSession,
    SimulatedLine,
)
from paddock.experiments.ecoli.waypoint_robots.frames import write_checked, write_frame
from paddock.testing import BenchRobot

DT = 0.01
START = Pose(0.04, 0.035, 0.0)
SQUARE = ((0.2, 0.1), (0.2, 0.2), (0.1, 0.2), (0.1, 0.1))


class Bench:
    """A single robot: feed it bytes, let it run, and check its output."""

    def __init__(self, dt: float = DT, **firmware: Any) -> None:
        self.robot = BenchRobot(dt, START)
        self.firmware = OrderFirmware(self.robot, dt, **firmware)
        self.time = 0.0

    def tick(self, data: bytes = b"") -> bytes:
        if data:
            self.firmware.receive(data)
        sent = self.firmware.tick()
        self.robot.roll()
        self.time += self.robot.dt
        return sent

    def send(self, data: bytes, seconds: float = 60.0) -> bytes:
        """Return everything that the robot sends until it is idle again."""
        sent = self.tick(data)
        end = self.time + seconds
        while not self.firmware.idle and self.time < end:
            sent += self.tick()
        return sent

    def order(self, text: str) -> str:
        """Return the answer to an order in legacy mode."""
        return self.send(write_frame(text))[1:-1].decode()

    def agree(self, session: int = 5) -> None:
        """Switch the robot to checked mode."""
        assert self.send(write_checked(0, f"K{session}")) == write_checked(0, f"CHECKED({session})")


class Connected:
    """A session and a robot connected by one line per direction."""

    def __init__(self, quality: LineQuality | None = None, *, seed: int = 0, **options: Any) -> None:
        robot = options.pop("robot", {})
        self.events: list[OrderEvent] = []
        self.bench = Bench(**robot)
        self.plan = RobotPlan(name="r", start=START, threshold=6000, targets=options.pop("targets", SQUARE), attempts=2)
        self.session = RobotSession(self.plan, 0.0, on_event=self.events.append, **options)
        quality = quality or LineQuality()
        self.down, self.up = (SimulatedLine(quality, seed=seed, key=key) for key in (0, 1))
        self.up.send(self.bench.firmware.welcome(), 0.0)
        self.transcript: list[tuple[str, bytes]] = []
        self.robot_works = True

    def tick(self) -> None:
        now, session = self.bench.time, self.session
        if data := self.up.receive(now):
            session.receive(data, now)
        session.wake(now)
        if session.wants_reopening:
            session.note_reopened(now)
        self._send(self.down, "host", session.take_output(), now)
        sent = self.bench.tick(self.down.receive(now))
        if self.robot_works:
            self._send(self.up, "robot", sent, now)

    def _send(self, line: SimulatedLine, who: str, data: bytes, now: float) -> None:
        if data:
            self.transcript.append((who, data))
            line.send(data, now)

    def run(self, seconds: float = 600.0, *, until: Callable[[], object] = lambda: False) -> Connected:
        while not self.session.over and self.bench.time < seconds and not until():
            self.tick()
        return self

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]
