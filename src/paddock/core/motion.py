"""Motion and States: the current state of motion of a simulated, remote or real robot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds


class Motion(NamedTuple):
    """Pose, wheel speeds and number of contacts of a robot."""

    pose: Pose
    wheels: WheelSpeeds
    contacts: float  # NaN if unknown, as for a real robot


class States(NamedTuple):
    """Rows of a simulation's state of the same tick, as kernels get them, and which one is the robot's own."""

    rows: NDArray[np.float64]  # shape (robots, columns of `motion` in engine/state.py)
    robot: int
