"""Messages about the world: readings and pictures of robots, their poses, and the scene."""

from __future__ import annotations

import io
from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image

from paddock.arena import Arena, Robot
from paddock.arena.devices import Camera
from paddock.core.geometry import Disc
from paddock.core.observation import Readings
from paddock.network.protocol.frames import pack, pack_leds, pack_poses
from paddock.network.protocol.map_messages import thin_particles
from paddock.network.protocol.messages import (
    EstimateData,
    Mark,
    PictureData,
    RobotReadings,
    SceneData,
    SolidShape,
    Truth,
)
from paddock.perception.estimation import Estimate, ellipse_axes
from paddock.report.recordings.robot_messages import encode_jpeg
from paddock.simulation.engine.state import BEARINGS, CONTACTS, HEADING, LEFT_SPEED, PANS, RIGHT_SPEED, X, Y
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import ThingSpec
from paddock.simulation.worlds.solids import Solid, solids


def read_enabled_devices(arena: Arena, robot: Robot, *, truth: bool, jpeg: bool = False) -> RobotReadings:
    """Return the current readings of a handle's enabled devices."""
    slots, length, mask, cameras = robot.chosen
    readings: Readings = np.empty(length)
    with arena.mutex:
        number = arena.numbers[robot.name]
        if slots:
            arena.read(number, mask, readings)
        row = arena.motion[number, :PANS].tolist()
        pictures = {camera.name: picture(camera, jpeg=jpeg) for camera in cameras} if cameras else {}
        pans: dict[str, float | None] = {name: robot.devices[name].pan_angle for name in _pivoting(robot)}
    known = None
    if truth:
        pose = (row[X], row[Y], row[HEADING])
        known = Truth(pose=pose, contacts=tuple(row[BEARINGS : BEARINGS + int(row[CONTACTS])]))
    return RobotReadings(
        wheels=(row[LEFT_SPEED], row[RIGHT_SPEED]),
        readings={name: readings[slot.first : slot.last] for name, slot in slots.items()},
        pictures=pictures,
        pans=pans,
        truth=known,
        estimate=_estimate_data(arena.monitor.estimates.get(robot.name)),
    )


def _estimate_data(estimate: Estimate | None) -> EstimateData | None:
    """Return the message of an estimate, with a reduced number of particles."""
    if estimate is None:
        return None
    dots = None
    if estimate.particles is not None:
        dots = np.ascontiguousarray(thin_particles(estimate.particles)).reshape(-1)
    return EstimateData(pose=estimate.pose, ellipse=ellipse_axes(estimate.covariance), particles=dots)


def _pivoting(robot: Robot) -> tuple[str, ...]:
    """Return the names of the devices that can pivot."""
    spec, names = _PIVOTING.get(robot, (None, ()))
    if spec is not robot.spec:
        names = tuple(device.name for device in robot.devices.values() if device.pivots)
        _PIVOTING[robot] = robot.spec, names
    return names


_PIVOTING: WeakKeyDictionary[Robot, tuple[RobotSpec, tuple[str, ...]]] = WeakKeyDictionary()


def picture(camera: Camera, *, jpeg: bool) -> PictureData:
    """Return the current picture of a camera."""
    pixels = camera.read()
    data = encode_jpeg(pixels) if jpeg else pixels.tobytes()
    return PictureData(width=camera.width, height=camera.height, data=data, jpeg=jpeg)


def bodies(arena: Arena, sees: Callable[[str], bool] | None = None) -> tuple[bytes, bytes]:
    """Return packed poses and LEDs for a `frame`; `sees` selects robots, None: all."""
    with arena.mutex:
        rows = slice(None) if sees is None else [row for name, row in arena.numbers.items() if sees(name)]
        motion, led_count = arena.motion[rows].copy(), arena.built.led_count
    places = pack(
        motion[:, X : HEADING + 1],
        motion[:, LEFT_SPEED : RIGHT_SPEED + 1],
        motion[:, CONTACTS],
        motion[:, BEARINGS],
    )
    return places, pack_leds(motion[:, motion.shape[1] - led_count :])


def thing_poses(arena: Arena) -> bytes:
    """Return packed poses of all things for a `frame`."""
    with arena.mutex:
        state, robots = arena.state, len(arena.numbers)
        return pack_poses(state.motion[0, arena.tick % state.motion.shape[1], robots:, X : HEADING + 1])


def floor_file(arena: Arena) -> bytes:
    """Return the picture of the floor as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(arena.model.floor).save(file, "PNG")
    return file.getvalue()


def _draw_solid(solid: Solid | ThingSpec) -> SolidShape:
    shape = solid.shape
    if isinstance(shape, Disc):
        return SolidShape(corners=((shape.x, shape.y),), radius=shape.radius, height=solid.height, color=solid.color)
    return SolidShape(corners=shape, height=solid.height, color=solid.color)


def describe_scene(arena: Arena) -> SceneData:
    """Return all that is drawn except the robots; things from their own centre."""
    world = arena.world
    floor = arena.model.floor
    left, _, _, top = world.bounds
    size = (floor.shape[1], floor.shape[0]) if floor.size > 3 else (0, 0)  # a plain floor is one pixel
    right, bottom = left + size[0] / world.floor.pixels_per_metre, top - size[1] / world.floor.pixels_per_metre
    return SceneData(
        id=0,
        title=world.title or world.name,
        bounds=world.bounds,
        floor=floor_file(arena),
        floor_bounds=(left, bottom, right, top) if any(size) else world.bounds,
        solids=tuple(_draw_solid(solid) for solid in solids(world)),
        things=tuple(_draw_solid(thing) for thing in world.things),
        marks=(
            *(Mark(kind="start", name=start.name, at=start.at) for start in world.starts),
            *(Mark(kind="light", name="", at=light.at) for light in world.lights),
            *(Mark(kind="sound", name="", at=sound.at) for sound in world.sounds),
            *(Mark(kind="field", name=f.name, at=f.at, extent=f.radius or 0.0) for f in world.fields if f.at),
        ),
    )
