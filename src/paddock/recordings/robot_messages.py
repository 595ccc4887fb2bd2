"""Messages about one robot for people's tools: where it is, how it moves, what its devices read."""

from __future__ import annotations

import io
import math

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Device
from paddock.arena.devices import Camera
from paddock.engine.model import Floats
from paddock.recordings.mcap_file import message_head
from paddock.recordings.protobuf import (
    BYTES,
    FIXED64,
    FixedLayout,
    Part,
    encode,
    encode_field,
    encode_stamp,
    fixed_stamps,
    stamp_parts,
    tag,
    varint,
)
from paddock.rollouts.tables import ROW_COMMAND_LEFT, ROW_COMMAND_RIGHT, ROW_CONTACTS, ROW_HEADING, ROW_LEFT, ROW_RIGHT
from paddock.rollouts.tables import ROW_X as X
from paddock.rollouts.tables import ROW_Y as Y
from paddock.sensors.laser import LaserSpec

WORLD_FRAME = "world"
QUALITY = 85  # of JPEG files
Rows = NDArray[np.void]
Ints = NDArray[np.int64]
# The fields of a RobotState, in order, and their columns in a row of the compiled loop.
STATE_COLUMNS = (X, Y, ROW_HEADING, ROW_LEFT, ROW_RIGHT, ROW_COMMAND_LEFT, ROW_COMMAND_RIGHT, ROW_CONTACTS)


def message_layout(*parts: Part) -> FixedLayout:
    """Messages with what stands before them in a chunk."""
    return FixedLayout(*message_head(FixedLayout(*parts).dtype.itemsize), *parts)


class RobotMessages:
    """Makes the messages of one robot, many at once."""

    def __init__(self, robot: str) -> None:
        two_numbers = varint(18)
        self._transform = message_layout(
            *stamp_parts(1),
            encode_field(2, WORLD_FRAME) + encode_field(3, robot) + tag(4, BYTES) + two_numbers + tag(1, FIXED64),
            ("x", "<f8"),
            tag(2, FIXED64),
            ("y", "<f8"),
            tag(5, BYTES) + two_numbers + tag(3, FIXED64),
            ("z", "<f8"),
            tag(4, FIXED64),
            ("w", "<f8"),
        )
        parts = [(tag(number, FIXED64), (str(number), "<f8")) for number in range(1, len(STATE_COLUMNS) + 1)]
        self._state = message_layout(*(part for pair in parts for part in pair))

    def transforms(self, times: Ints, rows: Floats) -> Rows:
        """foxglove.FrameTransform from the world to the robot; rows see rollouts/tables.py."""
        messages = self._transform.rows(len(rows))
        messages["stamp"] = fixed_stamps(times)
        half = rows[:, ROW_HEADING] / 2
        messages["x"], messages["y"], messages["z"], messages["w"] = rows[:, X], rows[:, Y], np.sin(half), np.cos(half)
        return messages

    def states(self, rows: Floats) -> Rows:
        """paddock.RobotState."""
        messages = self._state.rows(len(rows))
        for number, column in enumerate(STATE_COLUMNS, 1):
            messages[str(number)] = rows[:, column]
        return messages


class DeviceMessages:
    """Makes the messages of one device, many at once: foxglove.LaserScan of a laser, else paddock.Readings."""

    def __init__(self, device: Device) -> None:
        self.topic = f"/{device.robot.name}/{device.name}"
        spec, count = device.spec, device.spec.channels
        self.is_scan = isinstance(spec, LaserSpec) and not device.pivots
        self.schema = "foxglove.LaserScan" if self.is_scan else "paddock.Readings"
        if not isinstance(spec, LaserSpec) or device.pivots:
            self._layout = message_layout(tag(1, BYTES) + varint(4 * count), ("values", "<f4", (count,)))
            return
        x, y, z, heading = spec.mounts[0]
        half = math.radians(heading) / 2
        position = encode([(1, x), (2, y), (3, z)])
        orientation = encode([(3, math.sin(half)), (4, math.cos(half))])
        pose = encode([(1, position), (2, orientation)])
        angles = [(4, spec.angles[0]), (5, spec.angles[-1])]
        self._layout = message_layout(
            *stamp_parts(1),
            encode([(2, device.robot.name), (3, pose), *angles]) + tag(6, BYTES) + varint(8 * count),
            ("values", "<f8", (count,)),
        )

    def readings(self, times: Ints, values: Floats) -> Rows:
        """A message for each row of values, shape (row, channel)."""
        messages = self._layout.rows(len(values))
        messages["values"] = values
        if self.is_scan:
            messages["stamp"] = fixed_stamps(times)
        return messages


def encode_picture(time: int, camera: Camera) -> bytes:
    """foxglove.CompressedImage of what a camera sees now."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(camera.read()).save(file, "JPEG", quality=QUALITY)
    return encode([(1, encode_stamp(time)), (2, file.getvalue()), (3, "jpeg"), (4, camera.robot.name)])
