"""VrepBody: a robot in V-REP. What is read together is asked for with one message."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paddock.arena.devices import Camera, Device
from paddock.coppelia.legacy.messages import Block, ask_for
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import Pose, wrap
from paddock.core.motion import Motion
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.links.single import WatchedBody
from paddock.links.vrep.client import VrepClient
from paddock.links.vrep.spec import Handles
from paddock.robots import RobotSpec

if TYPE_CHECKING:
    from paddock.arena.robot import Robot

JOINT_POSITION, IMAGE, TARGET_VELOCITY, PROXIMITY = 0x1001, 0x1004, 0x1008, 0x1009
SET_ORIENTATION, SET_POSITION, ORIENTATION, POSITION = 0x101A, 0x101B, 0x200D, 0x200E
WORLD = -1


class VrepBody(WatchedBody):
    """Speaks to a simulator for one robot."""

    def __init__(self, client: VrepClient, name: str, spec: RobotSpec, handles: Handles) -> None:
        """
        Args:
            client: the connection.
            name: what the robot is called here.
            spec: what it has; see `adapt_spec`.
            handles: of its parts.
        """
        self.client, self.name, self.spec, self.handles = client, name, spec, handles
        self._radius = spec.drive.wheel_diameter / 2
        self.forget()

    def forget(self) -> None:
        """The simulation began anew."""
        self._speeds, self._travel = WheelSpeeds(0.0, 0.0), [0.0, 0.0]
        self._angles = [struct.unpack("<f", data)[0] for data in self.client.call_all(self._ask_joints())]

    # ---- doing

    def set_wheels(self, left: float, right: float) -> None:
        speeds = zip(self.handles["joints"], (left, right), strict=True)
        self.client.call_all(
            [ask_for(TARGET_VELOCITY, key(joint), struct.pack("<f", speed / self._radius)) for joint, speed in speeds]
        )
        self._speeds = WheelSpeeds(left, right)

    def set_pan(self, device: Device, angle: float) -> None:
        raise DeviceRefused(f"{device} cannot pivot in V-REP")

    def set_lamp(self, number: int, brightness: float) -> None:
        raise DeviceRefused(f"{self.name}.leds: V-REP's remote API has none")

    def set_tone(self, frequency: float, amplitude: float) -> None:
        raise DeviceRefused(f"{self.name}.speaker: V-REP's remote API has none")

    def switch(self, device: Device, on: bool) -> None:
        """Nothing to prepare: what is asked for is answered."""

    def poll_only(self, device: Device, on: bool) -> None:
        """Nothing to prepare: `Robot.chosen` decides."""

    def set_pose(self, pose: Pose) -> None:
        base = key(*self.handles["base"])
        height = struct.unpack("<3f", self.client.call(POSITION, base + key(WORLD)))[2]
        place = struct.pack("<i3f", WORLD, pose.x, pose.y, height)
        turn = struct.pack("<i3f", WORLD, 0.0, 0.0, pose.heading)
        self.client.call_all([ask_for(SET_POSITION, base, place), ask_for(SET_ORIENTATION, base, turn)])

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
        devices = [robot.devices[name] for name in slots]
        asked = [self._ask(device) for device in devices]
        answers = iter(self.client.call_all([block for blocks in asked for block in blocks]) if devices else ())
        for device, blocks in zip(devices, asked, strict=True):
            slot = slots[device.name]
            row[slot.first : slot.last] = self._values(device, [next(answers) for _ in blocks])
        return Observation(robot.arena.time, row, slots, pictures)

    def read(self, device: Device, *, raw: bool) -> Readings:
        self.raise_complaint()
        return np.array(self._values(device, self.client.call_all(self._ask(device))), np.float64)

    def _ask(self, device: Device) -> list[Block]:
        """What has to be asked for the values of a device."""
        if device.spec.kind in ("sonar", "proximity"):
            return [ask_for(PROXIMITY, key(handle)) for handle in self.handles[device.name]]
        if device.spec.kind == "ground":
            return [ask_for(IMAGE, key(*self.handles[device.name]))]
        return self._ask_joints() if device.spec.kind == "encoders" else self._ask_pose()

    def _ask_joints(self) -> list[Block]:
        return [ask_for(JOINT_POSITION, key(joint)) for joint in self.handles["joints"]]

    def _ask_pose(self) -> list[Block]:
        base = key(*self.handles["base"]) + key(WORLD)
        return [ask_for(POSITION, base), ask_for(ORIENTATION, base)]

    def _values(self, device: Device, answers: Sequence[bytes]) -> list[float]:
        kind = device.spec.kind
        if kind in ("sonar", "proximity"):
            return [read_distance(data, device.spec.nothing) for data in answers]
        if kind == "ground":
            row = np.frombuffer(answers[0], np.uint8, offset=8)[::3] / 255  # a camera of one row
            places = np.linspace(0, len(row) - 1, device.spec.channels)
            return [float(value) for value in np.interp(places, np.arange(len(row)), row)]
        if kind == "encoders":
            return self._roll([struct.unpack("<f", data)[0] for data in answers])
        pose = read_pose(answers)
        return [pose.heading] if kind == "compass" else list(pose)

    def _roll(self, angles: list[float]) -> list[float]:
        """How far the wheels have turned [m]: joints tell angles within a turn only."""
        for side, angle in enumerate(angles):
            self._travel[side] += wrap(angle - self._angles[side]) * self._radius
        self._angles = angles
        return list(self._travel)

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        data = self.client.call(IMAGE, key(*self.handles[camera.name]))
        width, height = struct.unpack_from("<ii", data)
        return np.frombuffer(data, np.uint8, offset=8).reshape(height, width, 3)[::-1].copy()

    @property
    def pose(self) -> Pose:
        self.raise_complaint()
        return read_pose(self.client.call_all(self._ask_pose()))

    @property
    def contacts(self) -> tuple[float, ...]:
        raise DeviceRefused(f"{self.name}.contacts: V-REP's remote API does not tell what a robot touches")

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


def key(*handles: int) -> bytes:
    """Handles as command data."""
    return struct.pack(f"<{len(handles)}i", *handles)


def read_pose(answers: Sequence[bytes]) -> Pose:
    """A pose from a position and Euler angles."""
    x, y, _ = struct.unpack("<3f", answers[0])
    return Pose(x, y, struct.unpack("<3f", answers[1])[2])


def read_distance(data: bytes, nothing: float) -> float:
    """The distance that a proximity sensor tells [m]."""
    seen, x, y, z = struct.unpack_from("<B3f", data)
    return math.sqrt(x * x + y * y + z * z) if seen else nothing
