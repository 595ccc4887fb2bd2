"""What robots look like on the wire: what they see, who they are, where they all stand."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
from PIL import Image

from paddock.arena import Arena, Robot
from paddock.arena.devices import Camera, Device
from paddock.core.geometry import Disc
from paddock.core.observation import Readings
from paddock.engine.state import BEARINGS, CONTACTS, HEADING, LEFT_SPEED, RIGHT_SPEED, X
from paddock.protocol.frames import pack, pack_lamps
from paddock.protocol.messages import Mark, Picture, Scene, Seen, Solid, Truth
from paddock.worlds.solids import solids


def seen_by(arena: Arena, robot: Robot, *, truth: bool, jpeg: bool = False) -> Seen:
    """What a handle's enabled devices see now."""
    with arena.turn:
        return _seen_by(arena, robot, truth=truth, jpeg=jpeg)


def _seen_by(arena: Arena, robot: Robot, *, truth: bool, jpeg: bool) -> Seen:
    slots, length, mask, cameras = robot.chosen
    readings: Readings = np.empty(length)
    if slots:
        arena.read(arena.numbers[robot.name], mask, readings)
    return Seen(
        wheels=tuple(robot.wheels.speeds),  # type: ignore[arg-type]
        readings={name: readings[slot.first : slot.last] for name, slot in slots.items()},
        pictures={camera.name: picture(camera, jpeg=jpeg) for camera in cameras},
        pans={device.name: device.pan_angle for device in pivoting(robot)},
        truth=Truth(pose=tuple(robot.pose), contacts=robot.contacts) if truth else None,  # type: ignore[arg-type]
    )


def pivoting(robot: Robot) -> Iterable[Device]:
    """The devices that can be turned."""
    return [device for device in robot.devices.values() if device.pivots]


def picture(camera: Camera, *, jpeg: bool) -> Picture:
    """A camera's present picture."""
    pixels = camera.read()
    data = pixels.tobytes()
    if jpeg:
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "JPEG", quality=85)
        data = file.getvalue()
    return Picture(width=camera.width, height=camera.height, data=data, jpeg=jpeg)


def bodies(arena: Arena) -> tuple[bytes, bytes]:
    """Where all robots are and which of their lamps are on, for a `frame`."""
    with arena.turn:
        motion, lamps = arena.motion.copy(), arena.built.lamps
    places = pack(
        motion[:, X : HEADING + 1],
        motion[:, LEFT_SPEED : RIGHT_SPEED + 1],
        motion[:, CONTACTS],
        motion[:, BEARINGS],
    )
    return places, pack_lamps(motion[:, motion.shape[1] - lamps :])


def floor_file(arena: Arena) -> bytes:
    """The floor's picture as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(arena.model.floor).save(file, "PNG")
    return file.getvalue()


def scene_of(arena: Arena, floor_png: bytes, id: int) -> Scene:
    """What there is to draw besides the robots."""
    world = arena.world
    floor = arena.model.floor
    left, _, _, top = world.bounds
    size = (floor.shape[1], floor.shape[0]) if floor.size > 3 else (0, 0)  # a plain floor is one pixel
    right, bottom = left + size[0] / world.floor.pixels_per_metre, top - size[1] / world.floor.pixels_per_metre
    return Scene(
        id=id,
        title=world.title or world.name,
        bounds=world.bounds,
        floor=floor_png,
        floor_bounds=(left, bottom, right, top) if any(size) else world.bounds,
        solids=tuple(
            Solid(corners=((s.shape.x, s.shape.y),), radius=s.shape.radius, height=s.height, color=s.color)
            if isinstance(s.shape, Disc)
            else Solid(corners=s.shape, height=s.height, color=s.color)
            for s in solids(world)
        ),
        marks=(
            *(Mark(kind="start", name=one.name, at=one.at) for one in world.starts),
            *(Mark(kind="light", name="", at=one.at) for one in world.lights),
            *(Mark(kind="sound", name="", at=one.at) for one in world.sounds),
            *(Mark(kind="field", name=one.name, at=one.at, extent=one.radius or 0.0) for one in world.fields if one.at),
        ),
    )
