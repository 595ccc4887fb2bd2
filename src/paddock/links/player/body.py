"""PlayerBody: a robot in a Player server. It reads what came with the last round of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import PoseSource
from paddock.arena.devices import Camera, Device
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds
from paddock.links.player.client import Place, PlayerClient
from paddock.links.scene.body import SteppedBody
from paddock.player import interfaces as layout
from paddock.robots import RobotSpec

RESET_ODOMETRY, VELOCITY = 6, 1


class PlayerBody(SteppedBody):
    """Speaks to a server for one robot."""

    language = "Player's protocol"
    pose_source: PoseSource = "odometry"
    client: PlayerClient

    def __init__(
        self, client: PlayerClient, name: str, spec: RobotSpec, position: Place, places: Mapping[str, Place]
    ) -> None:
        """
        Args:
            client: the connection; all devices are subscribed to.
            name: what the robot is called here.
            spec: what it has.
            position: the device that drives it.
            places: the device of each sensor.
        """
        self.client, self.name, self.spec, self._position, self._places = client, name, spec, position, places
        self._speeds = WheelSpeeds(0.0, 0.0)

    def forget(self) -> None:
        self._speeds = WheelSpeeds(0.0, 0.0)

    def reset_odometry(self) -> None:
        """Count from here."""
        self.client.ask(self._position, RESET_ODOMETRY)

    def set_wheels(self, left: float, right: float) -> None:
        turn_rate = (right - left) / self.spec.drive.wheel_separation
        payload = layout.VELOCITY.pack(((left + right) / 2, 0.0, turn_rate)) + layout.NUMBER.pack(1)
        self.client.command(self._position, VELOCITY, payload)
        self._speeds = WheelSpeeds(left, right)

    def set_pose(self, pose: Pose) -> None:
        raise DeviceRefused(f"{self.name} cannot be moved: the server does not tell the name that its simulator has")

    def _read_all(self, devices: Sequence[Device]) -> list[list[float]]:
        return [self._read_values(device) for device in devices]

    def _read_values(self, device: Device) -> list[float]:
        values = self.client.get_values(self._places[device.name])
        if len(values) != device.spec.channels:
            raise DeviceRefused(f"{device}: expected {device.spec.channels} values, the server sent {len(values)}")
        return values

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        raise DeviceRefused(f"{camera}: pictures are not read here")

    @property
    def pose(self) -> Pose:
        self.raise_complaint()
        pose, _, _ = layout.POSITION.unpack(self.client.get(self._position))
        return Pose(*pose)
