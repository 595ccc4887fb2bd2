"""The wheels of a robot: Player's position2d interface."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from paddock.bridges.common.scene_world import ArenaRobot, stop_guest
from paddock.bridges.player.devices import RobotDevice, measure_body
from paddock.bridges.player.wire import PlayerInterface
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.argument_checks import all_finite
from paddock.core.errors import Refused
from paddock.core.geometry import ORIGIN, Pose, compose, relative, wrap

SPEED, TURN_RATE = 0.4, 1.0  # [m/s] and [rad/s] while driving to a goal, as in Stage
NEAR = 0.02  # goal tolerance [m]
STRAIGHT = math.pi / 16  # heading error [rad] above which a robot turns before it drives
GAIN = 2.0  # proportional gain of the turn rate [1/s]

Guide = Callable[[Pose], tuple[float, float]]
"""Linear and angular speed [m/s, rad/s] at a pose."""


class PositionDevice(RobotDevice):
    """Drives a robot and reports its exact pose, as Stage does by default."""

    interface = PlayerInterface.POSITION2D

    def __init__(self, robot: ArenaRobot, *, in_world: bool) -> None:
        """
        Args:
            robot: the robot to drive.
            in_world: whether poses are reported in the world frame; otherwise relative to the start pose.
        """
        super().__init__(robot)
        robot.handle.wheels.warns = False  # like Stage, cap speeds without a warning
        self._in_world, self._time = in_world, robot.arena.time
        self._origin = self._find_origin()
        self._guide: Guide | None = None
        self._set, self._restarts = (0.0, 0.0), 0  # its own last command, and the number of resets at that time
        self._end_guide: Callable[[], None] | None = None
        self.commands |= {1: self._drive, 2: self._go_to, 3: self._drive_car, 4: self._hold_heading}
        self.requests |= {
            1: lambda data: layout.GEOMETRY.pack(*measure_body(robot)),
            2: self._switch_motors,
            3: lambda data: b"",  # velocity mode: there is only one
            4: lambda data: b"",  # position mode: the type of a command selects the mode
            5: lambda data: self._set_odometry(Pose(*layout.POSE.unpack(data)[0])),
            6: lambda data: self._set_odometry(ORIGIN),
        }

    def publish(self) -> Iterator[tuple[int, bytes]]:
        speed, turn_rate = self.robot.twist
        yield 1, layout.POSITION.pack(self.pose, (speed, 0.0, turn_rate), int(self.robot.touches))

    def forget(self, client: object) -> None:
        if self.robot.driver is client and not self.gone:
            self._stop_guide()
            if self.robot.command == self._set:  # otherwise another client drives the robot
                stop_guest(self.robot.handle)

    @property
    def pose(self) -> Pose:
        """Pose reported as odometry."""
        if self.robot.arena.time < self._time:  # the world was reset
            self._origin = self._find_origin()
        self._time = self.robot.arena.time
        return relative(self._origin, self.robot.pose)

    def _find_origin(self) -> Pose:
        arena = self.robot.arena
        return ORIGIN if self._in_world else Pose(*arena.built.poses[arena.numbers[self.robot.name]])

    def _set_odometry(self, pose: Pose) -> bytes:
        if not all_finite(*pose):
            raise Refused(f"expected a pose of finite numbers, got {pose}")
        self._origin = compose(self.robot.pose, relative(pose, ORIGIN))
        return b""

    # ---- driving

    def _switch_motors(self, data: bytes) -> bytes:
        """Stop the robot if the motors are switched off. As in Stage, the next command drives it again."""
        if not layout.NUMBER.unpack(data)[0]:
            self._steer(0.0, 0.0)
        return b""

    def _steer(self, linear: float, angular: float) -> None:
        self._stop_guide()
        self.robot.driver = self.robot.world.client
        self._set_speeds(linear, angular)

    def _set_speeds(self, linear: float, angular: float) -> None:
        self.robot.handle.drive(linear, angular)
        self._set, self._restarts = self.robot.command, self.robot.arena.restarts

    def _drive(self, data: bytes) -> None:
        ((speed, _, turn_rate),) = layout.VELOCITY.unpack(data)
        self._steer(speed, turn_rate)

    def _drive_car(self, data: bytes) -> None:
        """Drive like a car. As in Stage, a differential drive uses the angle as the turn rate."""
        self._steer(*layout.SPEED_AND_ANGLE.unpack(data))

    def _go_to(self, data: bytes) -> None:
        goal, (speed, _, _) = layout.GOAL.unpack(data)
        if not all_finite(*goal, speed):
            raise Refused(f"expected a pose of finite numbers, got {goal}")
        self._follow(lambda pose: steer_to(Pose(*goal), pose, abs(speed) or SPEED))

    def _hold_heading(self, data: bytes) -> None:
        speed, heading = layout.SPEED_AND_ANGLE.unpack(data)
        if not all_finite(speed, heading):
            raise Refused(f"expected a finite speed and heading, got {speed}, {heading}")
        self._follow(lambda pose: (speed, turn_to(heading, pose)))

    def _follow(self, guide: Guide) -> None:
        """Steer in each tick until any client sends another command or the world is reset."""
        self._steer(*guide(self.pose))
        self._guide, self._end_guide = guide, self.robot.arena.on_tick(self._guide_now)

    def _guide_now(self) -> None:
        """Steer once; called in each tick."""
        there = not self.gone and not self.robot.arena.find_owner(self.robot.name)
        if not there or self.robot.arena.restarts != self._restarts or self.robot.command != self._set:
            self._stop_guide()
        elif self._guide is not None:
            self._set_speeds(*self._guide(self.pose))

    def _stop_guide(self) -> None:
        self._guide, end, self._end_guide = None, self._end_guide, None
        if end is not None:
            end()


def turn_to(heading: float, pose: Pose) -> float:
    """Return the turn rate towards a heading [rad/s]."""
    return max(-TURN_RATE, min(TURN_RATE, GAIN * wrap(heading - pose.heading)))


def steer_to(goal: Pose, pose: Pose, speed: float) -> tuple[float, float]:
    """Return linear and angular speed: turn to the goal, drive there, and turn to its heading."""
    dx, dy = goal.x - pose.x, goal.y - pose.y
    distance, way = math.hypot(dx, dy), math.atan2(dy, dx)
    if distance < NEAR:
        return 0.0, turn_to(goal.heading, pose)
    return min(speed, distance) if abs(wrap(way - pose.heading)) < STRAIGHT else 0.0, turn_to(way, pose)
