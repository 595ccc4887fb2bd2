"""UsarBody: a robot in a USARSim server. It returns the last reported values and sends commands immediately."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import PoseSource
from paddock.arena.devices import Camera, Device
from paddock.bridges.common.drive_watchdog import StopLine
from paddock.bridges.common.simulator_body import STANDING, SimulatorBody
from paddock.bridges.usarsim.link.camera import ImageConnection
from paddock.bridges.usarsim.link.connection import UsarConnection
from paddock.bridges.usarsim.wire import format_line, join_words
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import Pose
from paddock.core.observation import Readings
from paddock.simulation.robots import RobotSpec


class UsarBody(SimulatorBody):
    """Controls one robot of a USARSim server.

    `sonars`: names in the order of the spec. `normalized`: wheel speeds are sent as percentages of the maximum speed.
    """

    language = "USARSim's protocol"

    def __init__(
        self, server: UsarConnection, name: str, spec: RobotSpec, sonars: Sequence[str], *, normalized: bool,
        clockwise: bool, images: ImageConnection | None, silence: float,
    ) -> None:  # fmt: skip
        super().__init__(silence)
        self.server, self.name, self.spec, self.images = server, name, spec, images
        self.sonars, self.normalized, self.clockwise = sonars, normalized, clockwise
        self._pans: dict[str, float] = {}
        self._forget_commands()

    @property
    def connected(self) -> bool:
        return self.server.connected

    @property
    def pose_source(self) -> PoseSource:  # type: ignore[override]
        """`truth` if the server reports ground truth, else `odometry`."""
        return "odometry" if self.server.reports.truth is None else "truth"

    def move_to(self, server: UsarConnection) -> None:
        """Continue with a new connection, on which the robot is stopped."""
        self.server = server
        self._forget_commands()

    def _forget_commands(self) -> None:
        self._speeds, self._first_ticks = STANDING, self.server.reports.wheel_ticks

    # ---- actuators

    def send_wheels(self, left: float, right: float) -> None:
        self.server.send("DRIVE", *self._name_speeds(left, right))

    def _name_speeds(self, left: float, right: float) -> list[str]:
        drive = self.spec.drive
        scale = 100 / drive.max_speed if self.normalized else 2 / drive.wheel_diameter
        words = [f"Left {left * scale:.4f}", f"Right {right * scale:.4f}"]
        return [*words, "Normalized true"] if self.normalized else words

    def open_stop_line(self) -> StopLine:
        """Share the connection, because commands are not answered. An empty line ends a partly sent command."""
        return StopLine(self.server.fileno(), b"\r\n" + format_line("DRIVE", *self._name_speeds(0.0, 0.0)))

    def set_pan(self, device: Device, angle: float) -> None:
        self.server.send("MISPKG", "Name CameraPanTilt", "Link 1", join_words("Value", -float(angle)), "Order 0")
        self._pans[device.name] = angle

    def set_pose(self, pose: Pose) -> None:
        raise DeviceRefused(f"{self.name} cannot be moved in a USARSim server: connect with at=x,y and call reset()")

    # ---- sensors and state

    def _reading(self) -> AbstractContextManager[object]:
        return self.server.reading()

    def read(self, device: Device, *, raw: bool) -> Readings:
        if not (raw and device.spec.kind == "encoders"):
            return super().read(device, raw=raw)
        self.raise_pending_error()
        with self.server.reading() as reports:
            return np.array(reports.wheel_ticks, np.float64)

    def _read_all(self, devices: Sequence[Device]) -> list[list[float]]:
        return [self._values(device) for device in devices]

    def _values(self, device: Device) -> list[float]:
        """Return the newest values of a device."""
        reports, kind = self.server.reports, device.spec.kind
        if kind == "sonar":
            return [reports.sonar.get(name, math.nan) for name in self.sonars]
        if kind == "laser":
            return self._scan(device)
        if kind == "encoders":
            ticks, first, scale = reports.wheel_ticks, self._first_ticks, device.spec.scale
            assert ticks is not None
            assert first is not None
            assert scale is not None
            return [(now - before) / scale for now, before in zip(ticks, first, strict=True)]
        pose = reports.inertial if kind == "inertial" else reports.truth
        return list(pose) if pose is not None else [math.nan] * device.spec.channels

    def _scan(self, device: Device) -> list[float]:
        """Return the newest sweep, counter-clockwise. If its number of beams differs, pick the nearest beams."""
        scan = self.server.reports.scan
        assert scan is not None
        ranges = scan.ranges[::-1] if self.clockwise else scan.ranges
        if len(ranges) == device.spec.channels:
            return list(ranges)
        share = (len(ranges) - 1) / (device.spec.channels - 1)
        return [ranges[round(k * share)] for k in range(device.spec.channels)]

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        assert self.images is not None  # else the spec has no camera
        return self.images.read()

    @property
    def pose(self) -> Pose:
        self.raise_pending_error()
        with self.server.reading() as reports:
            pose = reports.truth or reports.odometry or reports.inertial
        if pose is None:
            raise DeviceRefused(f"{self.name}.pose: the server reports neither GroundTruth nor Odometry nor INS")
        return pose

    def pan_angle(self, device: Device) -> float:
        return self._pans.get(device.name, 0.0)
