"""Motion: how a robot moves at a moment, wherever its body is."""

from __future__ import annotations

from typing import NamedTuple

from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds


class Motion(NamedTuple):
    """Where a robot is, how fast its wheels turn, and how many things it touches."""

    pose: Pose
    wheels: WheelSpeeds
    contacts: float  # NaN where nobody knows, as of a real robot
