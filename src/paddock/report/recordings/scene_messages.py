"""Walls, obstacles and robots as foxglove.SceneUpdate, and events as foxglove.Log."""

from __future__ import annotations

import numpy as np

from paddock.arena.episodes import Event
from paddock.core.geometry import Disc, Shape
from paddock.core.spec import rgb
from paddock.report.recordings.protobuf import encode, encode_field, encode_stamp
from paddock.report.recordings.robot_messages import WORLD_FRAME
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import WorldSpec

DELETE_THIS, INFO, WARNING = 0, 2, 3
NAME_SIZE = 0.02  # height of a robot's name, as a fraction of the world's larger side


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
