"""Planner: a controller on the bus. It drives while the reflex lets it, and gets away after a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from paddock.arena.localisation import odometry_of
from paddock.core.observation import Observation, WheelSpeeds, acting
from paddock.core.registry import Registry
from paddock.core.spec import Spec
from paddock.modules.bus import Bus
from paddock.modules.config import ModulesSpec, Options, OptionTable
from paddock.modules.escape import Escape
from paddock.modules.messages import (
    MOST_LETTERS,
    MOST_NUMBERS,
    AcceptedMessage,
    ClearMessage,
    DriveMessage,
    GoalMessage,
    GuardMessage,
    ModuleMessage,
    PlanMessage,
    RefusedMessage,
    ResetMessage,
    StopMessage,
)
from paddock.modules.module import Module
from paddock.modules.readings import Floats, ObservationBuilder, PointReader
from paddock.modules.reflex import shape_of

PLANNERS: Registry[Callable[..., Any]] = Registry(
    "planner",
    group="paddock.planners",
    builtin={
        "wander": "paddock.modules.wandering:make_wandering",
        "explore": "paddock.modules.map_planners:make_explorer",
        "navigate": "paddock.modules.map_planners:make_navigator",
    },
)
"""What makes a planner's controller: functions `make(robot_spec, feed, **options)`. What they append to the list `feed`
is called with each message of the mapper."""


SHOW_ROUNDS = 5  # between two plans that are told to people


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannerOptions(Spec):
    """Which controller drives, and its options."""

    controller: str = "wander"  # of `PLANNERS`, or `file.py:Class`
    options: Options = field(default_factory=OptionTable)


class DrivingModule(Module):
    """What planner and teleoperation have in common: the hand-shake with the reflex."""

    delayed: ClassVar[tuple[str, ...]] = ("REFLEX",)

    def __init__(self, name: str, spec: ModulesSpec, options: Any, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        robot = spec.robot_spec
        self.builder, self.reader, self.odometry = ObservationBuilder(robot), PointReader(robot), odometry_of(robot)
        self.outline: Floats = shape_of(robot, sees_behind=False).outline
        self.gate, self.epoch, self.refusal = "blocked", 0, ""
        self.escape: Escape | None = None
        self.answered = 0  # the epoch of the last stop that was answered
        self.escapes = 0

    def handle(self, message: ModuleMessage) -> None:
        match message:
            case StopMessage(source="REFLEX") if message.epoch > self.epoch:
                self.gate, self.epoch, self.escape = "blocked", message.epoch, None
                self.refusal = message.reason
            case GuardMessage(source="REFLEX") if message.epoch >= self.epoch:
                self.gate, self.epoch = message.gate, message.epoch
                if self.gate == "watching":
                    self.escape = None
            case RefusedMessage(source="REFLEX"):
                self.refusal = message.reason
            case _:
                self.builder.take(message)

    def look(self) -> Observation:
        """What the robot senses now."""
        look = self.builder.look(self.time)
        if "encoders" in look.sensors:
            self.odometry.update(*np.asarray(look.encoders, float).tolist())
        return look

    def drive(self, wheels: WheelSpeeds) -> None:
        """Ask the reflex for wheel speeds, by what was last looked at."""
        time, (left, right) = self.builder.measured_at, wheels
        self.send(DriveMessage(destination="REFLEX", time=time, left=left, right=right, epoch=self.epoch))

    def shake_hands(self, points: Floats) -> bool:
        """Answer a stop, if there is one: ask to get away, and say when that is done. Whether motions pass."""
        if self.gate == "blocked" and self.epoch:
            self.send(ResetMessage(destination="REFLEX", time=self.time, epoch=self.epoch))
            if self.answered != self.epoch:  # else the reset has not been heard yet, or was lost
                self.escape = Escape(self.outline, points, self.odometry.pose)
                self.answered = self.epoch
                self.escapes += 1
            self.gate = "escaping"
            return True
        if self.gate == "escaping" and self.escape is not None and self.escape.has_room(points):
            self.send(ClearMessage(destination="REFLEX", time=self.time, epoch=self.epoch))
            self.escape, self.gate = None, "watching"
        return self.gate != "blocked"

    def status(self) -> str:
        return f"{self.gate}, escapes {self.escapes}{f', {self.refusal}' if self.refusal else ''}"[:200]


class PlannerModule(DrivingModule):
    """Drives by a controller."""

    upstream = ("SENSOR", "MAPPER")
    listens = ("TELEOP", "GATE")
    options_class = PlannerOptions

    def __init__(self, name: str, spec: ModulesSpec, options: PlannerOptions, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        make = PLANNERS.get(options.controller, folder=spec.folder or None)
        self.feed: list[Callable[[ModuleMessage], None]] = []
        self.controller = make(spec.robot_spec, self.feed, **options.options)
        self.act = acting(self.controller)
        self.mixed = 0  # looks whose readings were of several times

    def handle(self, message: ModuleMessage) -> None:
        if isinstance(message, GoalMessage):
            self.take_goal(message)
        if message.source == "MAPPER":
            for take in self.feed:
                take(message)
        super().handle(message)

    def status(self) -> str:
        state = getattr(self.controller, "state", "")
        return f"{state}; {super().status()}"[:200] if state else super().status()

    def take_goal(self, message: GoalMessage) -> None:
        """Give a goal to the controller, and say whether it is taken."""
        take = getattr(self.controller, "set_goal", None)
        if take is None:
            self.refuse(f"{self.options.controller} takes no goals")
        elif take(message.x, message.y) is False:
            self.refuse(self.controller.refusal)
        else:
            self.bus.send(AcceptedMessage(destination=message.source, time=self.time, x=message.x, y=message.y))

    def show(self) -> None:
        """Tell those who watch what the controller plans by."""
        driver, points = getattr(self.controller, "driver", None), dict[str, Any]()
        for name, value in (
            ("plan", getattr(driver, "path", ())),
            ("frontiers", getattr(self.controller, "frontiers", ())),
            ("goal", getattr(self.controller, "goal", ())),
        ):
            points[name] = np.asarray(value, float).reshape(-1).tolist()[:MOST_NUMBERS]
        doing, refusal = (str(getattr(self.controller, name, ""))[:MOST_LETTERS] for name in ("state", "refusal"))
        self.send(PlanMessage(destination="COORDINATOR", time=self.time, doing=doing, refusal=refusal, **points))

    def refuse(self, reason: str) -> None:
        """Tell people why not."""
        self.bus.send(RefusedMessage(time=self.time, reason=reason[:200]))

    def on_round(self, number: int) -> None:
        if self.spec.url is not None and number % SHOW_ROUNDS == 0:
            self.show()
        if not self.builder.is_whole:
            self.mixed += 1
            return
        look = self.look()
        points = self.reader.read(look)
        if not self.shake_hands(points):
            return
        if self.escape is not None:
            wheels = self.escape.act(points, self.odometry.pose)
            self.drive(wheels or WheelSpeeds(0.0, 0.0))
            return
        answer = self.act(look)
        wheels = getattr(answer, "wheels", answer)
        if wheels is not None:
            left, right = wheels
            self.drive(self.spec.stop_times.limit(WheelSpeeds(float(left), float(right))))
