"""USARSim's description of a robot: the answers to GETGEO and GETCONF."""

from __future__ import annotations

import math
from collections.abc import Iterator

from paddock.bridges.usarsim.sensors import ODOMETRY_PERIOD, PERIOD
from paddock.bridges.usarsim.wire import UsarLine, format_line, join_words
from paddock.bridges.usarsim.wire import messages as lines
from paddock.core.geometry import compute_bounds
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import Pivot, RangeSensorSpec, SensorSpec

TYPES = {
    "sonar": "Sonar", "laser": "RangeScanner", "encoders": "Encoder", "inertial": "INS", "position": "GroundTruth",
    "camera": "Camera",
}  # fmt: skip
NAMES = {"laser": "Scanner1", "inertial": "INS", "position": "GroundTruth", "camera": "Camera"}
WHEELS = {"ECLeft": "LeftFWheel", "ECRight": "RightFWheel"}
JOINTS = {"ECTilt": "CameraPanTilt_Link2", "ECPan": "CameraPanTilt_Link1"}
PAN_TILT = "CameraPanTilt"
ENCODER_TURN = math.pi / 2  # [rad] yaw of an encoder on its shaft
DEGREE = math.radians(1.0)  # [rad] per tick of a joint encoder


def describe_robot(spec: RobotSpec, class_name: str, line: UsarLine) -> bytes:
    """Return the answer to GETGEO or GETCONF. The answer for a missing sensor contains only the type."""
    asked, name, kind = (
        (line.get("Type") or "").lower(),
        (line.get("Name") or "").lower(),
        line.type.removeprefix("GET"),
    )
    if asked in ("robot", "groundvehicle"):
        return _describe_body(spec, class_name, kind)
    if asked == "mispkg":
        return format_line(kind, "Type MisPkg", *_describe_pan_tilt(spec, kind))
    if asked == "odometry":
        return format_line(kind, "Type Odometry", *_describe_odometry(spec, kind))
    describe = _list_mounts if kind == "GEO" else _list_settings
    sensors = [sensor for sensor in spec.sensors if TYPES.get(sensor.kind, "").lower() == asked]
    parts = [part for sensor in sensors for part in describe(sensor, spec)]
    chosen = [words for part, words in parts if name in ("", part.lower())]
    answered = TYPES[sensors[0].kind] if sensors else line.get("Type") or ""
    return format_line(kind, f"Type {answered}", *(word for words in chosen for word in words))


def compute_count_angle(encoders: EncodersSpec, spec: RobotSpec) -> float:
    """Return the rotation of a wheel per encoder count [rad]."""
    return 1 / ((encoders.scale or 1.0) * spec.drive.wheel_diameter / 2)


def _describe_body(spec: RobotSpec, class_name: str, kind: str) -> bytes:
    drive = spec.drive
    if kind == "CONF":
        return lines.drive_line(
            class_name, mass=spec.body.mass or 0.0, max_speed=drive.max_speed / (drive.wheel_diameter / 2)
        )
    x0, y0, x1, y1 = compute_bounds(spec.body.shape)
    return lines.body_line(
        class_name,
        (x1 - x0, y1 - y0, spec.body.height),
        wheel_radius=drive.wheel_diameter / 2,
        wheel_separation=drive.wheel_separation,
    )


def _list_mounts(sensor: SensorSpec, spec: RobotSpec) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the segment of each part of a sensor."""
    if isinstance(sensor, EncodersSpec):
        for name, mount in _encoders(spec).items():
            yield name, [lines.mount_words(name, (0.0, 0.0, 0.0), -ENCODER_TURN, mount)]
        return
    for name, (x, y, z, heading) in zip(_list_names(sensor), sensor.mounts, strict=True):
        mount = f"{PAN_TILT}_Link2" if _pivot(sensor) else "HARD"
        yield name, [lines.mount_words(name, (x, y, z), math.radians(heading), mount)]


def _list_settings(sensor: SensorSpec, spec: RobotSpec) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the settings of a sensor or of each encoder. All sonars have the same settings."""
    if isinstance(sensor, EncodersSpec):
        for name in _encoders(spec):
            tick = compute_count_angle(sensor, spec) if name in WHEELS else DEGREE
            yield name, [f"Name {name}", join_words("Resolution", tick)]
        return
    words = [join_words("MaxRange", float(sensor.range))] if isinstance(sensor, RangeSensorSpec) else []
    if isinstance(sensor, LaserSpec):
        words.append(join_words("Resolution", sensor.angles[1] - sensor.angles[0]))
        words.append(join_words("FOV", float(sensor.opening)))
    elif sensor.kind == "sonar":
        words.append(join_words("BeamAngle", float(sensor.opening)))
    elif sensor.kind == "camera":
        words = [join_words("CameraFov", float(sensor.opening))]
    words.append(join_words("ScanInterval", sensor.period or PERIOD))
    for name in _list_names(sensor):
        yield name, [f"Name {name}", *words]


def _describe_odometry(spec: RobotSpec, kind: str) -> Iterator[str]:
    encoders = next((sensor for sensor in spec.sensors if isinstance(sensor, EncodersSpec)), None)
    if encoders is None:
        return
    if kind == "GEO":
        yield lines.mount_words("Odometry", (0.0, 0.0, 0.0), 0.0)
    else:
        yield from lines.odometry_settings(ODOMETRY_PERIOD, compute_count_angle(encoders, spec))


def _describe_pan_tilt(spec: RobotSpec, kind: str) -> Iterator[str]:
    """Yield a head with two links. The camera only pans, so the second link is fixed."""
    camera = next((sensor for sensor in spec.sensors if _pivot(sensor)), None)
    if camera is None:
        return
    pivot, (x, y, z, _) = _pivot(camera), camera.mounts[0]
    assert pivot is not None
    yield f"Name {PAN_TILT}"
    if kind == "GEO":
        yield from lines.link_place(1, -1, (x, y, z))
        yield from lines.link_place(2, 1, (0.0, 0.0, 0.0))
    else:
        limits = math.radians(-pivot.max_deg), math.radians(-pivot.min_deg)
        yield from lines.link_settings(1, math.radians(pivot.rate_deg_s), *limits)
        yield from lines.link_settings(2, math.radians(pivot.rate_deg_s), 0.0, 0.0)


def _encoders(spec: RobotSpec) -> dict[str, str]:
    """Return the mounts of the encoders, by encoder name."""
    return WHEELS | (JOINTS if any(_pivot(sensor) for sensor in spec.sensors) else {})


def _list_names(sensor: SensorSpec) -> list[str]:
    if sensor.kind == "sonar":
        return [f"F{k + 1}" for k in range(len(sensor.mounts))]
    return [NAMES.get(sensor.kind, sensor.name)]


def _pivot(sensor: SensorSpec) -> Pivot | None:
    return getattr(sensor, "pivot", None)
