"""Planner: a controller on the bus. It drives while the reflex permits it, and escapes after a stop."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from paddock.arena.localisation import make_odometry
from paddock.core.errors import PaddockError, format_value
from paddock.core.geometry import Pose
from paddock.core.observation import Observation, WheelSpeeds, acting
from paddock.core.registry import Registry
from paddock.core.spec import Spec
from paddock.core.user_code import place, users_code
from paddock.network.nodes.bus import Bus
from paddock.network.nodes.config import ModulesSpec, Options, OptionTable, name_unknown_option
from paddock.network.nodes.node import Module
from paddock.network.nodes.node_messages import (
    MAX_CHARACTERS,
    MAX_NUMBERS,
    AcceptedMessage,
    ClearMessage,
    DriveMessage,
    GoalMessage,
    ModuleMessage,
    PlanMessage,
    ReflexStateMessage,
    RefusedMessage,
    ResetMessage,
    StopMessage,
)
from paddock.network.nodes.readings import ObservationBuilder, PointReader
from paddock.network.nodes.reflex import make_robot_shape
from paddock.perception.mapping.scan import Floats

BACK_DISTANCE = 0.15  # [m] as in AP2DX
BACK_SPEED, TURN_SPEED = 0.1, 0.1  # [m/s] at the rim
ROOM = 0.4  # [m] free distance required ahead of the body, as in AP2DX
PLANNERS: Registry[Callable[..., Any]] = Registry(
    "planner",
    group="paddock.planners",
    builtin={
        "wander": "paddock.network.nodes.map_planners:make_wandering",
        "explore": "paddock.network.nodes.map_planners:make_explorer",
        "navigate": "paddock.network.nodes.map_planners:make_navigator",
    },
)
"""Factory functions of controllers by name: `make(robot_spec, feed, **options)`. Functions that they append to the list
`feed` are called with each message of the mapper."""
SHOW_ROUNDS = 5  # rounds between two plans sent for display


class Escape:
    """An escape manoeuvre based on the points that range sensors measure.

    Args:
        outline: outline of the body [m], shape (corners, 2).
        points: obstacle points at the start, in the robot's frame [m], shape (n, 2).
        pose: pose of the robot by odometry.
    """

    def __init__(self, outline: Floats, points: Floats, pose: Pose) -> None:
        self.front, self.half_width = outline[:, 0].max(), np.abs(outline[:, 1]).max()
        self.start = pose
        self.backs = not self.has_room(points)
        ahead = points[points[:, 0] > 0]
        left = np.hypot(*ahead[ahead[:, 1] > 0].T).min(initial=math.inf)
        right = np.hypot(*ahead[ahead[:, 1] <= 0].T).min(initial=math.inf)
        self.side = 1.0 if left >= right else -1.0  # of the turn: 1 left, -1 right

    def has_room(self, points: Floats) -> bool:
        """Return whether the space ahead is free."""
        x, y = points.T
        return not ((x > 0) & (x < self.front + ROOM) & (np.abs(y) < self.half_width + 0.05)).any()

    def act(self, points: Floats, pose: Pose) -> WheelSpeeds | None:
        """Return wheel speeds [m/s]; None when the escape is finished."""
        if self.has_room(points):
            return None
        if self.backs and math.dist(pose[:2], self.start[:2]) < BACK_DISTANCE:
            return WheelSpeeds(-BACK_SPEED, -BACK_SPEED)
        self.backs = False
        return WheelSpeeds(-self.side * TURN_SPEED, self.side * TURN_SPEED)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannerOptions(Spec):
    """Options of the planner: the controller and its options."""

    controller: str = "wander"  # of `PLANNERS`, or `file.py:Class`
    options: Options = field(default_factory=OptionTable)


class DrivingModule(Module):
    """Base class of planner and teleoperation: the handshake with the reflex."""

    delayed: ClassVar[tuple[str, ...]] = ("REFLEX",)

    def __init__(self, name: str, spec: ModulesSpec, options: Any, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        robot = spec.robot_spec
        self.builder, self.reader, self.odometry = ObservationBuilder(robot), PointReader(robot), make_odometry(robot)
        self.outline: Floats = make_robot_shape(robot, sees_behind=False).outline
        self.gate, self.epoch, self.refusal = "blocked", 0, ""
        self.escape: Escape | None = None
        self.answered = 0  # epoch of the last answered stop
        self.escapes = 0

    def handle(self, message: ModuleMessage) -> None:
        match message:
            case StopMessage(source="REFLEX") if message.epoch > self.epoch:
                self.gate, self.epoch, self.escape = "blocked", message.epoch, None
                self.refusal = message.reason
            case ReflexStateMessage(source="REFLEX") if message.epoch >= self.epoch:
                self.gate, self.epoch = message.gate, message.epoch
                if self.gate == "watching":
                    self.escape = None
            case RefusedMessage(source="REFLEX"):
                self.refusal = message.reason
            case _:
                self.builder.take(message)

    def observe(self) -> Observation:
        """Return the newest observation and update odometry."""
        look = self.builder.observe(self.time)
        if "encoders" in look.sensors:
            self.odometry.update(*np.asarray(look.encoders, float).tolist())
        return look

    def drive(self, wheels: WheelSpeeds) -> None:
        """Send wheel speeds to the reflex, based on the newest readings."""
        time, (left, right) = self.builder.measured_at, wheels
        self.send(DriveMessage(destination="REFLEX", time=time, left=left, right=right, epoch=self.epoch))

    def update_handshake(self, points: Floats) -> bool:
        """Answer a stop with a reset and end the escape with a clear. Return whether motion commands pass."""
        if self.gate == "blocked" and self.epoch:
            self.send(ResetMessage(destination="REFLEX", time=self.time, epoch=self.epoch))
            if self.answered != self.epoch:  # otherwise the reset was lost or not yet received
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
    """Drives the robot with a controller."""

    upstream = ("SENSOR", "MAPPER")
    listens = ("TELEOP", "GATE")
    options_class = PlannerOptions

    def __init__(self, name: str, spec: ModulesSpec, options: PlannerOptions, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        make = PLANNERS.get(options.controller, folder=spec.folder or None)
        self.feed: list[Callable[[ModuleMessage], None]] = []
        check_factory(make, options)
        with name_unknown_option("planner", options.options):
            self.controller = make(spec.robot_spec, self.feed, **options.options)
        self.act = acting(self.controller)
        self.mixed = 0  # sets of readings with different timestamps

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
        """Pass a goal to the controller, and send whether it is accepted."""
        take = getattr(self.controller, "set_goal", None)
        if take is None:
            self.refuse(f"the controller {self.options.controller} does not accept goals")
        elif take(message.x, message.y) is False:
            self.refuse(self.controller.refusal)
        else:
            self.bus.send(AcceptedMessage(destination=message.source, time=self.time, x=message.x, y=message.y))

    def show(self) -> None:
        """Send plan, frontiers and goal of the controller for display."""
        driver, points = getattr(self.controller, "driver", None), dict[str, Any]()
        for name, value in (
            ("plan", getattr(driver, "path", ())),
            ("frontiers", getattr(self.controller, "frontiers", ())),
            ("goal", getattr(self.controller, "goal", ())),
        ):
            points[name] = np.asarray(value, float).reshape(-1).tolist()[:MAX_NUMBERS]
        doing, refusal = (str(getattr(self.controller, name, ""))[:MAX_CHARACTERS] for name in ("state", "refusal"))
        self.send(PlanMessage(destination="COORDINATOR", time=self.time, doing=doing, refusal=refusal, **points))

    def refuse(self, reason: str) -> None:
        """Send the reason why a goal is refused."""
        self.bus.send(RefusedMessage(time=self.time, reason=reason[:200]))

    def on_round(self, number: int) -> None:
        if self.spec.url is not None and number % SHOW_ROUNDS == 0:
            self.show()
        if not self.builder.is_whole:
            self.mixed += 1
            return
        look = self.observe()
        points = self.reader.read(look)
        if not self.update_handshake(points):
            return
        if self.escape is not None:
            wheels = self.escape.act(points, self.odometry.pose)
            self.drive(wheels or WheelSpeeds(0.0, 0.0))
            return
        answer = self.act(look)
        wheels = getattr(answer, "wheels", answer)
        if wheels is not None:
            self.drive(self.spec.stop_times.limit(self.read_speeds(wheels)))

    def read_speeds(self, answer: Any) -> WheelSpeeds:
        """Return the controller's answer as wheel speeds [m/s]."""
        try:
            left, right = (float(speed) for speed in answer)
        except (TypeError, ValueError):
            left = right = math.nan
        if math.isfinite(left) and math.isfinite(right):
            return WheelSpeeds(left, right)
        raise PaddockError(
            f"the controller {self.options.controller} returned {format_value(answer)}: expected the speeds of both "
            "wheels [m/s], WheelSpeeds(left, right), or None to send no command"
        )


def check_factory(make: Callable[..., Any], options: PlannerOptions) -> None:
    """Refuse a user's factory of controllers that cannot be called with the robot, the feed and the options."""
    try:
        inspect.signature(make).bind(None, None, **options.options)
    except TypeError as error:
        if "unexpected keyword" in str(error):
            return  # the call itself raises an error that names the option
        code = users_code(make)
        where = options.controller if code is None else place(code.co_filename, code.co_firstlineno)
        name = options.controller.rpartition(":")[2]
        raise PaddockError(
            f"{where}: expected {name}(spec, feed, **options), called with the robot's spec, a list and the options "
            f"of the configuration: {error}"
        ) from None
