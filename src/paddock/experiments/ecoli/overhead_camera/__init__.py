"""A simulated camera above a world, with latency, noise and distortion, for programs that measure with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand
from paddock.experiments.ecoli.overhead_camera.board_pictures import draw_marker_sheets, save_sheets, show_board
from paddock.experiments.ecoli.overhead_camera.feed import CameraFeed
from paddock.experiments.ecoli.overhead_camera.http_camera import HttpCamera
from paddock.experiments.ecoli.overhead_camera.overhead_camera import OverheadCamera, Scene
from paddock.experiments.ecoli.overhead_camera.overhead_spec import (
    CameraMount,
    CameraNetwork,
    CameraOptics,
    ImageSensor,
    MarkerLayout,
    OverheadSpec,
    load_overhead_camera,
)

if TYPE_CHECKING:
    from paddock.experiments.ecoli.overhead_camera.bridge import OverheadCameras

__all__ = [
    "CameraFeed",
    "CameraMount",
    "CameraNetwork",
    "CameraOptics",
    "HttpCamera",
    "ImageSensor",
    "MarkerLayout",
    "OverheadCamera",
    "OverheadCameras",
    "OverheadSpec",
    "Scene",
    "draw_marker_sheets",
    "load_overhead_camera",
    "save_sheets",
    "show_board",
]

__getattr__ = import_on_demand(__name__)
