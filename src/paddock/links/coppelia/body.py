"""CoppeliaBody: a robot in CoppeliaSim."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paddock.arena.devices import Camera, Device
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import Pose, wrap
from paddock.core.motion import Motion
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.links.coppelia.client import SimClient
from paddock.links.single import WatchedBody
from paddock.links.vrep.spec import Handles
from paddock.robots import RobotSpec

if TYPE_CHECKING:
    from paddock.arena.robot import Robot


class CoppeliaBody(WatchedBody):
    """Speaks to a simulator for one robot."""

    def __init__(self, client: SimClient, name: str, spec: RobotSpec, handles: Handles) -> None:
        """
        Args:
            client: the connection.
            name: what the robot is called here.
            spec: what it has; see `find_parts`.
            handles: of its parts.
        """
        self.client, self.name, self.spec, self.handles = client, name, spec, handles
        self._radius = spec.drive.wheel_diameter / 2
        self.forget()

    def forget(self) -> None:
        """The simulation began anew."""
        self._speeds, self._travel, self._angles = WheelSpeeds(0.0, 0.0), [0.0, 0.0], self._read_joints()

    # ---- doing

    def set_wheels(self, left: float, right: float) -> None:
        for joint, speed in zip(self.handles["joints"], (left, right), strict=True):
            self.client.call("setJointTargetVelocity", joint, float(speed) / self._radius)
        self._speeds = WheelSpeeds(left, right)

    def set_pan(self, device: Device, angle: float) -> None:
        raise DeviceRefused(f"{device} cannot pivot in CoppeliaSim")

    def set_lamp(self, number: int, brightness: float) -> None:
        raise DeviceRefused(f"{self.name}.leds: there are none in CoppeliaSim")

    def set_tone(self, frequency: float, amplitude: float) -> None:
        raise DeviceRefused(f"{self.name}.speaker: there is none in CoppeliaSim")

    def switch(self, device: Device, on: bool) -> None:
        """Nothing to prepare: what is asked for is answered."""

    def poll_only(self, device: Device, on: bool) -> None:
        """Nothing to prepare: `Robot.chosen` decides."""

    def set_pose(self, pose: Pose) -> None:
        (base,) = self.handles["base"]
        height, half = self.client.call("getObjectPosition", base)[2], pose.heading / 2
        self.client.call("setObjectPose", base, [pose.x, pose.y, height, 0.0, 0.0, math.sin(half), math.cos(half)])

    # ---- telling

    def sense(self, robot: Robot) -> Observation:
        self.raise_complaint()
        pictures = {camera.name: self.picture(camera) for camera in robot.chosen.cameras} or None
        return self._observe(robot, pictures)

    def look(self, robot: Robot) -> Observation:
        return self._observe(robot, None)

    def _observe(self, robot: Robot, pictures: dict[str, NDArray[np.uint8]] | None) -> Observation:
        slots, length, _, _ = robot.chosen
        row: Readings = np.empty(length)
        for name, slot in slots.items():
            row[slot.first : slot.last] = self._values(robot.devices[name])
        return Observation(robot.arena.time, row, slots, pictures)

    def read(self, device: Device, *, raw: bool) -> Readings:
        self.raise_complaint()
        return np.array(self._values(device), np.float64)

    def _values(self, device: Device) -> list[float]:
        kind, handles = device.spec.kind, self.handles[device.name]
        if kind in ("sonar", "proximity"):
            found = [self.client.call("readProximitySensor", handle) for handle in handles]
            return [float(distance) if seen else device.spec.nothing for seen, distance, *_ in found]
        if kind == "ground":
            image, _ = self.client.call("getVisionSensorImg", *handles)
            row = np.frombuffer(image, np.uint8)[::3] / 255  # a camera of one row
            places = np.linspace(0, len(row) - 1, device.spec.channels)
            return [float(value) for value in np.interp(places, np.arange(len(row)), row)]
        if kind == "encoders":
            return self._roll(self._read_joints())
        return [self.pose.heading] if kind == "compass" else list(self.pose)

    def _read_joints(self) -> list[float]:
        return [float(self.client.call("getJointPosition", joint)) for joint in self.handles["joints"]]

    def _roll(self, angles: list[float]) -> list[float]:
        """How far the wheels have turned [m]: joints tell angles within a turn only."""
        for side, angle in enumerate(angles):
            self._travel[side] += wrap(angle - self._angles[side]) * self._radius
        self._angles = angles
        return list(self._travel)

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        image, (width, height) = self.client.call("getVisionSensorImg", *self.handles[camera.name])
        return np.frombuffer(image, np.uint8).reshape(height, width, 3)[::-1].copy()

    @property
    def pose(self) -> Pose:
        self.raise_complaint()
        x, y, _, qx, qy, qz, qw = self.client.call("getObjectPose", *self.handles["base"])
        return Pose(x, y, math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz)))

    @property
    def contacts(self) -> tuple[float, ...]:
        raise DeviceRefused(f"{self.name}.contacts: CoppeliaSim's remote API does not tell what a robot touches")

    def motion(self) -> Motion:
        return Motion(self.pose, self._speeds, math.nan)

    def pan_angle(self, device: Device) -> float:
        return 0.0

    @property
    def lamps(self) -> tuple[float, ...]:
        return ()

    @property
    def tone(self) -> tuple[float, float]:
        return 0.0, 0.0
