"""Robots as URDF: all links are connected, and sensors are at their mounts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from command_line import paddock
from paddock.simulation.robots import describe_as_urdf, load_robot, robot_names
from paddock.simulation.sensors import Pivot, SonarSpec


@pytest.mark.parametrize("name", robot_names())
def test_every_link_is_connected_to_the_base(name: str) -> None:
    spec = load_robot(name)
    root = ElementTree.fromstring(describe_as_urdf(spec))
    links = [link.attrib["name"] for link in root.findall("link")]
    joints = root.findall("joint")
    children = [joint.find("child").attrib["link"] for joint in joints]
    parents = {joint.find("parent").attrib["link"] for joint in joints}
    assert sorted([*children, "base_link"]) == sorted(links)
    assert len(set(links)) == len(links)
    assert parents <= set(links)
    assert len({joint.attrib["name"] for joint in joints}) == len(joints)
    kinds = {joint.attrib["name"]: joint.attrib["type"] for joint in joints}
    wheels = {f"{wheel.name}_joint" for wheel in load_robot(name).drive.wheels}
    assert {kind for joint, kind in kinds.items() if joint in wheels} == {"continuous"}
    assert wheels <= kinds.keys()
    assert sum(len(sensor.mounts) for sensor in spec.sensors) <= len(links)


def test_sensor_is_at_its_mount() -> None:
    root = ElementTree.fromstring(describe_as_urdf(load_robot("pioneer-p3dx")))
    origin = root.find("joint[@name='sonar1_joint']/origin")
    assert origin is not None
    assert origin.attrib["xyz"] == "0.114 0.119 0.211"
    assert float(origin.attrib["rpy"].split()[2]) == pytest.approx(math.radians(50))
    wheel = root.find("joint[@name='left_wheel_joint']/origin")
    assert wheel is not None
    assert wheel.attrib["xyz"] == "0 0.165 0.0975"
    assert root.find("link[@name='base_link']/visual/geometry/box") is not None


@pytest.mark.parametrize(("color", "rgba"), [("#00ff00", "0 1 0 1"), ("#0f0", "0 1 0 1"), ("lime", "0 1 0 1")])
def test_body_has_its_colour(color: str, rgba: str) -> None:
    spec = load_robot("e-puck")
    painted = replace(spec, body=replace(spec.body, color=color))
    found = ElementTree.fromstring(describe_as_urdf(painted)).find(".//material/color")
    assert found is not None
    assert found.attrib["rgba"] == rgba


def test_command_writes_urdf(tmp_path: Path) -> None:
    file = tmp_path / "e-puck.urdf"
    assert paddock("robot", "urdf", "e-puck", "-o", str(file)).returncode == 0
    printed = paddock("robot", "urdf", "e-puck").stdout
    assert file.read_text() == describe_as_urdf(load_robot("e-puck")) == printed
    assert "already exists" in " ".join(paddock("robot", "urdf", "e-puck", "-o", str(file)).stderr.split())


def test_mounts_of_one_pivot_have_mimic_joints() -> None:
    turret = SonarSpec(
        name="turret", mounts=((0, 0, 0.1, 0),) * 3, range=1, cone_deg=10, pivot=Pivot(min_deg=-90, max_deg=90)
    )
    root = ElementTree.fromstring(describe_as_urdf(replace(load_robot("scout"), sensors=(turret,))))
    names = [joint.attrib["name"] for joint in root.findall("joint")]
    assert len(set(names)) == len(names)
    assert "turret_pan_joint" in names
    assert [joint.get("joint") for joint in root.iter("mimic")] == ["turret_pan_joint"] * 2
