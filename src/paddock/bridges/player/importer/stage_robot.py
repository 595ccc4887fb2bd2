"""Convert position models of Stage to robots, with their rangers, lasers and bumpers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator

from paddock.bridges.player.importer.stage_shapes import StageUnits, convex_hull, find_color, fit, list_blocks, place
from paddock.bridges.player.importer.stage_text import StageEntity
from paddock.core.geometry import ORIGIN, Pose, compose, rectangle
from paddock.simulation.robots.drives import DifferentialDrive
from paddock.simulation.robots.robot_spec import BodySpec, RobotSpec
from paddock.simulation.sensors.bumper import BumperSpec
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import Mount, SensorSpec
from paddock.simulation.sensors.sonar import SonarSpec

VELOCITIES = (-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -90.0, 90.0)  # default bounds of Stage [m/s], [degrees/s]
VIEW = (0.0, 8.0, 180.0)  # minimum and maximum range [m], angle [degrees]
SONAR_VIEW = (0.0, 5.0, 15.0)
SAMPLES = 180
LOOK_HEIGHT = 0.05  # [m] mounting height at which sensors detect all obstacles, because Stage's worlds are flat
BODY_COLOR = "#c0392b"  # default colour
WHEELS = 0.8  # wheel separation relative to the body's width; Stage has no wheels
WHEEL_DIAMETER = 0.5  # relative to the body's height
SENSING = ("ranger", "laser", "bumper")
Namer = Callable[[str], str]  # returns a new name for a sensor of a kind


def make_robot(entity: StageEntity, units: StageUnits) -> RobotSpec:
    """Convert a position model to a robot type."""
    drive = entity.text("drive", "diff")
    if drive != "diff":
        raise entity.problem(f'expected "diff", got "{drive}": only differential drives are supported', "drive")
    length, width, height = units.size(entity)
    blocks = list_blocks(entity)
    corners = [point for polygon in fit(blocks, length, width) for point in polygon] if blocks else []
    outline = place(convex_hull(corners) if corners else rectangle(length, width), units.pose(entity, "origin"))
    body = BodySpec(
        outline=tuple((round(x, 6), round(y, 6)) for x, y in outline),
        height=height,
        mass=entity.number("mass", 0.0) or None,
        color=find_color(entity) or BODY_COLOR,
    )
    name = re.sub(r"[^\w-]", "-", entity.type)
    sensors = (*_list_sensors(entity, units), EncodersSpec(name="encoders"))  # Stage's robots have odometry
    return RobotSpec(name=name, body=body, drive=_make_drive(entity, units), sensors=sensors)


def _make_drive(entity: StageEntity, units: StageUnits) -> DifferentialDrive:
    _, width, height = units.size(entity)
    separation, reach = WHEELS * width, WHEELS * width / 2

    def at_rim(key: str, default: tuple[float, ...]) -> float:
        bounds = entity.numbers(key, default, least=8)
        return bounds[1] * units.metres + bounds[7] * units.radians * reach

    fastest = at_rim("velocity_bounds", VELOCITIES)
    if not fastest > 0:
        raise entity.problem("expected a maximum speed > 0", "velocity_bounds")
    limited = "acceleration_bounds" in entity.properties
    return DifferentialDrive(
        wheel_separation=round(separation, 6),
        wheel_diameter=round(WHEEL_DIAMETER * height, 6),
        max_speed=round(fastest, 6),
        max_acceleration=round(at_rim("acceleration_bounds", ()), 6) if limited else None,
    )


def _list_sensors(entity: StageEntity, units: StageUnits) -> Iterator[SensorSpec]:
    """Iterate over its sensors in the order of the file, which is that of ranger:0, ranger:1 …"""
    counts: Counter[str] = Counter()

    def name(kind: str) -> str:
        counts[kind] += 1
        return kind if counts[kind] == 1 else f"{kind}{counts[kind]}"

    for child, pose in walk_parts(entity, units):
        if child.base == "bumper":
            mounts = _list_mounts(child, units, pose, "bpose", int(child.number("bcount", 0)))
            if mounts:
                yield BumperSpec(name=name("bumper"), mounts=mounts, width_deg=360 / len(mounts))
        elif child.base == "laser":
            yield _make_laser(child, units, name("laser"), pose, SAMPLES)
        elif child.base == "ranger":
            yield from _make_rangers(child, units, name, pose)


def walk_parts(entity: StageEntity, units: StageUnits, pose: Pose = ORIGIN) -> Iterator[tuple[StageEntity, Pose]]:
    """Iterate over all models attached to a model, with their poses relative to it."""
    for child in entity.children:
        if child.base not in ("block", "sensor"):
            here = compose(pose, units.pose(child))
            yield child, here
            yield from walk_parts(child, units, here)


def _make_rangers(entity: StageEntity, units: StageUnits, name: Namer, pose: Pose) -> Iterator[SensorSpec]:
    """Convert a ranger to a ring of sonars, or to a scanner if its only sensor has several samples.

    With several sensors, Stage sends one distance of each to Player's clients, whatever their samples.
    """
    sensors = [child for child in entity.children if child.base == "sensor"]
    count = int(entity.number("scount", 0))
    if count:
        mounts = _list_mounts(entity, units, pose, "spose", count)
        yield _make_sonar(entity, units, name("sonar"), mounts, "sview")
    elif not sensors:
        yield _make_laser(entity, units, name("laser"), pose, SAMPLES)
    elif len(sensors) == 1 and sensors[0].number("samples", 1) > 1:
        yield _make_laser(sensors[0], units, name("laser"), compose(pose, units.pose(sensors[0])), 1)
    else:
        mounts = tuple(_mount(compose(pose, units.pose(sensor))) for sensor in sensors)
        yield _make_sonar(sensors[0], units, name("sonar"), mounts, "view")


def _read_view(entity: StageEntity, units: StageUnits, key: str, usual: tuple[float, ...]) -> tuple[float, float]:
    """Return the maximum range [m] and the angle [degrees]; versions of Stage use different properties."""
    _, longest, angle = entity.numbers(key, usual, least=3)
    longest = entity.numbers("range", (0.0, longest), least=2)[1]
    longest = entity.number("range_max", longest) * units.metres
    angle = math.degrees(entity.number("fov", angle) * units.radians)
    if not longest > 0 or not 0 < angle <= 360:
        raise entity.problem(f"expected a range > 0 and an angle of at most a turn, got {longest:g} and {angle:g}")
    return round(longest, 6), round(angle, 6)  # removes rounding errors of radians


def _make_sonar(entity: StageEntity, units: StageUnits, name: str, mounts: tuple[Mount, ...], key: str) -> SonarSpec:
    longest, angle = _read_view(entity, units, key, SONAR_VIEW)
    return SonarSpec(name=name, mounts=mounts, range=longest, cone_deg=min(angle, 175.0))


def _make_laser(entity: StageEntity, units: StageUnits, name: str, pose: Pose, usual: int) -> LaserSpec:
    longest, angle = _read_view(entity, units, "view", VIEW)
    samples = int(entity.number("samples", usual))
    if not 2 <= samples <= 4096:
        raise entity.problem(f"expected 2 to 4096 samples, got {samples}", "samples")
    return LaserSpec(name=name, mounts=(_mount(pose),), range=longest, fov_deg=angle, beams=samples)


def _list_mounts(entity: StageEntity, units: StageUnits, pose: Pose, key: str, count: int) -> tuple[Mount, ...]:
    for k in range(count):
        if f"{key}[{k}]" not in entity.properties:
            raise entity.problem(f"{key}[{k}] is missing: expected {count}")
    return tuple(_mount(compose(pose, units.pose(entity, f"{key}[{k}]"))) for k in range(count))


def _mount(pose: Pose) -> Mount:
    return round(pose.x, 6), round(pose.y, 6), LOOK_HEIGHT, round(math.degrees(pose.heading), 6)
