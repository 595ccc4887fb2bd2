"""A small laboratory with an overhead camera, for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

import paddock
from paddock.arena import Arena
from paddock.core.observation import Picture
from paddock.experiments.ecoli.overhead_camera import OverheadCamera, OverheadCameras, OverheadSpec
from paddock.experiments.ecoli.overhead_camera.http_camera import HttpCamera
from paddock.perception.vision import FloorPose, MarkerTracker, find_camera_pose, find_markers
from paddock.perception.vision.opencv import decode_jpeg
from paddock.simulation.worlds.world_spec import Box, RobotPlacement, WorldSpec

LAB = WorldSpec(
    name="lab",
    bounds=(0, 0, 1.2, 0.9),
    boxes=(Box(at=(0.6, 0.75), size=(0.3, 0.04), height=0.4),),
    robots=(
        RobotPlacement(name="ann", type="e-puck", at=(0.3, 0.4)),
        RobotPlacement(name="bob", type="e-puck", at=(0.6, 0.4), heading_deg=90),
        RobotPlacement(name="cyd", type="e-puck", at=(0.9, 0.4), heading_deg=180, color="#c0392b"),
    ),
)
SMALL = OverheadSpec(size=(640, 480))


@lru_cache(maxsize=8)
def camera(spec: OverheadSpec = SMALL) -> OverheadCamera:
    return OverheadCamera(LAB, spec, seed=5)


def look(spec: OverheadSpec, poses: Any, *, leds: Any = (), tick: int = 1) -> Picture:
    """Return a picture as received from the network."""
    eye = camera(spec)
    return decode_jpeg(eye.take_jpeg(eye.set_scene(poses, leds=leds, tick=tick)))


def see_floor(spec: OverheadSpec = SMALL) -> FloorPose:
    """Return the camera's pose from a picture, with the true lens."""
    eye = camera(spec)
    poses = [(0.3, 0.45, 0.0), (0.6, 0.45, 0.0), (0.9, 0.45, 0.0)]
    numbers = [marker.marker for marker in eye.site.floor]
    return find_camera_pose(eye.model.lens, eye.site, find_markers(look(spec, poses, tick=999), numbers))


def tracker(spec: OverheadSpec = SMALL) -> MarkerTracker:
    return MarkerTracker(see_floor(spec), camera(spec).site)


def draw_poses(number: int) -> np.ndarray:
    """Return poses of three robots, each in a third of the room."""
    chance = np.random.default_rng(number)
    x = np.array([0.2, 0.6, 1.0]) + chance.uniform(-0.12, 0.12, 3)
    return np.column_stack([x, chance.uniform(0.1, 0.62, 3), chance.uniform(-np.pi, np.pi, 3)])


TINY = OverheadSpec(size=(320, 240))


def with_network(spec: OverheadSpec = TINY, **changes: Any) -> OverheadSpec:
    return replace(spec, network=replace(spec.network, **{"port": 0, **changes}))


@contextmanager
def serve_camera(spec: OverheadSpec | None = None, *, moving: bool = False) -> Iterator[tuple[HttpCamera, Arena]]:
    """Serve a camera of an arena on a free port; if `moving`, the arena runs at full speed."""
    arena = paddock.open(LAB, seed=2)
    with OverheadCameras(arena, [spec or with_network()]) as cameras, passing_time(arena, moving):
        yield cameras.cameras[0], arena


@contextmanager
def passing_time(arena: Arena, moving: bool) -> Iterator[None]:
    end = threading.Event()

    def run() -> None:
        while not end.wait(0.002):
            arena.step()

    thread = threading.Thread(target=run)
    if moving:
        thread.start()
    try:
        yield
    finally:
        end.set()
        if moving:
            thread.join()
