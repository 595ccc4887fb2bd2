"""Lines that a USARSim server sends about a robot, in the classic dialect (UT2004): one function for each kind of line.

Poses are x, y [m] and heading [rad] in Paddock's frame. In USARSim's frame, y points right, z down, yaw is clockwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paddock.bridges.usarsim.wire.text import format_line, format_number, join_words
from paddock.core.geometry import Pose, wrap

Vector = tuple[float, float, float]


def mirror_pose(pose: Pose) -> Pose:
    """Convert a pose from Paddock's frame to USARSim's or back; the function is its own inverse."""
    return Pose(pose.x, 0.0 - pose.y, wrap(0.0 - pose.heading))  # never -0.0


def greeting_line(level: str, limit: int = 0) -> bytes:
    """Return the first line for a client: the world, and the time limit of a run [min]."""
    return format_line("NFO", "Gametype BotDeathMatch", f"Level {level}", f"TimeLimit {limit}")


def start_poses_line(starts: Mapping[str, Pose]) -> bytes:
    """Return the list of start poses."""
    poses = [(name, *_place(pose)) for name, pose in starts.items()]
    return format_line(
        "NFO", f"StartPoses {len(poses)}", *([" ".join(map(join_words, sum(poses, ())))] if poses else [])
    )


def state_line(time: float) -> bytes:
    """Return the state of the robot's body."""
    return format_line(
        "STA", "Type GroundVehicle", f"Time {format_number(time, 2)}", "FrontSteer 0.0000", "RearSteer 0.0000",
        "LightToggle False", "LightIntensity 0", "Battery 1200", "View -1",
    )  # fmt: skip


def sonar_line(time: float, ranges: Sequence[float]) -> bytes:
    """Return the ranges of all sonars, F1 first."""
    named = [join_words("Name", f"F{k + 1}", "Range", float(value)) for k, value in enumerate(ranges)]
    return format_line("SEN", _time(time), "Type Sonar", *named)


def scanner_line(time: float, ranges: Sequence[float], fov: float, resolution: float) -> bytes:
    """Return a sweep of the laser scanner."""
    return format_line(
        "SEN", _time(time), "Type RangeScanner", "Name Scanner1", join_words("Resolution", float(resolution)),
        join_words("FOV", float(fov)), join_words("Range", list(ranges)),
    )  # fmt: skip


def odometry_line(pose: Pose) -> bytes:
    """Return the pose from wheel odometry, relative to the start pose."""
    return format_line("SEN", "Type Odometry", "Name Odometry", join_words("Pose", list(mirror_pose(pose))))


def inertial_line(pose: Pose) -> bytes:
    """Return the pose from inertial navigation."""
    location, orientation = _place(pose)
    return format_line(
        "SEN", "Type INS", "Name INS", join_words("Location", location), join_words("Orientation", orientation)
    )


def ground_truth_line(time: float, pose: Pose) -> bytes:
    """Return the true pose."""
    location, orientation = _place(pose)
    return format_line(
        "SEN", _time(time), "Type GroundTruth", "Name GroundTruth", join_words("Location", location),
        join_words("Orientation", orientation),
    )  # fmt: skip


def encoder_line(ticks: Mapping[str, int]) -> bytes:
    """Return the encoder counts of wheels and joints."""
    return format_line("SEN", "Type Encoder", *(f"Name {name} Tick {count}" for name, count in ticks.items()))


def pan_line(time: float, pan: float) -> bytes:
    """Return the pan angle of the camera's head; `pan` is counter-clockwise [rad]."""
    links = [(1, -pan), (2, 0.0)]
    words = [
        text for link, value in links for text in (f"Link {link}", join_words("Value", float(value)), "Torque -20.00")
    ]
    return format_line("MISSTA", f"Time {format_number(time, 2)}", "Name CameraPanTilt", *words)


def result_line(time: float, type: str, name: str, *, done: bool) -> bytes:
    """Return the result of a SET command."""
    return format_line("RES", _time(time), f"Type {type}", f"Name {name}", f"Status {'OK' if done else 'Failed'}")


def mount_words(name: str, location: Vector, yaw: float, mount: str = "HARD") -> str:
    """Return the mount of a sensor: x forward, y left, z up [m], yaw counter-clockwise [rad], in the robot's frame."""
    x, y, z = location
    words = ("Name", name, "Location", (x, -y, -z), "Orientation", (0.0, 0.0, -yaw), "Mount", mount)
    return join_words(*words)


def body_line(
    name: str, dimensions: Vector, *, wheel_radius: float, wheel_separation: float, wheel_base: float = 0.0
) -> bytes:
    """Return the dimensions of a robot [m]."""
    return format_line(
        "GEO", "Type GroundVehicle", f"Name {name}", join_words("Dimensions", dimensions),
        join_words("COG", (0.0, 0.0, 0.0)), join_words("WheelRadius", wheel_radius),
        join_words("WheelSeparation", wheel_separation), join_words("WheelBase", wheel_base),
    )  # fmt: skip


def drive_line(name: str, *, mass: float, max_speed: float) -> bytes:
    """Return the drive of a robot: its mass [kg] and the maximum speed of its wheels [rad/s]."""
    return format_line(
        "CONF", "Type GroundVehicle", f"Name {name}", "SteeringType SkidSteered", join_words("Mass", mass),
        join_words("MaxSpeed", max_speed), "MaxTorque 60.0000", "MaxFrontSteer 0.0000", "MaxRearSteer 0.0000",
    )  # fmt: skip


def odometry_settings(interval: float, resolution: float) -> list[str]:
    """Return the period of odometry reports [s] and the encoder resolution [rad per tick]."""
    return ["Name Odometry", join_words("ScanInterval", interval), join_words("EncoderResolution", resolution)]


def link_settings(link: int, speed: float, low: float, high: float) -> list[str]:
    """Return the settings of a mission package's link: maximum speed [rad/s] and limits [rad], in USARSim's frame."""
    numbers = {"MaxSpeed": speed, "MaxTorque": 20.0, "MinRange": low, "MaxRange": high}
    shown = [f"{key} {format_number(value, 2)}" for key, value in numbers.items()]
    return [f"Link {link}", "JointType Revolute", *shown]


def link_place(link: int, parent: int, location: Vector) -> list[str]:
    """Return the origin of a mission package's link: x forward, y left, z up [m], in its parent (-1: the robot)."""
    x, y, z = location
    where = [join_words("Location", (x, -y, -z)), join_words("Orientation", (0.0, 0.0, 0.0))]
    return [f"Link {link}", f"ParentLink {parent}", *where]


def _time(time: float) -> str:
    return join_words("Time", float(time))


def _place(pose: Pose) -> tuple[Vector, Vector]:
    x, y, yaw = mirror_pose(pose)
    return (x, y, 0.0), (0.0, 0.0, yaw)


ROBOT_CLASSES = {"P2DX": "pioneer-p2dx", "P3DX": "pioneer-p3dx", "EPuck": "e-puck"}
"""The shipped robot for each class."""


def find_class_robot(name: str) -> str:
    """Return the shipped robot for a class such as `USARBot.P2DX`; any other word is used as the name of a robot."""
    last = name.rpartition(".")[2].lower()
    return next((robot for known, robot in ROBOT_CLASSES.items() if known.lower() == last), last)
