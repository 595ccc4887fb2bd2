"""The robot of a task's world, and the inputs of a controller from its sensors."""

from __future__ import annotations

from collections.abc import Collection

from paddock.control.policies.policy import Input, nearness
from paddock.core.errors import PaddockError, UnknownName
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.ground import GroundSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.placement import robot_types

RANGING = (ProximitySpec, SonarSpec, LaserSpec)


def get_only_robot(world: WorldSpec) -> RobotSpec:
    """Return the type of a world's only robot; raise if it has another number of robots."""
    kinds = robot_types(world)
    if len(kinds) != 1:
        raise PaddockError(f"{world.name}: expected a world with one robot, got {len(kinds)}")
    return kinds[0]


def make_range_input(robot: RobotSpec, device: str, range: float) -> Input:
    """Return the distances of a robot's device as nearness within a range [m]."""
    names = [sensor.name for sensor in robot.sensors]
    if device not in names:
        raise UnknownName(f"device of {robot.name}", device, names)
    return nearness(device, robot.sensor(device).channels, range=range)


def make_all_inputs(robot: RobotSpec, devices: Collection[str] = ()) -> tuple[Input, ...]:
    """Return the inputs of all range and ground sensors of a robot; with devices, only of these."""
    found: list[Input] = []
    for sensor in robot.sensors:
        if devices and sensor.name not in devices:
            continue
        if isinstance(sensor, RANGING) and not sensor.polled:
            found.append(nearness(sensor.name, sensor.channels, range=sensor.range))
        elif isinstance(sensor, GroundSpec):
            found.append(Input(device=sensor.name, values=sensor.channels, zero=0.5, gain=2.0))
    if not found:
        raise PaddockError(f"{robot.name}: expected a robot with a range or ground sensor as input of the network")
    return tuple(found)
