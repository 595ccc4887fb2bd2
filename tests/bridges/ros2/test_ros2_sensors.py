"""Every sensor of every shipped robot has topics with valid ROS messages."""

from __future__ import annotations

import re

import pytest

import paddock
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.ros2.robot_topics import RosRobot
from paddock.bridges.ros2.sensor_topics import ROS_SENSORS, SensorNames, list_sensor_topics
from paddock.bridges.ros2.wire import decode_cdr, encode_cdr
from paddock.bridges.ros2.wire import messages as ros
from paddock.simulation.robots import robot_names
from paddock.simulation.sensors.sensor_registry import SENSORS
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

NAME = re.compile(r"(/[A-Za-z_][A-Za-z0-9_]*)+")
ROBOTS = tuple(RobotPlacement(name=name, type=name, at=(1.0 + 1.5 * i, 1.0)) for i, name in enumerate(robot_names()))


@pytest.fixture(scope="module")
def robots() -> dict[str, RosRobot]:
    world = WorldSpec(name="row", bounds=(0.0, 0.0, 2.0 + 1.5 * len(ROBOTS), 2.0), robots=ROBOTS)
    live = ArenaWorld(paddock.open(world, seed=1))
    return {robot.name: RosRobot(robot, "") for robot in live.list_robots()}


@pytest.mark.parametrize("name", robot_names())
def test_all_topics_of_a_robot_carry_valid_messages(name: str, robots: dict[str, RosRobot]) -> None:
    robot = robots[name]
    robot.update()
    topics = [*robot.list_topics(), *list_sensor_topics(robot)]
    taken = [subscription.name for subscription in robot.list_subscriptions()]
    names = [topic.name for topic in topics]
    assert len(set(names)) == len(names)
    assert not set(names) & set(taken)
    assert all(NAME.fullmatch(topic) for topic in names)
    for topic in topics:
        data = encode_cdr(topic.make())
        assert encode_cdr(decode_cdr(topic.type, data)) == data
    told = " ".join(names)
    for sensor in robot.robot.spec.sensors:
        instead = {"encoders": "odom", "laser": "scan", "constant": "battery_state"}.get(sensor.kind, "imu")
        assert sensor.name in told or instead in told, sensor.name


def test_humble_nodes_receive_the_humble_range_message(robots: dict[str, RosRobot]) -> None:
    topics = {topic.name: topic for topic in list_sensor_topics(robots["pioneer-p3dx"], humble=True)}
    assert topics["/sonar0"].type is ros.HumbleRange
    assert isinstance(topics["/sonar0"].make(), ros.HumbleRange)
    assert topics["/scan"].type is ros.LaserScan


def test_every_ros_sensor_kind_is_a_known_sensor_kind() -> None:
    assert set(ROS_SENSORS) <= set(SENSORS)
    assert all(callable(ROS_SENSORS.get(name)) for name in ROS_SENSORS)


def test_topic_names_are_unique() -> None:
    names = SensorNames()
    assert [names.choose("a b"), names.choose("a-b"), names.choose("odom")] == ["a_b", "a_b_2", "odom_2"]
    assert (names.choose_once("scan"), names.choose_once("scan")) == ("scan", None)
