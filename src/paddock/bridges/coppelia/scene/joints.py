"""Joints of a scene: the wheels of robots, with angles in radians."""

from __future__ import annotations

import math

from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.coppelia.scene.frames import Frame, floor_frame
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap


def find_wheel(joint: SceneObject) -> tuple[ArenaRobot, float]:
    """Return the robot of a joint, and the radius of its wheel [m]."""
    if joint.part != "joint" or joint.robot is None:
        raise PaddockError(f"{joint} is not a joint")
    return joint.robot, joint.robot.spec.drive.wheel_diameter / 2


def joint_position(joint: SceneObject) -> float:
    """Return the angle of the wheel [rad], in (-pi, pi] because these joints are cyclic."""
    robot, radius = find_wheel(joint)
    return wrap(robot.travel[joint.channel] / radius)


def joint_frame(joint: SceneObject) -> Frame:
    """Return the frame of a joint's child in the frame of the joint: a rotation about its z axis."""
    return floor_frame(Pose(0.0, 0.0, joint_position(joint)))


def joint_velocity(joint: SceneObject) -> float:
    """Return the angular velocity of the wheel [rad/s]."""
    robot, radius = find_wheel(joint)
    return robot.wheel_speeds[joint.channel] / radius


def target_velocity(joint: SceneObject) -> float:
    """Return the commanded angular velocity of the wheel [rad/s]."""
    robot, radius = find_wheel(joint)
    return robot.command[joint.channel] / radius


def set_target_velocity(joint: SceneObject, velocity: float) -> None:
    """Set the angular velocity of a wheel [rad/s]; the other wheel keeps its command."""
    robot, radius = find_wheel(joint)
    if not math.isfinite(velocity):
        raise PaddockError(f"{joint}: expected a finite velocity in rad/s, got {velocity!r}")
    speeds = list(robot.command)
    speeds[joint.channel] = velocity * radius
    robot.set_wheels(*speeds)


def refuse_position(joint: SceneObject) -> None:
    """Raise an error: wheels are driven by velocity, and their angle cannot be set."""
    find_wheel(joint)
    raise PaddockError(f"{joint} is driven by velocity: its angle cannot be set")
