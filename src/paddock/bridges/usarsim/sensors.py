"""Sensor reports of a robot in USARSim's format."""

from __future__ import annotations

import math
from collections.abc import Callable

from paddock.arena.devices import Device
from paddock.arena.localisation import make_odometry
from paddock.arena.robot import Robot
from paddock.bridges.usarsim.wire import messages as lines
from paddock.core.geometry import Pose
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec

PERIOD = 0.1  # [s] between reports of a sensor without a period
STATE_PERIOD = ODOMETRY_PERIOD = 0.2
Report = Callable[[Device, float], bytes]


class UsarSensors:
    """Creates the periodic sensor reports of a robot. Callers must hold the arena's turn."""

    def __init__(self, robot: Robot, *, clockwise: bool = False) -> None:
        """
        Args:
            robot: a handle that nothing else uses.
            clockwise: whether the scanner sweeps from left to right; otherwise from right to left.
        """
        self.robot, self.clockwise = robot, clockwise
        self.reports: dict[str, Report] = {
            "sonar": lambda device, time: lines.sonar_line(time, _read_ranges(device)),
            "laser": self._report_scan,
            "encoders": self._report_wheels,
            "inertial": lambda device, time: lines.inertial_line(Pose(*device.read())),
            "position": lambda device, time: lines.ground_truth_line(time, Pose(*device.read())),
        }
        self.devices = [device for device in robot.devices.values() if device.spec.kind in self.reports]
        for device in self.devices:
            device.enable()
        self.reported: dict[str, float] = {}  # time of the last report, by sensor [s]
        self.reset_odometry()

    def reset_odometry(self) -> None:
        """Set the odometry to zero at the current pose."""
        self.odometry = make_odometry(self.robot.spec)
        for device in self.devices:
            if device.spec.kind == "encoders":
                self.odometry.update(*device.read())

    def report(self, time: float) -> bytes:
        """Return all reports that are due."""
        if self.reported and time < max(self.reported.values()):  # the world was reset
            self.reported.clear()
            self.reset_odometry()
        written = [
            self.reports[d.spec.kind](d, time) for d in self.devices if self._is_due(d.name, d.spec.period, time)
        ]
        if self._is_due("", STATE_PERIOD, time):
            written.append(lines.state_line(time))
            written += [lines.pan_line(time, device.pan_angle) for device in _pan_heads(self.robot)]
        return b"".join(written)

    def _is_due(self, name: str, period: float, time: float) -> bool:
        if time - self.reported.get(name, -math.inf) < (period or PERIOD) - 1e-9:
            return False
        self.reported[name] = time
        return True

    def _report_scan(self, device: Device, time: float) -> bytes:
        spec = device.spec
        assert isinstance(spec, LaserSpec)
        ranges = _read_ranges(device)
        step = spec.angles[1] - spec.angles[0]
        return lines.scanner_line(time, ranges[::-1] if self.clockwise else ranges, spec.opening, step)

    def _report_wheels(self, device: Device, time: float) -> bytes:
        """Return the encoder counts, and the odometry computed from them."""
        self.odometry.update(*device.read())
        left, right = (round(count) for count in device.raw())
        ticks = {"ECLeft": left, "ECRight": right}
        for head in _pan_heads(self.robot):
            ticks |= {"ECTilt": 0, "ECPan": round(math.degrees(-head.pan_angle))}
        due = self._is_due("Odometry", ODOMETRY_PERIOD, time)
        return lines.encoder_line(ticks) + (lines.odometry_line(self.odometry.pose) if due else b"")


def _pan_heads(robot: Robot) -> list[Device]:
    return [device for device in robot.devices.values() if getattr(device.spec, "pivot", None) is not None]


def _read_ranges(device: Device) -> list[float]:
    """Return ranges [m]; the maximum range where nothing was detected, as in USARSim."""
    spec = device.spec
    assert isinstance(spec, RangeSensorSpec)
    return [float(value) if math.isfinite(value) else spec.range for value in device.read()]
