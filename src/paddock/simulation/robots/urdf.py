"""Convert robots to URDF, the robot description format of ROS: links, joints and visuals."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from paddock.core.geometry import compute_bounds
from paddock.core.spec import rgb
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec

LEFT_WHEEL, RIGHT_WHEEL = "left_wheel_joint", "right_wheel_joint"
WHEEL_WIDTH = 0.1  # relative to the diameter, because a robot's file contains no width
DENSITY = 500.0  # [kg/m³] of bodies of unknown mass
OPTICAL = (-math.pi / 2, 0.0, -math.pi / 2)  # roll, pitch, yaw of a camera's optical frame: x right, y down, z ahead


def describe_as_urdf(spec: RobotSpec) -> str:
    """Return a URDF document. `base_link` is on the floor below the axle's centre; bodies are boxes or discs."""
    root = Element("robot", name=spec.name)
    _add_body(root, spec)
    _add_wheels(root, spec)
    for sensor in spec.sensors:
        _add_sensor(root, sensor)
    indent(root)
    return f'<?xml version="1.0"?>\n{tostring(root, encoding="unicode")}\n'


def pan_joint(sensor: str) -> str:
    """Return the joint name of a pivoting sensor."""
    return f"{sensor}_pan_joint"


def _add_body(root: Element, spec: RobotSpec) -> None:
    body = spec.body
    x0, y0, x1, y1 = compute_bounds(body.shape)
    size, middle = (x1 - x0, y1 - y0, body.height), ((x0 + x1) / 2, (y0 + y1) / 2, body.height / 2)
    link = SubElement(root, "link", name="base_link")
    mass = body.mass or DENSITY * math.prod(size)
    for part in ("visual", "collision"):
        element = SubElement(link, part)
        SubElement(element, "origin", xyz=_join(*middle), rpy=_join(0, 0, 0))
        geometry = SubElement(element, "geometry")
        if body.radius is not None:
            SubElement(geometry, "cylinder", radius=_join(body.radius), length=_join(body.height))
        else:
            SubElement(geometry, "box", size=_join(*size))
        if part == "visual":
            material = SubElement(element, "material", name="body")
            SubElement(material, "color", rgba=_join(*(channel / 255 for channel in rgb(body.color)), 1))
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=_join(*middle), rpy=_join(0, 0, 0))
    SubElement(inertial, "mass", value=_join(mass))
    a, b, c = (mass / 12 * side**2 for side in size)
    SubElement(
        inertial, "inertia", ixx=_join(b + c), iyy=_join(a + c), izz=_join(a + b), ixy="0", ixz="0", iyz="0"
    )  # fmt: skip


def _add_wheels(root: Element, spec: RobotSpec) -> None:
    radius = spec.drive.wheel_diameter / 2
    for name, x, y, heading in spec.drive.wheels:
        joint = f"{name}_joint"
        link = SubElement(root, "link", name=name)
        visual = SubElement(link, "visual")
        SubElement(visual, "origin", xyz=_join(0, 0, 0), rpy=_join(math.pi / 2, 0, 0))
        geometry = SubElement(visual, "geometry")
        SubElement(geometry, "cylinder", radius=_join(radius), length=_join(WHEEL_WIDTH * 2 * radius))
        element = _add_joint(root, joint, "continuous", "base_link", name, (x, y, radius), (0.0, 0.0, heading))
        SubElement(element, "axis", xyz=_join(0, 1, 0))


def _add_sensor(root: Element, spec: SensorSpec) -> None:
    single = len(spec.mounts) == 1
    for i, (x, y, z, heading) in enumerate(spec.mounts):
        name = spec.name if single else f"{spec.name}{i}"
        SubElement(root, "link", name=name)
        place, turn = (x, y, z), (0.0, 0.0, math.radians(heading))
        pivot = spec.pivot if isinstance(spec, RangeSensorSpec) else None
        if pivot is None:
            _add_joint(root, f"{name}_joint", "fixed", "base_link", name, place, turn)
        else:
            first = pan_joint(spec.name)
            joint = _add_joint(root, pan_joint(name) if i else first, "revolute", "base_link", name, place, turn)
            if i:  # all mounts turn together
                SubElement(joint, "mimic", joint=first)
            SubElement(joint, "axis", xyz=_join(0, 0, 1))
            low, high, rate = (math.radians(part) for part in (pivot.min_deg, pivot.max_deg, pivot.rate_deg_s))
            SubElement(joint, "limit", lower=_join(low), upper=_join(high), velocity=_join(rate), effort="0")
    if isinstance(spec, CameraSpec):
        SubElement(root, "link", name=f"{spec.name}_optical_frame")
        _add_joint(
            root, f"{spec.name}_optical_joint", "fixed", spec.name, f"{spec.name}_optical_frame", (0, 0, 0), OPTICAL
        )  # fmt: skip


Vector = tuple[float, float, float]


def _add_joint(root: Element, name: str, kind: str, parent: str, child: str, place: Vector, turn: Vector) -> Element:
    joint = SubElement(root, "joint", name=name, type=kind)
    SubElement(joint, "origin", xyz=_join(*place), rpy=_join(*turn))
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)
    return joint


def _join(*numbers: float) -> str:
    return " ".join(f"{number:.10g}" for number in numbers)
