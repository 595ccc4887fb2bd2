"""SceneBody: a robot whose wheels and sensors are objects of a scene, accessed by their handles."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paddock.arena.devices import Camera, Device
from paddock.bridges.common.simulator_body import STANDING, SteppedBody
from paddock.bridges.common.simulator_client import SimulatorClient
from paddock.bridges.coppelia.link.spec import Handles
from paddock.core.geometry import Pose, wrap
from paddock.simulation.robots import RobotSpec

Quantity = Literal["distance", "image", "angle", "pose"]
"""Quantity that an object returns: metres or None; rows from the top; radians; a `Pose`."""

QUANTITIES: dict[str, Quantity] = {
    "sonar": "distance", "proximity": "distance", "ground": "image", "encoders": "angle", "position": "pose",
    "compass": "pose",
}  # fmt: skip


class SceneBody(SteppedBody):
    """Reads quantities of scene objects."""

    def __init__(
        self, client: SimulatorClient, name: str, spec: RobotSpec, handles: Handles, *, silence: float = math.inf
    ) -> None:
        """
        Args:
            client: the connection.
            name: name of the robot in this program.
            spec: its devices; see `find_parts`.
            handles: the handles of its parts.
            silence: seconds without a call after which it is stopped; not needed if time waits for the program.
        """
        super().__init__(silence)
        self.client, self.name, self.spec, self.handles = client, name, spec, handles
        self._radius = spec.drive.wheel_diameter / 2
        self.forget()

    def forget(self) -> None:
        self._speeds, self._travel = STANDING, [0.0, 0.0]
        self._angles: list[float] = self.ask([("angle", joint) for joint in self.handles["joints"]])

    @abstractmethod
    def ask(self, quantities: Sequence[tuple[Quantity, int]]) -> list[Any]:
        """Return quantities of objects, given by their handles."""

    @abstractmethod
    def turn_joints(self, left: float, right: float) -> None:
        """Set the velocities of both wheel joints [rad/s]."""

    def send_wheels(self, left: float, right: float) -> None:
        self.turn_joints(float(left) / self._radius, float(right) / self._radius)

    def _read_all(self, devices: Sequence[Device]) -> list[list[float]]:
        wanted = [(QUANTITIES[device.spec.kind], self.handles[device.name]) for device in devices]
        answers = iter(self.ask([(quantity, handle) for quantity, handles in wanted for handle in handles]))
        quantities = [[next(answers) for _ in handles] for _, handles in wanted]
        return [self._convert(device, values) for device, values in zip(devices, quantities, strict=True)]

    def _convert(self, device: Device, quantities: list[Any]) -> list[float]:
        """Return the values of a device from the quantities of its objects."""
        kind = device.spec.kind
        if kind == "encoders":
            return self._roll(quantities)
        if kind == "ground":
            row = quantities[0][0, :, 0] / 255  # a camera of one row
            places = np.linspace(0, len(row) - 1, device.spec.channels)
            return [float(value) for value in np.interp(places, np.arange(len(row)), row)]
        if kind in ("sonar", "proximity"):
            return [device.spec.nothing if distance is None else distance for distance in quantities]
        return [quantities[0].heading] if kind == "compass" else list(quantities[0])

    def _roll(self, angles: list[float]) -> list[float]:
        """Return the travel of the wheels [m], accumulated from joint angles, which wrap around."""
        for side, angle in enumerate(angles):
            self._travel[side] += wrap(angle - self._angles[side]) * self._radius
        self._angles = angles
        return list(self._travel)

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        (eye,) = self.handles[camera.name]
        image: NDArray[np.uint8] = self.ask([("image", eye)])[0]
        return image

    @property
    def pose(self) -> Pose:
        self.raise_pending_error()
        (base,) = self.handles["base"]
        pose: Pose = self.ask([("pose", base)])[0]
        return pose


def turn_up(data: bytes, width: int, height: int) -> NDArray[np.uint8]:
    """Return a picture from data with the lowest row first."""
    return np.frombuffer(data, np.uint8).reshape(height, width, 3)[::-1].copy()
