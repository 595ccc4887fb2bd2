"""Measure robot poses with a camera: pictures from the network, lens and camera pose, markers or coloured patches.

This package does not depend on the simulation. OpenCV is imported at its first use: `pip install 'paddock[vision]'`.
"""

from paddock.vision.assignment import assign
from paddock.vision.blink import BlinkCode, blink_codes, read_blinks
from paddock.vision.boards import BoardSpec
from paddock.vision.calibration import LensCalibration, calibrate_lens
from paddock.vision.camera_model import CameraModel, CameraPose
from paddock.vision.client import IpCamera, NotAStream, TimedPicture
from paddock.vision.floor_pose import FloorPose, find_camera_pose
from paddock.vision.lens import Lens
from paddock.vision.markers import find_markers
from paddock.vision.patch_tracker import PatchTracker
from paddock.vision.patches import ColourPatch, find_patches
from paddock.vision.site import FloorMarker, MarkedRobot, SiteSpec, load_site
from paddock.vision.tracker import MarkerSighting, MarkerTracker
from paddock.vision.tracks import SpotTrack, SpotTracker

__all__ = [
    "BlinkCode",
    "BoardSpec",
    "CameraModel",
    "CameraPose",
    "ColourPatch",
    "FloorMarker",
    "FloorPose",
    "IpCamera",
    "Lens",
    "LensCalibration",
    "MarkedRobot",
    "MarkerSighting",
    "MarkerTracker",
    "NotAStream",
    "PatchTracker",
    "SiteSpec",
    "SpotTrack",
    "SpotTracker",
    "TimedPicture",
    "assign",
    "blink_codes",
    "calibrate_lens",
    "find_camera_pose",
    "find_markers",
    "find_patches",
    "load_site",
    "read_blinks",
]
