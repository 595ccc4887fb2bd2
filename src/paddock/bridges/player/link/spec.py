"""The spec of a robot in a Player server, built from the server's description."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from paddock.bridges.player.importer.stage_robot import WHEELS
from paddock.bridges.player.link.client import Place, PlayerClient
from paddock.bridges.player.wire import PlayerInterface
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, compose, rectangle
from paddock.simulation.robots import RobotSpec
from paddock.simulation.robots.drives import DifferentialDrive
from paddock.simulation.robots.robot_spec import BodySpec
from paddock.simulation.sensors.bumper import BumperSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import Mount, SensorSpec
from paddock.simulation.sensors.sonar import SonarSpec

USUAL_SIZE = (0.4, 0.4, 0.3)  # [m] width, length, height, if the server reports none
USUAL_RANGE, USUAL_CONE = 8.0, 15.0  # [m], [degrees]
MAX_SPEED, WHEEL_DIAMETER = 1.0, 0.2  # defaults: Player reports neither; set `type` for the actual values
KNOWN = (PlayerInterface.RANGER, PlayerInterface.LASER, PlayerInterface.SONAR, PlayerInterface.BUMPER)


class PlayerSource(NamedTuple):
    """The device and the range of values of a sensor."""

    place: Place
    first: int  # index of the sensor's first value among those of the device
    whole: int  # number of values of the device


def choose_devices(devices: Sequence[Place]) -> list[Place]:
    """Return all sensors at the port if it has a single robot. Rangers are preferred to lasers and sonars."""
    robots = [place for place in devices if place[0] == PlayerInterface.POSITION2D]
    if len(robots) > 1:
        return []
    ranger = any(interface == PlayerInterface.RANGER for interface, _ in devices)
    older = (PlayerInterface.LASER, PlayerInterface.SONAR)
    return [place for place in devices if place[0] in KNOWN and not (ranger and place[0] in older)]


def describe_robot_there(
    client: PlayerClient, position: Place, sensors: Sequence[Place], kind: RobotSpec | None
) -> tuple[RobotSpec, Mapping[str, PlayerSource]]:
    """Return the robot's spec, and the source of the values of each sensor by name.

    Args:
        client: the connection; all devices are subscribed to.
        position: the robot's position2d device.
        sensors: its sensors.
        kind: spec of its type, if known; body and drive are taken from it.
    """
    found: list[SensorSpec] = []
    sources: dict[str, PlayerSource] = {}
    counts: Counter[str] = Counter()
    for place in sensors:
        first, specs = 0, _describe_sensors(client, place)
        for spec in specs:
            counts[spec.kind] += 1
            name = spec.kind if counts[spec.kind] == 1 else f"{spec.kind}{counts[spec.kind]}"
            found.append(replace(spec, name=name))
            sources[name] = PlayerSource(place, first, sum(spec.channels for spec in specs))
            first += spec.channels
    if kind is None:
        kind = _describe_body(client, position)
    return replace(kind, sensors=tuple(found), leds=(), speaker=False), sources


def _describe_body(client: PlayerClient, position: Place) -> RobotSpec:
    _, size = layout.GEOMETRY.unpack(client.ask(position, 1))
    width, length, height = (given if given > 0 else usual for given, usual in zip(size, USUAL_SIZE, strict=True))
    drive = DifferentialDrive(wheel_separation=WHEELS * width, wheel_diameter=WHEEL_DIAMETER, max_speed=MAX_SPEED)
    return RobotSpec(name="player", body=BodySpec(outline=rectangle(length, width), height=height), drive=drive)


def _describe_sensors(client: PlayerClient, place: Place) -> list[SensorSpec]:
    """Return the specs of a device: one sensor, or several scanners whose values are concatenated."""
    interface = place[0]
    try:
        if interface == PlayerInterface.BUMPER:
            (bumpers,) = layout.BUMPER_GEOMETRY.unpack(client.ask(place, 1))
            mounts = tuple(_list_mounts(b[:6] for b in bumpers))
            return [BumperSpec(name="bumper", mounts=mounts, width_deg=360 / len(bumpers))]
        if interface == PlayerInterface.SONAR:
            (poses,) = layout.POSES.unpack(client.ask(place, 1))
            return [_make_sonar(poses, USUAL_RANGE, USUAL_CONE)]
        if interface == PlayerInterface.LASER:
            pose, _ = layout.GEOMETRY.unpack(client.ask(place, 1))
            low, high, _, longest, *_ = layout.LASER_SETTINGS.unpack(client.ask(place, 3))
            return [_make_laser(pose, low, high, len(client.get_values(place)), longest)]
        pose, _, poses, _ = layout.RANGER_GEOMETRY.unpack(client.ask(place, 1))
        low, high, _, _, longest, *_ = layout.RANGER_SETTINGS.unpack(client.ask(place, 5))
        poses = [_place_on(pose, element) for element in poses]
        beams = len(client.get_values(place))  # servers report the angular step in different ways
        if beams > len(poses) > 0:
            if beams % len(poses):
                raise PaddockError(f"expected as many values of each of its {len(poses)} scanners, got {beams} in all")
            return [_make_laser(scanner, low, high, beams // len(poses), longest) for scanner in poses]
        return [_make_sonar(poses, longest or USUAL_RANGE, math.degrees(high - low) or USUAL_CONE)]
    except (PaddockError, ZeroDivisionError) as error:
        raise PaddockError(f"{client.name}: device {place[0]}:{place[1]} cannot be described: {error}") from None


def _place_on(pose: Sequence[float], element: Sequence[float]) -> tuple[float, ...]:
    """Return the pose on the robot of an element of an upright device."""
    x, y, heading = compose(Pose(pose[0], pose[1], pose[5]), Pose(element[0], element[1], element[5]))
    return x, y, pose[2] + element[2], 0.0, 0.0, heading


def _make_laser(pose: Sequence[float], low: float, high: float, beams: int, longest: float) -> LaserSpec:
    (mount,) = _list_mounts([pose])
    x, y, z, heading = mount
    heading += math.degrees(low + high) / 2
    return LaserSpec(
        name="laser", mounts=((x, y, z, heading),), range=longest, beams=beams, fov_deg=math.degrees(high - low)
    )


def _make_sonar(poses: Sequence[Sequence[float]], longest: float, cone: float) -> SonarSpec:
    return SonarSpec(name="sonar", mounts=tuple(_list_mounts(poses)), range=longest, cone_deg=cone)


def _list_mounts(poses: Iterable[Sequence[float]]) -> Iterator[Mount]:
    for x, y, z, _, _, yaw in poses:
        yield x, y, z, math.degrees(yaw)
