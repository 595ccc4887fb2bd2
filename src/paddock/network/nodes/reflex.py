"""Reflex module: receives readings and motion commands, sends stops and safe motion commands."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from paddock.arena.localisation import make_odometry
from paddock.core.errors import SpecError
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import MetresOrZero, Seconds, Spec
from paddock.network.nodes.bus import Bus
from paddock.network.nodes.config import QUICK, ModulesSpec
from paddock.network.nodes.node import CLOCK_BACK, Module
from paddock.network.nodes.node_messages import (
    ActionMessage,
    ClearMessage,
    DriveMessage,
    ModuleMessage,
    ReflexStateMessage,
    RefusedMessage,
    ResetMessage,
    RoundMessage,
    StopMessage,
)
from paddock.network.nodes.readings import ObservationBuilder, PointReader
from paddock.network.nodes.safety.protective_field import ClosingRule, ProtectiveField, RobotShape
from paddock.network.nodes.safety.reflex import Gate, Reflex, ReflexAction, ReflexLimits, Refuse, Relay, StopOrder
from paddock.simulation.robots import RobotSpec

CORNERS = 24  # of a round body's outline
MOTION_HOLDS = 0.3  # [s] default validity of a command
EPOCHS = 100  # epochs per second of wall time, so that a restarted reflex begins with a greater one


@dataclass(frozen=True, kw_only=True, slots=True)
class ReflexOptions(Spec):
    """Options of the reflex module."""

    rule: Literal["stopping-distance", "ap2dx"] = "stopping-distance"
    margin: MetresOrZero = 0.05  # minimum distance between body and obstacles
    escape_margin: MetresOrZero = 0.01  # the same during an escape from an obstacle
    reaction: Seconds = 0.3  # from a measurement to the first effect of braking
    escape_time: Seconds = 3.0
    escape_distance: MetresOrZero = 0.5


class ReflexModule(Module):
    """Relays motion commands while no obstacle is too near. Commands of a user override those of the planner."""

    upstream = ("SENSOR", "PLANNER")
    delayed = ("MOTOR",)
    listens = ("COORDINATOR", "TELEOP")
    options_class = ReflexOptions

    def __init__(self, name: str, spec: ModulesSpec, options: ReflexOptions, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        robot = spec.robot_spec
        self.builder, self.reader, self.odometry = ObservationBuilder(robot), PointReader(robot), make_odometry(robot)
        self.rule: ProtectiveField | ClosingRule = (
            make_closing_rule(robot, spec.enabled_devices)
            if options.rule == "ap2dx"
            else make_field(robot, self.reader, options)
        )
        watched = spec.enabled_devices if options.rule != "ap2dx" else ("sonar",)
        self.watched = [name for name in self.reader.beams if name in watched]  # without them the robot is blind
        limits = ReflexLimits(escape_time=options.escape_time, escape_distance=options.escape_distance)
        self.reflex = Reflex(self.rule, int(time.time() * EPOCHS), limits)
        self.cause = 0.0  # wall time at which the newest readings were sent
        self.mixed = 0  # sets of readings with different timestamps
        self.driven_by_hand = -math.inf  # simulated time of the last command of a user [s]

    def handle(self, message: ModuleMessage) -> None:
        reflex, now = self.reflex, self.time
        match message:
            case RoundMessage(source="SENSOR"):
                self.check_readings(message.time)
            case DriveMessage() | ActionMessage() | ResetMessage() | ClearMessage():
                if message.source in DRIVERS and not self.is_overruled(message):
                    self.act(self.handle_request(message, now), message.time, getattr(message, "holds", MOTION_HOLDS))
            case RefusedMessage(source="MOTOR") if message.epoch > reflex.epoch:  # the clock of this host went back
                reflex.epoch = message.epoch
                self.act(reflex.on_motor_started(now), now)
            case _:
                if message.source == "SENSOR" and self.builder.take(message):
                    self.cause = message.cause

    def _take(self, message: ModuleMessage) -> None:
        if message.source in DRIVERS and 0 < self.time < message.time - CLOCK_BACK:
            wrong = f"time {message.time:g} s: expected the time of the newest readings, {self.time:g} s"
            self.act([Refuse(self.reflex.epoch, wrong)], self.time)
        else:
            super()._take(message)

    def on_neighbour_started(self, name: str) -> None:
        # In lock-step a motor receives the first round in any case, and all runs must be identical.
        if name == "MOTOR" and not (self.spec.lock_step and self.round <= 0):
            self.act(self.reflex.on_motor_started(self.time), self.time)

    def restart(self) -> None:
        epoch = self.reflex.epoch
        super().restart()
        self.reflex.epoch = max(self.reflex.epoch, epoch + 1)

    def is_overruled(self, message: ModuleMessage) -> bool:
        """Return whether a message is the planner's while a user drives."""
        if message.source == "TELEOP":
            self.driven_by_hand = self.time
            return False
        return self.time - self.driven_by_hand < HAND_TIME

    def check_readings(self, measured_at: float) -> None:
        """Check new readings and notify the motor immediately. Skip readings with different timestamps."""
        if self.builder.is_whole:
            self.update(self.builder.observe(measured_at), measured_at)
        else:
            self.mixed += 1
            self.act(self.reflex.on_time(self.time), measured_at)
        if self.spec.lock_step and self.reflex.gate is Gate.BLOCKED:  # otherwise it was just checked
            self.act(self.reflex.on_time(self.time), self.time)
        self.send(
            ReflexStateMessage(
                time=measured_at,
                cause=self.cause,
                gate=self.reflex.gate.value,
                epoch=self.reflex.epoch,
                reason=self.reflex.reason,
            )
        )

    def update(self, look: Observation, measured_at: float) -> None:
        """Pass readings to the safety rule, and stop the robot if an obstacle is too near."""
        if "encoders" in look.sensors:
            self.odometry.update(*np.asarray(look.encoders, float).tolist())
        if isinstance(self.rule, ProtectiveField):
            self.rule.update(self.reader.read(look), self.odometry.pose, measured_at)
        elif "sonar" in look.sensors:
            self.rule.update(look.sonar)
        oldest = min(measured_at, self.builder.find_oldest(self.watched))
        self.act(self.reflex.on_readings(oldest, self.odometry.distance, self.time), measured_at)

    def handle_request(self, message: ModuleMessage, now: float) -> list[ReflexAction]:
        """Return the actions of the reflex for a message of the planner or a user."""
        match message:
            case ResetMessage():
                return self.reflex.on_reset(message.epoch, now)
            case ClearMessage():
                return self.reflex.on_clear(message.epoch, now)
            case ActionMessage() | DriveMessage() if 0 < message.epoch < self.reflex.epoch:  # 0: without an epoch
                over = f"epoch {message.epoch} is outdated: the newest is {self.reflex.epoch}"
                return [Refuse(self.reflex.epoch, self.reflex.reason or over)]
            case ActionMessage():
                return self.drive(convert_action(message, self.spec.robot_spec.drive.max_speed), now)
            case DriveMessage():
                return self.drive(WheelSpeeds(message.left, message.right), now)
        return []

    def drive(self, wheels: WheelSpeeds, now: float) -> list[ReflexAction]:
        """Relay wheel speeds if no obstacle is too near, limited to a speed from which the robot stops in time."""
        times = self.spec.stop_times
        actions = self.reflex.on_motion(times.limit(wheels), now)
        fastest, most, within = max(map(abs, wheels)), times.max_speed, times.stop_within
        if fastest > most * (1 + 1e-9):  # not by rounding: planners limit their speeds in the same way
            reason = f"{fastest:.2f} m/s: limited to {most:.2f} m/s to stop within {within:g} s"
            actions.append(Refuse(self.reflex.epoch, reason))
        return actions

    def act(self, actions: Iterable[ReflexAction], measured_at: float, holds: float = MOTION_HOLDS) -> None:
        """Send the messages for the actions of the reflex."""
        for action in actions:
            if isinstance(action, StopOrder):
                self.send(
                    StopMessage(time=measured_at, cause=self.cause, epoch=action.epoch, reason=action.reason[:200])
                )
            elif isinstance(action, Relay):
                left, right = action.wheels
                time = min(measured_at, self.reflex.read_at)  # both planner and reflex have used this measurement
                self.send(
                    DriveMessage(
                        destination="MOTOR", time=time, left=left, right=right, epoch=action.epoch, holds=holds
                    )
                )
            else:
                self.send(RefusedMessage(time=measured_at, epoch=action.epoch, reason=action.reason[:200]))

    def on_wake(self, now: float) -> None:
        self.act(self.reflex.on_time(self.time), self.time)

    def status(self) -> str:
        reason = f": {self.reflex.reason}" if self.reflex.reason else ""
        return f"{self.reflex.gate.value}{reason}"[:200]


DRIVERS = ("PLANNER", "TELEOP")  # modules that may send motion commands
HAND_TIME = 0.5  # [s] after a user's last command until the planner drives again


def convert_action(message: ActionMessage, max_speed: float) -> WheelSpeeds:
    """Convert a motion command of AP2DX to wheel speeds [m/s]."""
    speed = message.value / 100 * max_speed
    signs: dict[str, tuple[float, float]] = {
        "FORWARD": (speed, speed),
        "BACKWARD": (-speed, -speed),
        "LEFT": (-speed, speed),
        "RIGHT": (speed, -speed),
        "TURN": turning(message.value, max_speed),
        "STOP": (0.0, 0.0),
    }
    return WheelSpeeds(*signs[message.action])


TURN_SPEED = 0.02  # share of full speed in AP2DX's turns


def turning(sign: float, max_speed: float) -> tuple[float, float]:
    """Return wheel speeds [m/s] for a turn on the spot: left for -1, right for 1."""
    rim = math.copysign(TURN_SPEED * max_speed, sign) if sign else 0.0
    return rim, -rim


def make_closing_rule(spec: RobotSpec, devices: Collection[str]) -> ClosingRule:
    """Create the rule of AP2DX for a robot with its ring of sonars."""
    rule = ClosingRule()
    sonars = next((sensor.channels for sensor in spec.sensors if sensor.name == "sonar" and "sonar" in devices), 0)
    if sonars <= max(rule.inner):
        raise SpecError(
            f"'ap2dx' needs at least {max(rule.inner) + 1} sonars as a device 'sonar', this robot has {sonars}: "
            "use 'stopping-distance'",
            path="modules.reflex.rule",
        )
    return rule


def make_field(spec: RobotSpec, reader: PointReader, options: ReflexOptions) -> ProtectiveField:
    """Create the protective field of a robot."""
    return ProtectiveField(
        make_robot_shape(spec, sees_behind=reader.sees_behind),
        margin=options.margin,
        escape_margin=options.escape_margin,
        reaction=options.reaction,
    )


def make_robot_shape(spec: RobotSpec, *, sees_behind: bool) -> RobotShape:
    """Return the shape of a robot for a protective field."""
    outline = spec.body.outline
    if outline is None:
        radius = (spec.body.radius or 0.0) / math.cos(math.pi / CORNERS)
        turns = np.arange(CORNERS) * 2 * math.pi / CORNERS
        corners = np.column_stack((radius * np.cos(turns), radius * np.sin(turns)))
    else:
        corners = np.array(outline, float)
    return RobotShape(
        outline=corners,
        wheel_separation=spec.drive.wheel_separation,
        deceleration=spec.drive.max_acceleration or QUICK,
        sees_behind=sees_behind,
        max_speed=spec.drive.max_speed,
    )
