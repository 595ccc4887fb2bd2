"""Calls about vision sensors and their images, rows from bottom to top."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.coppelia.calls.constants import GROUPS
from paddock.bridges.coppelia.calls.table import call
from paddock.bridges.coppelia.calls.values import read_ints
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.bridges.coppelia.scene.vision import (
    paint_image,
    read_packets,
    take_depth,
    take_image,
    to_grey,
    vision_shape,
)
from paddock.core.errors import PaddockError

GREY, ALPHA = 1, 2  # options of images
METRES = 1  # option of depth images
FLIP_X, FLIP_Y = 1, 4  # options of `transformImage`
FLAGS = GROUPS["handleflag"]
NUMBER_TYPES = ("u1", "i1", "<u2", "<i2", "<u4", "<i4", "<f4", "<f8")  # sim.buffer_uint8 … buffer_double
CLAMP = GROUPS["buffer"]["clamp"]
LARGEST_IMAGE = 1 << 24  # bytes


def cut(image: NDArray[Any], corner: Any, size: Any) -> NDArray[Any]:
    """Return a part of an image, from its lower left corner; a size of 0, 0 selects the whole image."""
    x, y, *_ = [*read_ints(corner or [0, 0]), 0, 0]
    width, height, *_ = [*read_ints(size or [0, 0]), 0, 0]
    if (width, height) == (0, 0):
        return image
    part = image[max(y, 0) : y + height, max(x, 0) : x + width]
    if part.shape[:2] != (height, width):
        raise PaddockError(f"expected a part of an image of {image.shape[1]} x {image.shape[0]} pixels")
    return part


@call()
def get_vision_sensor_img(
    caller: SceneCaller,
    sensor: SceneObject,
    options: int = 0,
    cut_off: float = 0.0,
    corner: Any = None,
    size: Any = None,
) -> tuple[bytes, list[int]]:
    image = cut(take_image(caller.scene, sensor), corner, size)
    resolution = [image.shape[1], image.shape[0]]
    if options & GREY:
        image = to_grey(image)
    if options & ALPHA:
        shape = vision_shape(sensor)
        limit = cut_off * (shape.far - shape.near) + shape.near
        depth = cut(take_depth(caller.scene, sensor, metres=True), corner, size)
        opaque = np.full(depth.shape, True) if cut_off == 0 else depth < limit
        colours = image[..., None] if image.ndim == 2 else image
        image = np.concatenate((colours, np.where(opaque, 255, 0).astype(np.uint8)[..., None]), 2)
    return image.tobytes(), resolution


@call()
def get_vision_sensor_char_image(
    caller: SceneCaller, sensor: SceneObject, x: int = 0, y: int = 0, width: int = 0, height: int = 0
) -> tuple[bytes, int, int]:
    image = cut(take_image(caller.scene, sensor), [x, y], [width, height])
    return image.tobytes(), image.shape[1], image.shape[0]


@call()
def get_vision_sensor_image(caller: SceneCaller, sensor: SceneObject, x: int = 0, y: int = 0) -> list[float]:
    """Return numbers from 0 to 1 (before version 4.4)."""
    image = take_image(caller.scene, sensor)
    image = to_grey(image) if caller.flags & FLAGS["greyscale"] else image
    values: list[float] = (image.reshape(-1) / 255.0).tolist()
    return values


@call()
def get_vision_sensor_depth(
    caller: SceneCaller, sensor: SceneObject, options: int = 0, corner: Any = None, size: Any = None
) -> tuple[bytes, list[int]]:
    depth = cut(take_depth(caller.scene, sensor, metres=bool(options & METRES)), corner, size)
    return depth.astype("<f4").tobytes(), [depth.shape[1], depth.shape[0]]


@call()
def get_vision_sensor_depth_buffer(caller: SceneCaller, sensor: SceneObject, x: int = 0, y: int = 0) -> Any:
    """Return depths from 0 to 1 (before version 4.4); in metres, or as float32 bytes, if the handle's flags say so."""
    depth = take_depth(caller.scene, sensor, metres=bool(caller.flags & FLAGS["depthbuffermeters"]))
    if caller.flags & FLAGS["codedstring"]:
        return depth.astype("<f4").tobytes()
    return depth.astype(np.float64).reshape(-1).tolist()


@call()
def get_vision_sensor_res(caller: SceneCaller, sensor: SceneObject) -> list[int]:
    shape = vision_shape(sensor)
    return [shape.width, shape.height]


@call()
def get_vision_sensor_resolution(caller: SceneCaller, sensor: SceneObject) -> tuple[int, int]:
    shape = vision_shape(sensor)
    return shape.width, shape.height


@call("setVisionSensorImg", "setVisionSensorCharImage")
def set_vision_sensor_img(caller: SceneCaller, sensor: SceneObject, image: bytes, options: int = 0) -> None:
    paint_image(caller.scene, sensor, image)


@call("readVisionSensor", "handleVisionSensor", "checkVisionSensor")
def read_vision_sensor(caller: SceneCaller, sensor: SceneObject, entity: Any = None) -> tuple[Any, ...]:
    detected, packets = read_packets(caller.scene, sensor)
    return detected, *packets


@call()
def transform_image(caller: SceneCaller, image: bytes, resolution: list[int], options: int) -> bytes:
    if len(resolution) != 2 or min(resolution) < 1 or len(image) % (resolution[0] * resolution[1]):
        raise PaddockError(f"expected an image of {resolution} pixels, got {len(image)} bytes")
    pixels = np.frombuffer(image, np.uint8).reshape(resolution[1], resolution[0], -1)
    pixels = pixels[:, ::-1] if options & FLIP_X else pixels
    return (pixels[::-1] if options & FLIP_Y else pixels).tobytes()


@call()
def get_scaled_image(
    caller: SceneCaller, image: bytes, resolution: list[int], size: list[int], options: int = 0
) -> tuple[bytes, list[int]]:
    channels = 4 if options & 1 else 3
    if len(resolution) != 2 or len(size) != 2 or min(*resolution, *size) < 1:
        raise PaddockError("expected two resolutions of two numbers above 0")
    if len(image) != resolution[0] * resolution[1] * channels or size[0] * size[1] > LARGEST_IMAGE // 4:
        raise PaddockError(f"expected an image of {resolution} pixels with {channels} bytes, got {len(image)} bytes")
    pixels = np.frombuffer(image, np.uint8).reshape(resolution[1], resolution[0], channels)
    rows = np.arange(size[1]) * resolution[1] // size[1]
    columns = np.arange(size[0]) * resolution[0] // size[0]
    return pixels[rows][:, columns].tobytes(), size


@call()
def transform_buffer(
    caller: SceneCaller, data: bytes, given: int, factor: float, offset: float, target_type: int
) -> bytes:
    """Multiply the numbers of a buffer, add an offset, and convert them: depths to millimetres, for example."""
    if not (0 <= given < len(NUMBER_TYPES) and 0 <= target_type & ~CLAMP < len(NUMBER_TYPES)):
        raise PaddockError(f"expected sim.buffer_uint8 … sim.buffer_double, got {given} and {target_type}")
    before, after = np.dtype(NUMBER_TYPES[given]), np.dtype(NUMBER_TYPES[target_type & ~CLAMP])
    if len(data) % before.itemsize:
        raise PaddockError(f"expected numbers of {before.itemsize} bytes, got {len(data)} bytes")
    numbers = np.nan_to_num(np.frombuffer(data, before).astype(np.float64) * factor + offset)
    if after.kind == "f":
        return numbers.astype(after).tobytes()
    limits = np.iinfo(after if target_type & CLAMP else np.int32 if after.kind == "i" else np.uint32)
    return np.clip(numbers, limits.min, limits.max).astype(np.int64).astype(after).tobytes()
