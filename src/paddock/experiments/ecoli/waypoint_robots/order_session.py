"""RobotSession: the walk of one robot at the host: connect, set position, heading and threshold, drive to targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose, wrap
from paddock.core.reason import explain
from paddock.experiments.ecoli.waypoint_robots import texts
from paddock.experiments.ecoli.waypoint_robots.conversation import Conversation, ConversationRunner, LinkStatistics
from paddock.experiments.ecoli.waypoint_robots.driving import TRIES, allow_seconds, estimate_seconds
from paddock.experiments.ecoli.waypoint_robots.host_end import HostEnd, HostTiming, RobotLost
from paddock.experiments.ecoli.waypoint_robots.texts import CM, FARTHEST, Order, Reply, write_reply

BACK = 0.01  # [m], allowed distance of a robot from its start before a walk
CLOSE = 0.005  # [m], distance of a measured pose from the target above which the robot drives the rest
LOOKS = 0.05  # [s] between two checks whether the pose was measured

EventKind = Literal[
    "connected",
    "elsewhere",
    "set",
    "corrected",
    "unseen",
    "detected",
    "done",
    "failed",
    "resend",
    "reopened",
    "lost",
    "finished",
    "stopped",
    "drives on",
]


class OrderEvent(NamedTuple):
    """An event of a walk."""

    time: float  # [s]
    robot: str
    kind: EventKind
    order: int | None = None  # number of the waypoint, from 0
    text: str = ""  # the mode, the reply, or the error


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotPlan:
    """Settings and targets of a robot's walk."""

    name: str
    start: Pose  # start pose [m, rad]
    threshold: float  # for the sum of two proximity sensors
    targets: Sequence[Point] = ()  # [m]
    avoiding: bool = True  # orders O; else G
    attempts: int = 5  # maximum number of orders for one target
    tries: int = TRIES  # tries of the robot per order, for the timeout
    asks_where: bool = False  # whether to request the estimated pose first; the robot may not be back at its start
    needs_checked: bool = False  # whether to give up a robot that does not support checked mode
    light_sensitivity: float = 0.0  # of its proximity sensors, for checked mode: it then ignores ambient light
    is_measured: bool = False  # whether its pose is measured from outside after each drive, and corrected

    def __post_init__(self) -> None:
        for number in (*self.start, self.threshold, *(axis for target in self.targets for axis in target)):
            if not math.isfinite(number):
                raise PaddockError(f"plan of {self.name}: expected finite numbers, got {number!r}")
        for number in (*self.start[:2], *(axis for target in self.targets for axis in target)):
            if abs(number) > FARTHEST * CM:
                raise PaddockError(f"plan of {self.name}: expected metres up to {FARTHEST * CM:g}, got {number!r}")
        if self.attempts < 1:
            raise PaddockError(f"plan of {self.name}: attempts: expected 1 or more, got {self.attempts}")


class ReportedDetection(NamedTuple):
    """A detection as reported by a robot in checked mode."""

    order: int  # number of the waypoint, from 0
    pose: Pose  # estimated by the robot [m, rad]
    proximity: tuple[float, ...]  # raw readings of the eight sensors
    light: tuple[float, ...]  # … and of the light sensors; empty if there are none


@dataclass(kw_only=True, slots=True)
class WalkResult:
    """Result of a walk, as reported by the robot."""

    mode: str = ""  # "legacy" or "checked"
    done: int = 0  # orders that were carried out
    failed: int = 0
    reached: list[Point | None]  # position after each order [m], as estimated or measured; None if the order failed
    began: float | None = None  # time of the first drive [s]
    ended: float | None = None  # … and of the end of the last one, unless the robot was lost
    detected: list[ReportedDetection] = field(default_factory=list)  # of this walk, in checked mode
    moving_time: float | None = None  # [s]
    detections: int | None = None
    lost: str = ""  # why the robot was given up; empty if it was not


class RobotSession:
    """The walk of one robot, without I/O. Takes bytes and times, returns bytes, events and the next deadline."""

    def __init__(
        self,
        plan: RobotPlan,
        now: float = 0.0,
        *,
        session: int = 1,
        checked: bool = True,
        patient: bool = False,
        timing: HostTiming | None = None,
        on_event: Callable[[OrderEvent], object] = lambda event: None,
    ) -> None:
        """
        Args:
            plan: settings and targets of the robot.
            now: time at which the line was opened [s]; from any clock, but always from the same one.
            session: a number that is unique among the sessions with this robot.
            checked: request checked mode.
            patient: behave like the host of 2012, which waits permanently and accepts any answer.
            timing: timeouts otherwise.
            on_event: called with each event.
        """
        self.plan, self.result, self._on_event = plan, WalkResult(reached=[]), on_event
        self._end = HostEnd(session=session, checked=checked, patient=patient, timing=timing)
        self._end.now = now
        self._pose = plan.start  # expected pose of the robot
        self._resends = 0
        self._known = 0  # detections that the robot has counted and this session has asked for
        self.wants_pose = False  # whether the pose must be measured; call `note_pose` afterwards
        self._measured: Pose | None = None
        self._runner = ConversationRunner(self._end, self._walk(), now)

    # ---- interface to the owner of the line

    @property
    def deadline(self) -> float:
        """Time at which `wake` must be called [s]."""
        return self._runner.deadline

    @property
    def over(self) -> bool:
        """Whether the walk has ended."""
        return self._runner.over

    @property
    def pose(self) -> Pose:
        """Pose of the robot after its last reply [m, rad]."""
        return self._pose

    @property
    def statistics(self) -> LinkStatistics:
        """Statistics of the line."""
        return self._end.statistics

    @property
    def stop_bytes(self) -> bytes:
        """Bytes with which a watchdog can stop the robot; empty if that is impossible."""
        return self._end.stop_bytes

    @property
    def wants_reopening(self) -> bool:
        """Whether the line should be closed and opened again; call `note_reopened` afterwards."""
        return self._end.wants_reopening

    def receive(self, data: bytes, now: float) -> None:
        """Process bytes from the robot."""
        self._runner.receive(data, now)
        self._report_resends()

    def wake(self, now: float) -> None:
        """Continue the walk at the deadline."""
        self._runner.wake(now)
        self._report_resends()

    def take_output(self) -> bytes:
        """Remove and return the bytes to send."""
        return self._runner.take_output()

    def note_reopened(self, now: float) -> None:
        """Record that the line was opened again."""
        self._end.wants_reopening = False
        self._end.now = max(now, self._end.now)
        self._report("reopened")

    def note_pose(self, pose: Pose | None, reason: str = "") -> None:
        """Record the pose measured from outside; None and the reason if that failed."""
        self.wants_pose, self._measured = False, pose
        if pose is None:
            self._report("unseen", text=reason)

    def give_up(self, reason: str) -> None:
        """End the walk because of a failed line. `take_output` then contains a stop, if the robot still receives it."""
        if not self.over:
            self._runner.stop()
            self._end.send_stop()
            self._lose(reason)

    def halt(self, now: float) -> None:
        """Stop the robot and end the walk. A robot in legacy mode continues, because it does not read while driving."""
        if self.over:
            return
        self._runner.stop()
        if self.result.mode == "checked":
            self._runner = ConversationRunner(self._end, self._stop(), now)
        else:
            self._report("drives on" if self.result.mode else "stopped")

    def _stop(self) -> Conversation[None]:
        try:
            yield from self._end.ask(Order("S"))
            self._report("stopped")
        except RobotLost as error:
            self._lose(error.args[0])

    # ---- the walk

    def _walk(self) -> Conversation[None]:
        try:
            self.result.mode = yield from self._end.connect()
            self._report("connected", text=self.result.mode)
            if self.plan.needs_checked and self.result.mode != "checked":
                raise RobotLost(explain("it does not support checked mode, which was requested"))
            if self.plan.asks_where:
                yield from self._ask_where()
            yield from self._set()
            yield from self._correct()
            if self._asks_for_detections:
                self._known = int((yield from self._end.ask(Order("U"))).numbers[0])
            self.result.began = self._end.now
            for number, target in enumerate(self.plan.targets):
                yield from self._go(number, target)
            self.result.ended = self._end.now
            time = yield from self._end.ask(Order("T"))
            met = yield from self._end.ask(Order("U"))
            self.result.moving_time = time.numbers[0] if time.kind == "T" else None
            self.result.detections = int(met.numbers[0]) if met.kind == "U" else None
            self._report("finished", text=f"{_write(time)} {_write(met)}")
        except RobotLost as error:
            yield from self._end.try_to_stop()
            self._lose(error.args[0])

    def _ask_where(self) -> Conversation[None]:
        """Report a robot whose estimated pose is not at its start. An estimate at 0 was never set, and is ignored."""
        x, y, _ = (yield from self._end.ask(Order("D"))).numbers
        if math.hypot(x, y) * CM > BACK and math.dist((x * CM, y * CM), self.plan.start[:2]) > BACK:
            self._report("elsewhere", text=f"{x:.1f}; {y:.1f}")

    def _set(self) -> Conversation[None]:
        start = self.plan.start
        position = (start.x / CM, start.y / CM)
        orders = [Order("P", position), Order("A", (start.heading,)), Order("N", (self.plan.threshold,))]
        if self.plan.light_sensitivity and self.result.mode == "checked":
            orders.append(Order("l", (self.plan.light_sensitivity,)))
        for order in orders:
            reply = yield from self._end.ask(order)
            self._report("set", text=_write(reply))

    @property
    def _asks_for_detections(self) -> bool:
        return self.plan.avoiding and self.result.mode == "checked"

    def _ask_for_detections(self, number: int) -> Conversation[None]:
        """Ask for the detections during a drive; a robot keeps only the last ones."""
        before, self._known = self._known, int((yield from self._end.ask(Order("U"))).numbers[0])
        for count in range(before + 1, self._known + 1):
            reply = yield from self._end.ask(Order("e", (count,)))
            if reply.kind == "e":
                _, x, y, heading, *readings = reply.numbers
                light = tuple(readings[8:]) if min(readings[8:]) >= 0 else ()
                pose = Pose(x * CM, y * CM, heading)
                self.result.detected.append(ReportedDetection(number, pose, tuple(readings[:8]), light))
                self._report("detected", number, f"{x:.1f}; {y:.1f}")

    def _correct(self) -> Conversation[None]:
        """If the pose is measured from outside, wait for it and set it as the robot's estimate."""
        if not self.plan.is_measured:
            return
        self.wants_pose = True
        while self.wants_pose:
            yield self._end.now + LOOKS
        if self._measured is None:
            return
        x, y, heading = self._measured
        before = (yield from self._end.ask(Order("D"))).numbers
        for order in (Order("P", (x / CM, y / CM)), Order("A", (heading,))):
            yield from self._end.ask(order)
        off, turn = math.dist((x / CM, y / CM), before[:2]), math.degrees(wrap(heading - before[2]))
        self._pose = self._measured
        self._report("corrected", text=f"{off:.1f} cm, {turn:.1f}°")

    def _go(self, number: int, target: Point) -> Conversation[None]:
        order = Order("O" if self.plan.avoiding else "G", (target[0] / CM, target[1] / CM))
        attempts = 1 if self._end.patient else self.plan.attempts
        reached: Point | None = None
        for _ in range(attempts):
            expected = estimate_seconds(self._pose, target)
            reply = yield from self._end.ask(order, allow_seconds(expected, self.plan.tries), expected=expected)
            if reply.kind in ("G", "O", texts.STOPS_AT):
                bearing = math.atan2(target[1] - self._pose.y, target[0] - self._pose.x)
                heading = 0.0 if self._end.mode == "legacy" else bearing  # robots of 2012 turn back
                self._pose = Pose(reply.numbers[0] * CM, reply.numbers[1] * CM, heading)
            if self._asks_for_detections:
                yield from self._ask_for_detections(number)
            yield from self._correct()
            if reply.kind == order.letter:
                reached = self._pose.x, self._pose.y
                if self._measured is None or math.dist(reached, target) <= CLOSE:
                    break
        self.result.reached.append(reached)
        self.result.done += reached is not None
        self.result.failed += reached is None
        self._report("failed" if reached is None else "done", number, _write(reply))

    # ---- events

    def _lose(self, reason: str) -> None:
        self._report_resends()
        self.result.lost = reason
        self._report("lost", text=reason)

    def _report_resends(self) -> None:
        if self.statistics.resends > self._resends:
            self._resends = self.statistics.resends
            self._report("resend", text=f"{self._resends} so far")

    def _report(self, kind: EventKind, order: int | None = None, text: str = "") -> None:
        self._on_event(OrderEvent(self._end.now, self.plan.name, kind, order, text))


def _write(reply: Reply) -> str:
    return write_reply(reply.kind, *reply.numbers)
