"""CoppeliaBody: a robot in CoppeliaSim."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from paddock.bridges.common.drive_watchdog import StopLine
from paddock.bridges.coppelia.link.body import Quantity, SceneBody, turn_up
from paddock.bridges.coppelia.zmq_link.client import SimClient
from paddock.core.geometry import Pose


class CoppeliaBody(SceneBody):
    """Controls a robot in CoppeliaSim. Sends one request per quantity."""

    client: SimClient
    language = "CoppeliaSim's remote API"

    def ask(self, quantities: Sequence[tuple[Quantity, int]]) -> list[Any]:
        return [READERS[quantity](self.client.call(FUNCTIONS[quantity], handle)) for quantity, handle in quantities]

    def turn_joints(self, left: float, right: float) -> None:
        for joint, speed in zip(self.handles["joints"], (left, right), strict=True):
            self.client.call("setJointTargetVelocity", joint, speed)

    def open_stop_line(self) -> StopLine:
        """Open a second connection, so that answers to the watchdog are not mixed with other answers."""
        second = self.client.open_second()
        stops = [second.build_call("setJointTargetVelocity", joint, 0.0) for joint in self.handles["joints"]]
        return StopLine(second.fileno(), b"".join(stops))

    def set_pose(self, pose: Pose) -> None:
        (base,) = self.handles["base"]
        height, half = self.client.call("getObjectPosition", base)[2], pose.heading / 2
        self.client.call("setObjectPose", base, [pose.x, pose.y, height, 0.0, 0.0, math.sin(half), math.cos(half)])


def read_quaternion_pose(values: Sequence[float]) -> Pose:
    """Return a pose from a position and a quaternion."""
    x, y, _, qx, qy, qz, qw = values
    return Pose(x, y, math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz)))


FUNCTIONS: dict[Quantity, str] = {
    "distance": "readProximitySensor", "image": "getVisionSensorImg", "angle": "getJointPosition",
    "pose": "getObjectPose",
}  # fmt: skip
READERS: dict[Quantity, Callable[[Any], Any]] = {
    "distance": lambda values: float(values[1]) if values[0] else None,
    "image": lambda values: turn_up(values[0], *values[1]),
    "angle": float,
    "pose": read_quaternion_pose,
}
