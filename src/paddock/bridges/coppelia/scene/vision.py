"""Vision sensors of a scene: cameras, floor sensors (cameras of one row or pixel), and halves of laser scanners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.coppelia.scene.laser import FARTHEST, POINTS, scan_half
from paddock.bridges.coppelia.scene.models import SCANNER_OPENING
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.core.errors import PaddockError
from paddock.simulation.sensors.camera import CameraSpec

NEAR = 0.01  # near clipping plane [m]
FLOOR_FAR = 0.05  # far clipping plane of floor sensors [m]
FLOOR_WIDTH = 32  # pixels of the e-puck's light sensor; its three ground sensors are at the ends and in the middle
FLOOR_PARTS = ("floor_sensor", "floor_spot")
VISION_PARTS = ("camera", "laser_half", *FLOOR_PARTS)
BRIGHT = 0.5  # brightness above which a spot of the floor is detected


class VisionShape(NamedTuple):
    """Resolution, clipping planes and field of view of a vision sensor."""

    width: int
    height: int
    near: float  # clipping planes [m]
    far: float
    angle: float  # horizontal field of view [rad]


def vision_shape(sensor: SceneObject) -> VisionShape:
    """Return the resolution, clipping planes and field of view of a vision sensor."""
    if sensor.robot is None or sensor.part not in VISION_PARTS:
        raise PaddockError(f"{sensor} is not a vision sensor")
    spec = sensor.robot.spec.sensor(sensor.device)
    if isinstance(spec, CameraSpec):
        return VisionShape(spec.width, spec.height, NEAR, spec.range, spec.opening)
    if sensor.part == "laser_half":
        return VisionShape(POINTS, 1, 0.0, FARTHEST, SCANNER_OPENING)
    return VisionShape(1 if sensor.part == "floor_spot" else FLOOR_WIDTH, 1, 0.0, FLOOR_FAR, 0.0)


def take_image(scene: CoppeliaScene, sensor: SceneObject) -> NDArray[np.uint8]:
    """Return the current image, or the image set by a client: rows from bottom to top, [row, column, rgb]."""
    shape, key = vision_shape(sensor), ("image", sensor.handle)
    if (painted := scene.settings.get(key)) is not None:
        return np.asarray(painted)
    if key not in scene.sensed:
        assert sensor.robot is not None
        if sensor.part == "camera":
            image = np.ascontiguousarray(sensor.robot.picture(sensor.device)[::-1])
        else:
            bright = np.clip(_brightness(sensor, shape.width), 0.0, 1.0)
            image = np.repeat((bright * 255).round().astype(np.uint8), 3).reshape(shape.height, shape.width, 3)
        scene.sensed[key] = image
    return np.asarray(scene.sensed[key])


def to_grey(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the mean of red, green and blue."""
    grey: NDArray[np.uint8] = (image.sum(2, dtype="u2") // 3).astype("u1")
    return grey


def _brightness(sensor: SceneObject, width: int) -> NDArray[np.float64]:
    """Return the brightness of each pixel of a row: of the floor, or zero for a laser scanner."""
    assert sensor.robot is not None
    if sensor.part == "laser_half":
        return np.zeros(width)
    seen = sensor.robot.read(sensor.device)
    if sensor.part == "floor_spot":
        return seen[sensor.channel : sensor.channel + 1]
    return np.interp(np.linspace(0, len(seen) - 1, width), np.arange(len(seen)), seen)


def take_depth(scene: CoppeliaScene, sensor: SceneObject, *, metres: bool = False) -> NDArray[np.float32]:
    """Return the current depth image, rows from bottom to top: 0 … 1 between the clipping planes, or in metres."""
    shape, key = vision_shape(sensor), ("depth", sensor.handle)
    if key not in scene.sensed:
        assert sensor.robot is not None
        if sensor.part == "camera":
            depth = np.minimum(sensor.robot.depth(sensor.device)[::-1], shape.far)
        elif sensor.part == "laser_half":
            depth = scan_half(scene, sensor)[:, 2].reshape(1, -1)
        else:
            depth = np.full((shape.height, shape.width), FLOOR_FAR)
        scene.sensed[key] = depth
    depth = scene.sensed[key]
    if not metres:
        depth = np.clip((depth - shape.near) / (shape.far - shape.near), 0.0, 1.0)
    return np.asarray(depth, np.float32)


def paint_image(scene: CoppeliaScene, sensor: SceneObject, pixels: bytes) -> None:
    """Replace the image of a sensor: one or three bytes for each pixel, rows from bottom to top."""
    shape = vision_shape(sensor)
    count = shape.width * shape.height
    if len(pixels) not in (count, 3 * count):
        raise PaddockError(f"{sensor}: expected an image of {count} or {3 * count} bytes, got {len(pixels)}")
    values = np.frombuffer(pixels, np.uint8)
    values = np.repeat(values, 3) if len(pixels) == count else values
    scene.settings["image", sensor.handle] = values.reshape(shape.height, shape.width, 3).copy()


def read_packets(scene: CoppeliaScene, sensor: SceneObject) -> tuple[int, list[list[float]]]:
    """Return the results of `readVisionSensor`: whether something is detected, and packets of numbers.

    The first packet is a summary. A laser scanner has a second packet: columns, rows, and four numbers for each point,
    see `scan_half`. A spot of the floor is detected if it is bright, as by the line tracer's sensors.
    """
    packets = [_summarise(scene, sensor)]
    if sensor.part == "laser_half":
        packets.append([float(POINTS), 1.0, *scan_half(scene, sensor).reshape(-1).tolist()])
    detected = sensor.part == "floor_spot" and take_image(scene, sensor).mean() > BRIGHT * 255
    return int(detected), packets


def _summarise(scene: CoppeliaScene, sensor: SceneObject) -> list[float]:
    """Return minimum, maximum and mean of intensity, red, green, blue and depth."""
    image = take_image(scene, sensor).reshape(-1, 3) / 255.0
    depth = take_depth(scene, sensor).reshape(-1, 1)
    values = np.column_stack((image.mean(1), image, depth))
    return [float(value) for row in (values.min(0), values.max(0), values.mean(0)) for value in row]
