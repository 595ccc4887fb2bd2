"""Trajectories, and TUM files for trajectory tools (`time x y z qx qy qz qw`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from paddock.core.errors import PaddockError
from paddock.core.files import write_text
from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping.logs.log_lines import LogWords, read_lines


class Trajectory(NamedTuple):
    """Poses at times [s]."""

    times: Sequence[float]
    poses: Sequence[Pose]


def write_tum(trajectory: Trajectory, path: Path) -> None:
    """Write a trajectory in the plane as a TUM file."""
    lines = [
        f"{time:.6f} {x:.6f} {y:.6f} 0 0 0 {math.sin(heading / 2):.9f} {math.cos(heading / 2):.9f}\n"
        for time, (x, y, heading) in zip(trajectory.times, trajectory.poses, strict=True)
    ]
    write_text(path, "".join(lines))


def read_tum(path: Path) -> Trajectory:
    """Read a TUM file; of a 3D trajectory, only the motion in the plane is used."""
    times, poses = [], []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            time, x, y, _, qx, qy, qz, qw = LogWords(["", *line.split()]).numbers(8, "time, place and quaternion")
        except ValueError as error:
            raise PaddockError(f"{path}: line {number}: {error}") from None
        times.append(time)
        poses.append(Pose(x, y, wrap(math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz)))))
    return Trajectory(times, poses)
