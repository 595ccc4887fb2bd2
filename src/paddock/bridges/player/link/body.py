"""PlayerBody: a robot in a Player server. It returns the values of the last round of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import PoseSource
from paddock.arena.devices import Camera, Device
from paddock.bridges.common.drive_watchdog import StopLine
from paddock.bridges.common.simulator_body import STANDING, SteppedBody
from paddock.bridges.player.link.client import Place, PlayerClient, pack_command
from paddock.bridges.player.link.spec import PlayerSource
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec

RESET_ODOMETRY, VELOCITY = 6, 1


class PlayerBody(SteppedBody):
    """Controls one robot of a Player server."""

    language = "Player's protocol"
    pose_source: PoseSource = "odometry"
    client: PlayerClient

    def __init__(
        self, client: PlayerClient, name: str, spec: RobotSpec, position: Place, sources: Mapping[str, PlayerSource], *,
        silence: float,
    ) -> None:  # fmt: skip
        """
        Args:
            client: the connection; all devices are subscribed to.
            name: name of the robot in this program.
            spec: its devices.
            position: the position2d device that drives it.
            sources: the device and the range of values of each sensor.
            silence: seconds without a call after which the robot is stopped.
        """
        super().__init__(silence)
        self.client, self.name, self.spec, self._position, self._sources = client, name, spec, position, sources

    def forget(self) -> None:
        self._speeds = STANDING

    def reset_odometry(self) -> None:
        """Set the odometry to 0."""
        self.client.ask(self._position, RESET_ODOMETRY)

    def send_wheels(self, left: float, right: float) -> None:
        self.client.command(self._position, VELOCITY, self._pack_speeds(left, right))

    def _pack_speeds(self, left: float, right: float) -> bytes:
        turn_rate = (right - left) / self.spec.drive.wheel_separation
        return layout.VELOCITY.pack(((left + right) / 2, 0.0, turn_rate)) + layout.NUMBER.pack(1)

    def open_stop_line(self) -> StopLine:
        """Share the connection, because commands are not answered."""
        return StopLine(self.client.fileno(), pack_command(self._position, VELOCITY, self._pack_speeds(0.0, 0.0)))

    def set_pose(self, pose: Pose) -> None:
        raise DeviceRefused(f"{self.name} cannot be moved: the server does not report its name in the simulator")

    def _read_all(self, devices: Sequence[Device]) -> list[list[float]]:
        return [self._read_values(device) for device in devices]

    def _read_values(self, device: Device) -> list[float]:
        place, first, whole = self._sources[device.name]
        values = self.client.get_values(place)
        if len(values) != whole:
            raise DeviceRefused(f"{device}: expected {whole} values, the server sent {len(values)}")
        return values[first : first + device.spec.channels]

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        raise DeviceRefused(f"{camera}: pictures are not supported over Player's protocol")

    @property
    def pose(self) -> Pose:
        self.raise_pending_error()
        pose, _, _ = layout.POSITION.unpack(self.client.get(self._position))
        return Pose(*pose)
