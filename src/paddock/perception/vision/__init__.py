"""Measure robot poses with a camera: pictures from the network, lens and camera pose, markers or coloured patches.

This package does not depend on the simulation. OpenCV is imported at its first use:
`pip install 'paddock-lab[vision]'`.
"""

from paddock.perception.vision.calibration import BoardSpec, LensCalibration, calibrate_lens
from paddock.perception.vision.camera_client import IpCamera, NotAStream, TimedPicture
from paddock.perception.vision.camera_model import CameraModel, CameraPose, Lens
from paddock.perception.vision.floor_pose import (
    FloorMarker,
    FloorPose,
    MarkedRobot,
    SiteSpec,
    find_camera_pose,
    load_site,
)
from paddock.perception.vision.markers import find_markers
from paddock.perception.vision.patches import (
    BlinkCode,
    ColourPatch,
    PatchTracker,
    blink_codes,
    find_patches,
    read_blinks,
)
from paddock.perception.vision.tracker import MarkerSighting, MarkerTracker
from paddock.perception.vision.tracks import SpotTrack, SpotTracker, assign

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
