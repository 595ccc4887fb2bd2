"""Motion: the current state of motion of a simulated, remote or real robot."""

from __future__ import annotations

from typing import NamedTuple

from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds


class Motion(NamedTuple):
    """Pose, wheel speeds and number of contacts of a robot."""

    pose: Pose
    wheels: WheelSpeeds
    contacts: float  # NaN if unknown, as for a real robot
