"""VrepBody: a robot in V-REP. Quantities that are read together are requested with one message."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.common.drive_watchdog import StopLine
from paddock.bridges.coppelia.legacy.messages import ask_for, build_request
from paddock.bridges.coppelia.legacy.packets import split_packets
from paddock.bridges.coppelia.legacy_link.client import STOP_NUMBER, VrepClient
from paddock.bridges.coppelia.link.body import Quantity, SceneBody, turn_up
from paddock.core.geometry import Pose

JOINT_POSITION, IMAGE, TARGET_VELOCITY, PROXIMITY = 0x1001, 0x1004, 0x1008, 0x1009
SET_ORIENTATION, SET_POSITION, ORIENTATION, POSITION = 0x101A, 0x101B, 0x200D, 0x200E
WORLD = -1


class VrepBody(SceneBody):
    """Controls a robot in V-REP. Requests all quantities with one message."""

    client: VrepClient
    language = "V-REP's remote API"

    def ask(self, quantities: Sequence[tuple[Quantity, int]]) -> list[Any]:
        blocks = [
            ask_for(command, key(handle, WORLD) if quantity == "pose" else key(handle))
            for quantity, handle in quantities
            for command in COMMANDS[quantity]
        ]
        answers = iter(self.client.call_all(blocks) if blocks else ())
        return [READERS[quantity](*[next(answers) for _ in COMMANDS[quantity]]) for quantity, _ in quantities]

    def turn_joints(self, left: float, right: float) -> None:
        speeds = zip(self.handles["joints"], (left, right), strict=True)
        self.client.call_all(
            [ask_for(TARGET_VELOCITY, key(joint), struct.pack("<f", speed)) for joint, speed in speeds]
        )

    def open_stop_line(self) -> StopLine:
        """Share the connection, because V-REP accepts only one client per port."""
        blocks = [ask_for(TARGET_VELOCITY, key(joint), struct.pack("<f", 0.0)) for joint in self.handles["joints"]]
        return StopLine(self.client.fileno(), split_packets(build_request(STOP_NUMBER, blocks)))

    def set_pose(self, pose: Pose) -> None:
        base = key(*self.handles["base"])
        height = struct.unpack("<3f", self.client.call(POSITION, base + key(WORLD)))[2]
        place = struct.pack("<i3f", WORLD, pose.x, pose.y, height)
        turn = struct.pack("<i3f", WORLD, 0.0, 0.0, pose.heading)
        self.client.call_all([ask_for(SET_POSITION, base, place), ask_for(SET_ORIENTATION, base, turn)])


def key(*handles: int) -> bytes:
    """Pack handles as command data."""
    return struct.pack(f"<{len(handles)}i", *handles)


def read_distance(data: bytes) -> float | None:
    """Return the distance measured by a proximity sensor [m]; None if it detects nothing."""
    seen, x, y, z = struct.unpack_from("<B3f", data)
    return math.sqrt(x * x + y * y + z * z) if seen else None


def read_image(data: bytes) -> NDArray[np.uint8]:
    """Return the picture from data that start with its size."""
    return turn_up(data[8:], *struct.unpack_from("<ii", data))


def read_pose(place: bytes, turn: bytes) -> Pose:
    """Return a pose from a position and Euler angles."""
    x, y, _ = struct.unpack("<3f", place)
    return Pose(x, y, struct.unpack("<3f", turn)[2])


COMMANDS: dict[Quantity, tuple[int, ...]] = {
    "distance": (PROXIMITY,), "image": (IMAGE,), "angle": (JOINT_POSITION,), "pose": (POSITION, ORIENTATION),
}  # fmt: skip
READERS: dict[Quantity, Callable[..., Any]] = {
    "distance": read_distance,
    "image": read_image,
    "angle": lambda data: struct.unpack("<f", data)[0],
    "pose": read_pose,
}
