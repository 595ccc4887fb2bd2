"""Sensors of a robot as USARSim reports and describes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from paddock.arena.devices import Device
from paddock.arena.localisation import odometry_of
from paddock.arena.robot import Robot
from paddock.core.geometry import Pose, box_of
from paddock.robots import RobotSpec
from paddock.sensors.base import RangeSensorSpec, SensorSpec
from paddock.sensors.laser import LaserSpec
from paddock.usarsim import UsarLine, format_line, join_words
from paddock.usarsim import messages as lines

PERIOD = 0.1  # [s] between reports of a sensor that has no period of its own
STATE_PERIOD = 0.2
Report = Callable[[Device, float], bytes]


class UsarSensors:
    """Reports what a robot senses when its time has come. Whoever calls has the arena's turn."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.reports: dict[str, Report] = {
            "sonar": lambda device, time: lines.sonar_line(time, _read_ranges(device)),
            "laser": self._report_scan,
            "encoders": lambda device, time: self._report_wheels(device),
            "inertial": lambda device, time: lines.inertial_line(Pose(*device.read())),
            "position": lambda device, time: lines.ground_truth_line(time, Pose(*device.read())),
        }
        self.devices = [device for device in robot.devices.values() if device.spec.kind in self.reports]
        for device in self.devices:
            device.enable()
        self.reported: dict[str, float] = {}  # when each spoke last [s]
        self.reset_odometry()

    def reset_odometry(self) -> None:
        """Count from here."""
        self.odometry = odometry_of(self.robot.spec)
        for device in self.devices:
            if device.spec.kind == "encoders":
                self.odometry.update(*device.read())

    def report(self, time: float) -> bytes:
        """All that is due."""
        if self.reported and time < max(self.reported.values()):  # the world began anew
            self.reported.clear()
            self.reset_odometry()
        said = [self.reports[d.spec.kind](d, time) for d in self.devices if self._is_due(d.name, d.spec.period, time)]
        if self._is_due("", STATE_PERIOD, time):
            said.append(lines.state_line(time))
            said += [lines.pan_line(time, device.pan_angle) for device in _pan_heads(self.robot)]
        return b"".join(said)

    def _is_due(self, name: str, period: float, time: float) -> bool:
        if time - self.reported.get(name, -math.inf) < (period or PERIOD) - 1e-9:
            return False
        self.reported[name] = time
        return True

    def _report_scan(self, device: Device, time: float) -> bytes:
        spec = device.spec
        assert isinstance(spec, LaserSpec)
        return lines.scanner_line(time, _read_ranges(device), spec.opening, spec.angles[1] - spec.angles[0])

    def _report_wheels(self, device: Device) -> bytes:
        """Counts, and the pose that they give: both say where the wheels have taken the robot."""
        self.odometry.update(*device.read())
        left, right = (round(count) for count in device.raw())
        ticks = {"ECLeft": left, "ECRight": right}
        for head in _pan_heads(self.robot):
            ticks |= {"ECTilt": 0, "ECPan": round(math.degrees(-head.pan_angle))}
        return lines.encoder_line(ticks) + lines.odometry_line(self.odometry.pose)


def describe_robot(spec: RobotSpec, line: UsarLine) -> bytes:
    """The answer to GETGEO and GETCONF. What the robot has not is answered with its type alone."""
    asked, kind = line.get("Type") or "", line.type.removeprefix("GET")
    if asked.lower() in ("robot", "groundvehicle"):
        body = _describe_body(spec) if kind == "GEO" else _describe_drive(spec)
        return format_line(kind, "Type GroundVehicle", f"Name {spec.name}", *body)
    describe = _describe_mounts if kind == "GEO" else _describe_settings
    words = [text for sensor in spec.sensors if USAR_TYPES.get(sensor.kind) == asked for text in describe(sensor)]
    return format_line(kind, f"Type {asked}", *words)


USAR_TYPES = {
    "sonar": "Sonar", "laser": "RangeScanner", "encoders": "Encoder", "inertial": "INS", "position": "GroundTruth",
    "camera": "Camera",
}  # fmt: skip


def _describe_body(spec: RobotSpec) -> Iterator[str]:
    x0, y0, x1, y1 = box_of(spec.body.shape)
    yield join_words("Dimensions", (x1 - x0, y1 - y0, spec.body.height))
    yield join_words("COG", (0.0, 0.0, 0.0))
    yield join_words("WheelRadius", spec.drive.wheel_diameter / 2)
    yield join_words("WheelSeparation", spec.drive.wheel_separation)
    yield join_words("WheelBase", 0.0)


def _describe_drive(spec: RobotSpec) -> Iterator[str]:
    yield "SteeringType SkidSteered"
    yield join_words("Mass", spec.body.mass or 0.0)
    yield join_words("MaxSpeed", spec.drive.max_speed / (spec.drive.wheel_diameter / 2))
    yield from ("MaxTorque 60.0000", "MaxFrontSteer 0.0000", "MaxRearSteer 0.0000")


def _describe_mounts(sensor: SensorSpec) -> Iterator[str]:
    mounts = getattr(sensor, "mounts", ((0.0, 0.0, 0.0, 0.0),))
    for name, (x, y, z, heading) in zip(_name_parts(sensor, len(mounts)), mounts, strict=True):
        yield lines.mount_words(name, (x, y, z), math.radians(heading))


def _describe_settings(sensor: SensorSpec) -> Iterator[str]:
    for name in _name_parts(sensor, 1):
        yield f"Name {name}"
    yield join_words("ScanInterval", sensor.period or PERIOD)
    if isinstance(sensor, RangeSensorSpec):
        yield join_words("MaxRange", float(sensor.range))
        yield join_words("FOV" if isinstance(sensor, LaserSpec) else "BeamAngle", float(sensor.opening))
    if isinstance(sensor, LaserSpec):
        yield join_words("Resolution", sensor.angles[1] - sensor.angles[0])


def _name_parts(sensor: SensorSpec, count: int) -> list[str]:
    if sensor.kind == "sonar":
        return [f"F{k + 1}" for k in range(count)]
    names = {
        "laser": "Scanner1",
        "inertial": "INS",
        "position": "GroundTruth",
        "camera": "Camera",
        "encoders": "ECLeft",
    }
    return [names.get(sensor.kind, sensor.name)]


def _pan_heads(robot: Robot) -> list[Device]:
    return [device for device in robot.devices.values() if getattr(device.spec, "pivot", None) is not None]


def _read_ranges(device: Device) -> list[float]:
    """Ranges [m]; where nothing was met, the longest, as USARSim has it."""
    spec = device.spec
    assert isinstance(spec, RangeSensorSpec)
    return [float(value) if math.isfinite(value) else spec.range for value in device.read()]
