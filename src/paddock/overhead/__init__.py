"""A simulated camera above a world, with latency, noise and distortion, for programs that measure with it."""

from paddock.overhead.board_view import show_board
from paddock.overhead.camera import OverheadCamera, Scene
from paddock.overhead.feed import CameraFeed
from paddock.overhead.http_camera import HttpCamera
from paddock.overhead.printing import draw_marker_sheets, save_sheets
from paddock.overhead.spec import (
    CameraMount,
    CameraNetwork,
    CameraOptics,
    ImageSensor,
    MarkerLayout,
    OverheadSpec,
    load_overhead_camera,
)

__all__ = [
    "CameraFeed",
    "CameraMount",
    "CameraNetwork",
    "CameraOptics",
    "HttpCamera",
    "ImageSensor",
    "MarkerLayout",
    "OverheadCamera",
    "OverheadSpec",
    "Scene",
    "draw_marker_sheets",
    "load_overhead_camera",
    "save_sheets",
    "show_board",
]
