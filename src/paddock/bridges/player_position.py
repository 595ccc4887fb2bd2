"""The wheels of a robot as Player's position2d."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from paddock.bridges.player_devices import RobotDevice, size_of
from paddock.bridges.scene_world import ArenaRobot
from paddock.core.errors import Refused
from paddock.core.geometry import Pose, compose, relative, wrap
from paddock.core.numeric import all_finite
from paddock.player import PlayerInterface
from paddock.player import interfaces as layout

SPEED, TURN_RATE = 0.4, 1.0  # [m/s] and [rad/s] on the way to a goal, as Stage has them
NEAR = 0.02  # [m] from its goal a robot has arrived
STRAIGHT = math.pi / 16  # [rad] off its way a robot turns before it drives
GAIN = 2.0  # [1/s] turn rate for an angle
ZERO = Pose(0.0, 0.0, 0.0)

Guide = Callable[[Pose], tuple[float, float]]
"""Linear and angular speed [m/s, rad/s] at a pose."""


class PositionDevice(RobotDevice):
    """Drives, and tells where it has come to: exactly, as Stage does by default."""

    interface = PlayerInterface.POSITION2D

    def __init__(self, robot: ArenaRobot, *, in_world: bool) -> None:
        """
        Args:
            robot: whose wheels they are.
            in_world: whether it tells poses in the world; else from where it started.
        """
        super().__init__(robot)
        robot.handle.wheels.warns = False  # a simulator caps what is too fast, and says nothing
        self._in_world, self._time = in_world, robot.arena.time
        self._origin = self._find_origin()
        self._guide: Guide | None = None
        self._set, self._restarts = (0.0, 0.0), 0  # its own last command, and how often the world had begun anew then
        self._end_guide: Callable[[], None] | None = None
        self.commands |= {1: self._drive, 2: self._go_to, 3: self._drive_car, 4: self._hold_heading}
        self.requests |= {
            1: lambda data: layout.GEOMETRY.pack(*size_of(robot)),
            2: self._switch_motors,
            3: lambda data: b"",  # there is one way to control speeds
            4: lambda data: b"",  # commands say themselves what they want
            5: lambda data: self._set_odometry(Pose(*layout.POSE.unpack(data)[0])),
            6: lambda data: self._set_odometry(ZERO),
        }

    def publish(self) -> Iterator[tuple[int, bytes]]:
        speed, turn_rate = self.robot.twist
        yield 1, layout.POSITION.pack(self.pose, (speed, 0.0, turn_rate), int(self.robot.touches))

    def forget(self, client: object) -> None:
        if self.robot.driver is client and not self.gone:
            self._stop_guide()
            if self.robot.command == self._set:  # else somebody else drives it
                self.robot.handle.stop()

    @property
    def pose(self) -> Pose:
        """As its odometry tells it."""
        if self.robot.arena.time < self._time:  # the world began anew
            self._origin = self._find_origin()
        self._time = self.robot.arena.time
        return relative(self._origin, self.robot.pose)

    def _find_origin(self) -> Pose:
        arena = self.robot.arena
        return ZERO if self._in_world else Pose(*arena.built.poses[arena.numbers[self.robot.name]])

    def _set_odometry(self, pose: Pose) -> bytes:
        if not all_finite(*pose):
            raise Refused(f"expected a pose of finite numbers, got {pose}")
        self._origin = compose(self.robot.pose, relative(pose, ZERO))
        return b""

    # ---- driving

    def _switch_motors(self, data: bytes) -> bytes:
        """Off stops the robot; as in Stage, a command drives it again."""
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
        """As Stage: a robot with two wheels takes the angle for a turn rate."""
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
        """Steer in each tick, until another command comes, from whoever, or the world begins anew."""
        self._steer(*guide(self.pose))
        self._guide, self._end_guide = guide, self.robot.arena.on_tick(self._guide_now)

    def _guide_now(self) -> None:
        """A tick has passed."""
        if self.gone or self.robot.arena.restarts != self._restarts or self.robot.command != self._set:
            self._stop_guide()
        elif self._guide is not None:
            self._set_speeds(*self._guide(self.pose))

    def _stop_guide(self) -> None:
        self._guide, end, self._end_guide = None, self._end_guide, None
        if end is not None:
            end()


def turn_to(heading: float, pose: Pose) -> float:
    """Turn rate towards a heading."""
    return max(-TURN_RATE, min(TURN_RATE, GAIN * wrap(heading - pose.heading)))


def steer_to(goal: Pose, pose: Pose, speed: float) -> tuple[float, float]:
    """Turn to the goal, drive there, and turn to its heading."""
    dx, dy = goal.x - pose.x, goal.y - pose.y
    distance, way = math.hypot(dx, dy), math.atan2(dy, dx)
    if distance < NEAR:
        return 0.0, turn_to(goal.heading, pose)
    return min(speed, distance) if abs(wrap(way - pose.heading)) < STRAIGHT else 0.0, turn_to(way, pose)
