"""The spec of a robot in a USARSim server: the spec of its type, adapted to the server's configuration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from paddock.bridges.usarsim.link.connection import UsarConnection
from paddock.bridges.usarsim.wire import UsarLine
from paddock.core.errors import BadMessage, PaddockError, with_article
from paddock.simulation.robots import RobotSpec
from paddock.simulation.robots.drives import DifferentialDrive
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import Mount, SensorSpec
from paddock.simulation.sensors.sonar import SonarSpec

TICK = 0.01745  # [rad] of wheel rotation, if the server does not report it


def adapt_spec(spec: RobotSpec, server: UsarConnection, sonars: Sequence[str]) -> RobotSpec:
    """Return the spec with the devices and named sonars of the server. Numbers of the server take precedence."""
    if not isinstance(spec.drive, DifferentialDrive):
        raise PaddockError(
            f"{spec.name}: USARSim's commands drive two wheels, not {with_article(spec.drive.kind)} drive"
        )
    drive = _adapt_drive(spec.drive, server)
    sensors = [_adapt_sensor(sensor, drive.wheel_diameter / 2, server, sonars) for sensor in spec.sensors]
    return replace(spec, drive=drive, sensors=tuple(sensor for sensor in sensors if sensor is not None))


def _adapt_drive(drive: DifferentialDrive, server: UsarConnection) -> DifferentialDrive:
    body = server.ask("GETGEO", "GEO", "Type Robot")
    motors = server.ask("GETCONF", "CONF", "Type Robot")
    radius = _number(body, "WheelRadius", drive.wheel_diameter / 2)
    return replace(
        drive,
        wheel_diameter=2 * radius,
        wheel_separation=_number(body, "WheelSeparation", drive.wheel_separation),
        max_speed=_number(motors, "MaxSpeed", drive.max_speed / radius) * radius,
    )


def _adapt_sensor(
    sensor: SensorSpec, radius: float, server: UsarConnection, sonars: Sequence[str]
) -> SensorSpec | None:
    reports = server.reports
    plain = {"scale": None, "response": (), "noise": 0.0, "noise_relative": 0.0, "resolution": 0.0, "delay": 0.0}
    if isinstance(sensor, SonarSpec) and sonars:
        return _adapt_sonar(replace(sensor, **plain), server, sonars)  # type: ignore[arg-type]
    if isinstance(sensor, LaserSpec) and reports.scan is not None:
        settings = server.ask("GETCONF", "CONF", "Type RangeScanner", kind="RangeScanner")
        mounts = _read_mounts(server, "RangeScanner")
        return replace(
            sensor,
            **plain,  # type: ignore[arg-type]
            beams=len(reports.scan.ranges),
            fov_deg=min(360.0, math.degrees(reports.scan.fov)),
            range=_number(settings, "MaxRange", sensor.range),
            mounts=tuple(mounts.values())[:1] or sensor.mounts,
        )
    if isinstance(sensor, EncodersSpec) and reports.wheel_ticks is not None:
        settings = server.ask("GETCONF", "CONF", "Type Encoder", kind="Encoder")
        return replace(sensor, scale=1 / (_number(settings, "Resolution", TICK) * radius), bits=None)
    poses = {"inertial": reports.inertial, "position": reports.truth}
    return sensor if poses.get(sensor.kind) is not None else None


def _adapt_sonar(sonar: SonarSpec, server: UsarConnection, names: Sequence[str]) -> SonarSpec | None:
    settings = server.ask("GETCONF", "CONF", "Type Sonar", kind="Sonar")
    sonar_mounts = _read_mounts(server, "Sonar")
    if all(name in sonar_mounts for name in names):
        sonar = replace(sonar, mounts=tuple(sonar_mounts[name] for name in names))
    elif len(names) != len(sonar.mounts):
        raise BadMessage(
            f"{server.name}: it reports {len(names)} sonars without their positions, and {sonar.name!r} of the "
            f"spec has {len(sonar.mounts)}: describe the robot in a TOML file, and pass it with type="
        )
    opening = _number(settings, "BeamAngle", math.radians(sonar.cone_deg))
    return replace(sonar, range=_number(settings, "MaxRange", sonar.range), cone_deg=math.degrees(opening))


def _read_mounts(server: UsarConnection, type: str) -> dict[str, Mount]:
    """Return the mounts of a sensor's parts by name; empty if the server does not report them."""
    line = server.ask("GETGEO", "GEO", f"Type {type}", kind=type)
    mounts: dict[str, Mount] = {}
    for group in line.groups() if line is not None else ():
        try:
            x, y, z = (float(part) for part in group["Location"].split(","))
            yaw = float(group["Orientation"].split(",")[2])
        except (KeyError, ValueError, IndexError):
            continue
        mounts[group["Name"]] = (x, -y, abs(z), math.degrees(-yaw))
    return mounts


def _number(line: UsarLine | None, key: str, default: float) -> float:
    """Return a number > 0 of an answer, else the default."""
    value = None if line is None else line.number(key)
    return default if value is None or value <= 0 else value
