"""Fit a camera to a world so that it sees all of it, and compute the positions and sizes of markers."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.errors import SpecError
from paddock.core.geometry import Disc, Point, inner_radius
from paddock.experiments.ecoli.overhead_camera.overhead_spec import FLOOR_MARKERS, OverheadSpec
from paddock.perception.vision.camera_model import CameraModel, CameraPose, Floats, Lens
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec

MARGIN = 0.015  # margin around the world, as a share of the picture's width
LOWEST = 1.6  # minimum default height [m]
HEIGHT_PER_LENGTH = 0.8  # default height, as a share of the world's longer side
SMALLEST_FLOOR_MARKER, FLOOR_SHARE = 0.08, 0.04  # [m]; share of the world's longer side
FLOOR_INSET = 0.9  # in sizes of a floor marker


def fit_camera(world: WorldSpec, spec: OverheadSpec) -> CameraModel:
    """Return the camera model of a spec above a world."""
    x0, y0, x1, y1 = world.bounds
    mount, optics, side = spec.mount, spec.optics, max(x1 - x0, y1 - y0)
    for name, size in (("size", spec.markers.size), ("floor_size", spec.markers.floor_size)):
        if size is not None and size > side:
            raise SpecError(f"expected metres <= {side:g}, the side of the world, got {size:g}", path=f"markers.{name}")
    pose = CameraPose(
        at=mount.at or ((x0 + x1) / 2, (y0 + y1) / 2),
        height=mount.height or max(LOWEST, HEIGHT_PER_LENGTH * side),
        tilt_deg=mount.tilt_deg,
        turn_deg=mount.turn_deg,
    )
    if optics.focal is not None:
        model = CameraModel(lens=lens_with(spec, optics.focal), pose=pose)
    else:
        model = CameraModel(lens=_longest_lens(world, spec, pose), pose=pose)
    seen = model.locate(_outline(spec.size), 0.0)  # raises an error if the lens would fold the picture
    if (seen.max(axis=0) <= (x0, y0)).any() or (seen.min(axis=0) >= (x1, y1)).any():
        raise SpecError("the camera does not see the world: expected a position above it and less tilt", path="mount")
    return model


def lens_with(spec: OverheadSpec, focal: float) -> Lens:
    """Return the lens of a spec with a focal length [pixels]. Its axis is in the middle of the picture."""
    width, height = spec.size
    optics = spec.optics
    return Lens(
        size=spec.size,
        focal=(focal, focal),
        centre=((width - 1) / 2, (height - 1) / 2),
        k1=optics.k1,
        k2=optics.k2,
        p1=optics.p1,
        p2=optics.p2,
    )


def _longest_lens(world: WorldSpec, spec: OverheadSpec, pose: CameraPose) -> Lens:
    """Return the lens with the longest focal length that shows the whole world, including its border."""
    x0, y0, x1, y1 = world.bounds
    wall, z = (0.0, 0.0) if world.open else (world.border.thickness, world.border.height)
    x0, y0, x1, y1 = x0 - wall, y0 - wall, x1 + wall, y1 + wall
    share = np.linspace(0, 1, 9)[:, None]
    corners = np.array([[x0, y0, z], [x1, y0, z], [x1, y1, z], [x0, y1, z]], float)
    edge = np.concatenate([a + share * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)])
    seen = CameraModel(lens=lens_with(spec, 1.0), pose=pose).project(edge)
    if np.isnan(seen).any():
        raise SpecError(
            "the lens cannot show such a wide angle: expected a greater height, or a weaker k1 and k2",
            path="mount.height",
        )
    offsets = np.abs(seen - lens_with(spec, 1.0).centre).max(axis=0)
    room = np.array(spec.size) / 2 - MARGIN * spec.size[0]
    if not (room > 0).all():
        raise SpecError(f"expected a height of more than {2 * MARGIN:.0%} of the width", path="size")
    return lens_with(spec, float((room / offsets).min()))


def _outline(size: tuple[int, int]) -> Floats:
    """Return pixels along the border of a picture."""
    width, height = size
    across, down = np.linspace(0, width - 1, 65), np.linspace(0, height - 1, 49)
    sides = [(across, 0 * across), (across, 0 * across + height - 1), (0 * down, down), (0 * down + width - 1, down)]
    return np.concatenate([np.stack(side, axis=-1) for side in sides])


def place_floor_markers(world: WorldSpec, spec: OverheadSpec) -> dict[int, Point]:
    """Return the centres [m] of the markers on the floor by number. Their tops point along the world's y axis."""
    if not spec.markers.floor:
        return {}
    x0, y0, x1, y1 = world.bounds
    inset = spec.markers.floor_inset or FLOOR_INSET * floor_marker_size(world, spec)
    corners = ((x0 + inset, y0 + inset), (x1 - inset, y0 + inset), (x1 - inset, y1 - inset), (x0 + inset, y1 - inset))
    return dict(zip(FLOOR_MARKERS, corners, strict=True))


def floor_marker_size(world: WorldSpec, spec: OverheadSpec) -> float:
    """Return the side length of the markers on the floor [m]."""
    x0, y0, x1, y1 = world.bounds
    return spec.markers.floor_size or max(SMALLEST_FLOOR_MARKER, FLOOR_SHARE * max(x1 - x0, y1 - y0))


def choose_marker_size(spec: OverheadSpec, robot: RobotSpec) -> float:
    """Return the side length of a robot's marker [m]: the largest square on its body, in whole millimetres."""
    if spec.markers.size is not None:
        return spec.markers.size
    shape = robot.body.shape
    radius = shape.radius if isinstance(shape, Disc) else inner_radius(shape)
    return max(1, math.floor(math.sqrt(2) * radius * 1000)) / 1000


def marker_height(spec: OverheadSpec, robot: RobotSpec) -> float:
    """Return the height of a robot's marker above the floor [m]."""
    return robot.body.height + spec.markers.rise
