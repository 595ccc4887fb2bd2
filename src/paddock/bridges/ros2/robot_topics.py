"""The ROS interface of a robot: publishes odometry, transforms and joints, and subscribes to commands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from paddock.arena.episode_robot import has_left
from paddock.bridges.common.scene_world import ArenaRobot, stop_guest
from paddock.bridges.ros2.graph import RosSubscription, RosTopic
from paddock.bridges.ros2.wire import RosMessage
from paddock.bridges.ros2.wire import messages as ros
from paddock.bridges.ros2.wire.names import LATCHED, join_names
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.perception.estimation import MotionNoise, Odometry
from paddock.simulation.engine.model import OMNI
from paddock.simulation.robots.urdf import LEFT_WHEEL, RIGHT_WHEEL, describe_as_urdf, pan_joint
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.sensor_spec import Mount, SensorSpec, is_pivoting

MAP = "map"  # the frame of true poses, the same for all robots
DEAD_MAN = 0.5  # [s] of simulated time without a command after which a robot stops
PLANE = np.ix_((0, 1, 5), (0, 1, 5))  # x, y and heading in a 6 × 6 covariance
STILL = np.diag([1e-9] * 6)  # covariance of exact values; 0 causes problems in filters
SLIP = MotionNoise(wheel=1e-4, turn=1e-4)  # reported odometry noise: 1 cm after 1 m, 0.6° after 1 rad


class RosRobot:
    """A robot with its topic names, its odometry, and the timeout of its commands."""

    def __init__(self, robot: ArenaRobot, namespace: str, *, dead_man: float = DEAD_MAN) -> None:
        """
        Args:
            robot: the robot of the arena.
            namespace: namespace of its topics and prefix of its frames. Empty for a single robot.
            dead_man: seconds of simulated time without a command after which it stops; infinity for never.
        """
        self.robot, self.namespace, self.dead_man = robot, namespace, dead_man
        self._encoders = next((spec.name for spec in robot.spec.sensors if isinstance(spec, EncodersSpec)), None)
        self._odometry = Odometry(robot.spec.drive.wheel_separation, noise=SLIP)
        self._tick = -1  # tick of the last update
        self._commanded_at: float | None = None  # simulated time of the last command; None: no active command
        self._set = (0.0, 0.0)  # last commanded wheel speeds

    @property
    def gone(self) -> bool:
        """Whether the robot was removed from the world."""
        return has_left(self.robot.handle)

    def topic_name(self, name: str) -> str:
        """Return the full name of a topic, for example /robot/scan."""
        return join_names(self.namespace, name)

    def frame(self, name: str) -> str:
        """Return the full name of a frame, for example robot/base_link."""
        return f"{self.namespace}/{name}" if self.namespace else name

    def header(self, frame: str, spec: SensorSpec | None = None) -> Any:
        """Return a header with the current time, or with the time of a sensor's current sample."""
        arena = self.robot.arena
        if spec is None or not (spec.period or spec.delay):
            return ros.Header(ros.make_time(arena.time), self.frame(frame))
        period, delay = max(1, round(spec.period / arena.dt)), round(spec.delay / arena.dt)
        tick = max(0, (arena.tick - delay) // period * period)
        return ros.Header(ros.make_time(tick * arena.dt), self.frame(frame))

    def map_header(self, spec: SensorSpec | None = None) -> Any:
        """Return a header of the frame of true poses."""
        header = self.header("", spec)
        header.frame_id = MAP
        return header

    # ---- out

    def list_topics(self) -> Iterator[RosTopic]:
        """Yield the topics of every robot, without those of its sensors."""
        yield RosTopic(self.topic_name("odom"), ros.Odometry, self._make_odometry)
        yield RosTopic(self.topic_name("joint_states"), ros.JointState, self._make_joints)
        urdf = ros.String(describe_as_urdf(self.robot.spec))
        yield RosTopic(self.topic_name("robot_description"), ros.String, lambda: urdf, LATCHED)

    def update(self) -> None:
        """Update the odometry, and stop the robot if its last command has timed out."""
        arena = self.robot.arena
        if arena.tick < self._tick:  # the world was reset
            self._odometry.reset()
            self._commanded_at = None
        if arena.tick != self._tick:
            self._tick = arena.tick
            self._odometry.update(*self._read_travel())
        if self._commanded_at is not None and arena.time - self._commanded_at >= self.dead_man:
            self.stop()

    def _read_travel(self) -> tuple[float, float]:
        if self._encoders is None:
            return self.robot.travel
        left, right = self.robot.read(self._encoders).tolist()
        return left, right

    def transform(self) -> Any:
        """Return the transform odom → base_link."""
        x, y, heading = self._odometry.pose
        return ros.TransformStamped(
            self.header("odom"), self.frame("base_link"), ros.Transform(ros.Vector3(x, y), turn(heading))
        )

    def localise(self) -> Any:
        """Return the transform map → odom that makes the estimated pose the true one."""
        x, y, heading = self._odometry.pose
        true = self.robot.pose
        turned = true.heading - heading
        ahead, aside = math.cos(turned), math.sin(turned)
        at = ros.Vector3(true.x - ahead * x + aside * y, true.y - aside * x - ahead * y)
        return ros.TransformStamped(self.map_header(), self.frame("odom"), ros.Transform(at, turn(turned)))

    def list_pans(self) -> Iterator[RosMessage]:
        """Yield the transforms of pivoting devices."""
        for spec in self.robot.spec.sensors:
            if is_pivoting(spec):
                angle = self.robot.handle.device(spec.name).pan_angle
                yield self._mount(spec.name, spec.mounts[0], angle)

    def list_mounts(self) -> Iterator[RosMessage]:
        """Yield the static transforms of fixed sensors and of optical frames; `base_footprint` equals `base_link`."""
        yield ros.TransformStamped(self.header("base_link"), self.frame("base_footprint"), ros.Transform())
        for spec in self.robot.spec.sensors:
            if not is_pivoting(spec):
                for frame, mount in zip(mount_frames(spec), spec.mounts, strict=True):
                    yield self._mount(frame, mount)
            if isinstance(spec, CameraSpec):  # x right, y down, z forward
                optical = ros.Transform(rotation=ros.Quaternion(-0.5, 0.5, -0.5, 0.5))
                yield ros.TransformStamped(self.header(spec.name), self.frame(optical_frame(spec)), optical)

    def _mount(self, frame: str, mount: Mount, angle: float = 0.0) -> Any:
        x, y, z, heading = mount
        place = ros.Transform(ros.Vector3(x, y, z), turn(math.radians(heading) + angle))
        return ros.TransformStamped(self.header("base_link"), self.frame(frame), place)

    def _make_odometry(self) -> Any:
        linear, angular = self._measure_twist()
        covariance = STILL.copy()
        covariance[PLANE] += self._odometry.covariance
        pose = ros.PoseWithCovariance(flat_pose(self._odometry.pose), covariance.ravel())
        twist = ros.TwistWithCovariance(
            ros.Twist(ros.Vector3(linear), ros.Vector3(z=angular)), self._find_twist_covariance().ravel()
        )
        return ros.Odometry(self.header("odom"), self.frame("base_link"), pose, twist)

    def _measure_twist(self) -> tuple[float, float]:
        left, right = self.robot.wheel_speeds
        return (left + right) / 2, (right - left) / self.robot.spec.drive.wheel_separation

    def _find_twist_covariance(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the covariance of the speeds of the last tick, as the odometry assumes it."""
        dt, separation = self.robot.arena.dt, self.robot.spec.drive.wheel_separation
        left, right = (speed * dt for speed in self.robot.wheel_speeds)
        of_right, of_left, of_turn = SLIP.of_travel(left, right, separation).diagonal() / dt**2
        covariance = STILL.copy()
        covariance[0, 0] += (of_right + of_left) / 4
        covariance[0, 5] = covariance[5, 0] = (of_right - of_left) / (2 * separation)
        covariance[5, 5] += (of_right + of_left) / separation**2 + of_turn
        return covariance

    def _make_joints(self) -> Any:
        radius = self.robot.spec.drive.wheel_diameter / 2
        pivots = [spec.name for spec in self.robot.spec.sensors if is_pivoting(spec)]
        wheels = self.robot.spec.drive.wheels if self.robot.spec.drive.kinematics != OMNI else ()
        travel, speed = self._read_travel(), self.robot.wheel_speeds  # of the left and the right side
        angles = [travel[wheel.y < 0] / radius for wheel in wheels]
        angles += [self.robot.handle.device(name).pan_angle for name in pivots]
        rates = [speed[wheel.y < 0] / radius for wheel in wheels] + [math.nan] * len(pivots)
        names = [*(f"{wheel.name}_joint" for wheel in wheels), *map(pan_joint, pivots)]
        return ros.JointState(self.header("base_link"), names, np.array(angles), np.array(rates))

    # ---- in

    def list_subscriptions(self) -> Iterator[RosSubscription]:
        """Yield the command topics."""
        name = self.topic_name("cmd_vel")
        takes: tuple[tuple[str, type[RosMessage], Callable[[Any], None]], ...] = (
            (name, ros.Twist, self._take_twist),
            (name, ros.TwistStamped, lambda message: self._take_twist(message.twist)),
            (self.topic_name("joint_commands"), ros.JointState, self._take_joints),
        )
        for name, kind, take in takes:
            yield RosSubscription(name, kind, partial(self._take, take))

    def _take(self, take: Callable[[Any], None], message: RosMessage) -> None:
        with self.robot.arena.mutex:
            take(message)

    def _take_twist(self, twist: Any) -> None:
        forward, sideways, angular = twist.linear.x, twist.linear.y, twist.angular.z
        robot = self.robot.handle
        if robot.spec.drive.kinematics == OMNI:
            self._command(lambda: robot.move(forward, sideways, angular))
        else:
            self._command(lambda: robot.drive(forward, angular))

    def _take_joints(self, message: Any) -> None:
        """Set angular velocities of both wheels [rad/s] and angles of pivoting devices [rad]."""
        pivots = {pan_joint(spec.name): spec.name for spec in self.robot.spec.sensors if is_pivoting(spec)}
        speeds: dict[str, float] = {}
        for i, name in enumerate(message.name):
            if name in (LEFT_WHEEL, RIGHT_WHEEL):
                speeds[name] = get_joint_value(message.velocity, i, name, "velocity")
            elif name in pivots:
                self.robot.handle.device(pivots[name]).pan(get_joint_value(message.position, i, name, "position"))
            else:
                raise UnknownName(f"joint of {self.robot.name}", name, [LEFT_WHEEL, RIGHT_WHEEL, *pivots])
        if len(speeds) == 1:
            raise PaddockError(f"expected velocities of {LEFT_WHEEL} and {RIGHT_WHEEL}, got one of them")
        if speeds:
            radius = self.robot.spec.drive.wheel_diameter / 2
            self._command(
                lambda: self.robot.handle.wheels.set(speeds[LEFT_WHEEL] * radius, speeds[RIGHT_WHEEL] * radius)
            )

    def _command(self, act: Callable[[], None]) -> None:
        act()
        self._set, self._commanded_at = self.robot.command, self.robot.arena.time

    def stop(self) -> None:
        """Stop the robot, unless another client has commanded it in the meantime."""
        if self._commanded_at is not None and not self.gone and self.robot.command == self._set:
            stop_guest(self.robot.handle)
        self._commanded_at = None


def get_joint_value(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], i: int, joint: str, what: str) -> float:
    """Return the value of a joint."""
    if i >= len(values) or not all_finite(float(values[i])):
        raise PaddockError(f"{joint}: expected a finite {what}, one for each name")
    return float(values[i])


def mount_frames(spec: SensorSpec) -> list[str]:
    """Return the frames of a sensor: its name; for a ring, its name and a number for each element."""
    return [spec.name] if len(spec.mounts) == 1 else [f"{spec.name}{i}" for i in range(len(spec.mounts))]


def optical_frame(spec: SensorSpec) -> str:
    """Return the optical frame of a camera."""
    return f"{spec.name}_optical_frame"


def turn(heading: float) -> Any:
    """Return a rotation about the z axis [rad]."""
    return ros.Quaternion(z=math.sin(heading / 2), w=math.cos(heading / 2))


def flat_pose(pose: Pose) -> Any:
    """Return a 2D pose as a 3D pose on the floor."""
    return ros.Pose(ros.Point(pose.x, pose.y), turn(pose.heading))
