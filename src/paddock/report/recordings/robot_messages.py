"""Messages about robots for visualisation tools: poses, motion and readings."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Robot
from paddock.arena.batches import batch_tables as t
from paddock.arena.devices import Camera
from paddock.arena.episodes import Event
from paddock.core.geometry import Disc, Shape
from paddock.core.observation import Slot
from paddock.core.spec import rgb
from paddock.report.recordings.mcap_file import Ints, message_head
from paddock.report.recordings.protobuf import (
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
from paddock.simulation.engine.model import Floats
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import SensorSpec
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import WorldSpec

WORLD_FRAME = "world"
QUALITY = 85  # of JPEG files
Rows = NDArray[np.void]
# The fields of a RobotState, in order, and their columns in a row of the compiled loop.
STATE_COLUMNS = (
    t.ROW_X,
    t.ROW_Y,
    t.ROW_HEADING,
    t.ROW_LEFT,
    t.ROW_RIGHT,
    t.ROW_COMMAND_LEFT,
    t.ROW_COMMAND_RIGHT,
    t.ROW_CONTACTS,
)
DELETE_THIS, INFO, WARNING = 0, 2, 3
NAME_SIZE = 0.02  # height of a robot's name, as a fraction of the world's larger side


def message_layout(*parts: Part) -> FixedLayout:
    """Return the layout of messages with their chunk headers."""
    return FixedLayout(*message_head(FixedLayout(*parts).dtype.itemsize), *parts)


class Transforms:
    """foxglove.FrameTransforms from the world to some robots."""

    def __init__(self, robots: Sequence[str]) -> None:
        self._robots = range(len(robots))
        parts: list[Part] = []
        for number, robot in enumerate(robots):
            transform = self._parts(number, robot)
            parts += [tag(1, BYTES) + varint(FixedLayout(*transform).dtype.itemsize), *transform]
        self._layout = message_layout(*parts)

    @staticmethod
    def _parts(number: int, robot: str) -> tuple[Part, ...]:
        two_numbers = varint(2 * 9)
        return (
            *stamp_parts(1, f"stamp{number}"),
            encode_field(2, WORLD_FRAME) + encode_field(3, robot) + tag(4, BYTES) + two_numbers + tag(1, FIXED64),
            (f"x{number}", "<f8"),
            tag(2, FIXED64),
            (f"y{number}", "<f8"),
            tag(5, BYTES) + two_numbers + tag(3, FIXED64),
            (f"z{number}", "<f8"),
            tag(4, FIXED64),
            (f"w{number}", "<f8"),
        )

    def encode(self, times: Ints, table: Floats) -> Rows:
        """Encode a message per time [ns]; table: shape (time, robot, ·), columns as in batches/batch_tables.py."""
        messages, stamps = self._layout.rows(len(times)), fixed_stamps(times)
        half = table[:, :, t.ROW_HEADING] / 2
        columns = {"x": table[:, :, t.ROW_X], "y": table[:, :, t.ROW_Y], "z": np.sin(half), "w": np.cos(half)}
        for number in self._robots:
            messages[f"stamp{number}"] = stamps
            for name, column in columns.items():
                messages[f"{name}{number}"] = column[:, number]
        return messages


STATE_PARTS = [(tag(number, FIXED64), (f"f{number}", "<f8")) for number in range(1, len(STATE_COLUMNS) + 1)]
STATE_LAYOUT = message_layout(*(part for pair in STATE_PARTS for part in pair))


def encode_states(rows: Floats) -> Rows:
    """Encode paddock.RobotState of one robot, a message for each row."""
    messages = STATE_LAYOUT.rows(len(rows))
    for number, column in enumerate(STATE_COLUMNS, 1):
        messages[f"f{number}"] = rows[:, column]
    return messages


def is_scan(sensor: SensorSpec) -> bool:
    """Whether the readings of a sensor are written as foxglove.LaserScan."""
    return isinstance(sensor, LaserSpec) and sensor.pivot is None


def plain_sensors(spec: RobotSpec) -> list[str]:
    """Return the sensors of a robot that return a few numbers: neither pictures nor scans."""
    return [sensor.name for sensor in spec.sensors if sensor.kind != "camera" and not is_scan(sensor)]


class ReadingsMessages:
    """Readings of one robot except scans, in one message with a field for each device of its kind."""

    def __init__(self, robot: Robot, slots: Mapping[str, Slot]) -> None:
        fields = plain_sensors(robot.spec)
        self._slots = {name: slot for name, slot in slots.items() if name in fields}
        parts: list[Part] = []
        for number, name in enumerate(fields, 1):
            if name in self._slots:
                count = self._slots[name].last - self._slots[name].first
                parts += [tag(number, BYTES) + varint(4 * count), (name, "<f4", (count,))]
        self._layout = message_layout(*parts) if parts else None

    def encode(self, values: Floats) -> Rows | None:
        """Encode a message for each row of readings, shape (row, ·); None if there are only scans."""
        if self._layout is None:
            return None
        messages = self._layout.rows(len(values))
        for name, slot in self._slots.items():
            messages[name] = values[:, slot.first : slot.last]
        return messages


class ScanMessages:
    """foxglove.LaserScan of one laser."""

    def __init__(self, robot: Robot, device: str) -> None:
        spec = robot.devices[device].spec
        assert isinstance(spec, LaserSpec)
        x, y, z, heading = spec.mounts[0]
        half = math.radians(heading) / 2
        position = encode([(1, x), (2, y), (3, z)])
        orientation = encode([(3, math.sin(half)), (4, math.cos(half))])
        angles = [(4, spec.angles[0]), (5, spec.angles[-1])]
        head = encode([(2, robot.name), (3, encode([(1, position), (2, orientation)])), *angles])
        self._layout = message_layout(
            *stamp_parts(1, "stamp"), head + tag(6, BYTES) + varint(8 * spec.beams), ("ranges", "<f8", (spec.beams,))
        )

    def encode(self, times: Ints, values: Floats) -> Rows:
        """Encode a message for each time [ns] and row of distances [m]."""
        messages = self._layout.rows(len(values))
        messages["stamp"], messages["ranges"] = fixed_stamps(times), values
        return messages


def encode_picture(time: int, camera: Camera) -> bytes:
    """Encode the current picture of a camera as foxglove.CompressedImage."""
    data = encode_jpeg(camera.read())
    return encode([(1, encode_stamp(time)), (2, data), (3, "jpeg"), (4, camera.robot.name)])


def encode_jpeg(pixels: NDArray[np.uint8]) -> bytes:
    """Return a picture [row, column, rgb] as a JPEG file."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def encode_world_scene(time: int, world: WorldSpec) -> bytes:
    """Encode all obstacles of a world as one entity."""
    pieces = [_solid(solid.shape, solid.height, solid.color) for solid in solids(world)]
    return encode([(2, _entity(time, WORLD_FRAME, "world", *pieces))])


def encode_robot_scene(time: int, world: WorldSpec, name: str, spec: RobotSpec, color: str) -> bytes:
    """Encode a robot's body and its name, which move with its frame."""
    left, bottom, right, top = world.bounds
    size = NAME_SIZE * max(right - left, top - bottom)
    above = encode([(1, encode([(3, spec.body.height + size)])), (2, encode([(4, 1.0)]))])
    text = encode([(1, above), (2, 1), (3, size), (5, _color("#202020")), (6, name)])
    return encode([(2, _entity(time, name, name, _solid(spec.body.shape, spec.body.height, color), (13, text)))])


def encode_robot_removal(time: int, name: str) -> bytes:
    """Encode the removal of a robot."""
    return encode([(1, encode([(1, encode_stamp(time)), (2, DELETE_THIS), (3, name)]))])


def encode_event(time: int, event: Event) -> bytes:
    """Encode an event as a log message; its name contains the kind and the robot."""
    level = WARNING if event.kind == "warning" else INFO
    name = f"{event.kind}/{event.robot}" if event.robot else event.kind
    return encode([(1, encode_stamp(time)), (2, level), (3, event.text), (4, name)])


def _entity(time: int, frame: str, id: str, *parts: tuple[int, bytes]) -> bytes:
    return encode([(1, encode_stamp(time)), (2, frame), (3, id), (5, 1), *parts])


def _solid(shape: Shape, height: float, color: str) -> tuple[int, bytes]:
    """Encode a field of an entity: a cylinder, or an upright prism of triangles."""
    if isinstance(shape, Disc):
        pose = encode([(1, encode([(1, shape.x), (2, shape.y), (3, height / 2)])), (2, encode([(4, 1.0)]))])
        size = encode([(1, 2 * shape.radius), (2, 2 * shape.radius), (3, height)])
        return 10, encode([(1, pose), (2, size), (3, 1.0), (4, 1.0), (5, _color(color))])
    count = len(shape)
    corners = [encode([(1, float(x)), (2, float(y)), (3, z)]) for z in (0.0, height) for x, y in shape]
    sides = [(i, j, i + count, i + count, j, j + count) for i in range(count) for j in [(i + 1) % count]]
    top = [(count, count + i, count + i + 1) for i in range(1, count - 1)]
    indices = np.array([number for part in (*sides, *top) for number in part], "<u4")
    points = b"".join(encode_field(2, corner) for corner in corners)
    return 12, points + encode([(3, _color(color)), (5, indices)])


def _color(text: str) -> bytes:
    red, green, blue = rgb(text)
    return encode([(1, red / 255), (2, green / 255), (3, blue / 255), (4, 1.0)])
