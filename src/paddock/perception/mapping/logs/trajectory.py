"""Trajectories, TUM files for trajectory tools (`time x y z qx qy qz qw`), and errors of relations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.files import write_text
from paddock.core.geometry import Pose, relative, wrap
from paddock.perception.mapping.logs.log_formats import LogWords, read_lines

SAME_TIME = 0.0005  # maximum difference of equal times due to rounding [s]


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


class Relation(NamedTuple):
    """A known relative pose."""

    first: float  # time [s]
    second: float
    step: Pose  # from the first pose to the second


class RelationErrors(NamedTuple):
    """Errors of the relations whose times are both in a trajectory."""

    translation: NDArray[np.float64]  # [m]
    rotation: NDArray[np.float64]  # [rad]
    left_out: int  # number of relations with a time that is not in the trajectory

    def compute_results(self) -> dict[str, float | int]:
        """Return means, standard deviations and maxima of absolute and squared errors [m, degrees]."""
        numbers: dict[str, float | int] = {"relations": len(self.translation), "left_out": self.left_out}
        for what, errors in (("translation_m", self.translation), ("rotation_deg", np.degrees(self.rotation))):
            for kind, values in (("", errors), ("squared_", errors**2)):
                name = f"{kind}{what}"
                numbers |= {
                    f"{name}_mean": float(values.mean()) if len(values) else math.nan,
                    f"{name}_std": float(values.std()) if len(values) else math.nan,
                    f"{name}_max": float(values.max()) if len(values) else math.nan,
                }
        return numbers


def read_relations(path: str | Path) -> list[Relation]:
    """Read all relations of a plain or compressed file."""
    relations = []
    for number, line in enumerate(read_lines(Path(path)), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            numbers = LogWords(["", *line.split()]).numbers(8, "two times and a pose")
            if not all(map(math.isfinite, numbers)):
                raise ValueError(f"expected finite numbers, got {line.strip()}")
        except ValueError as error:
            raise PaddockError(f"{path}: line {number}: {error}") from None
        first, second, x, y, _, _, _, yaw = numbers
        relations.append(Relation(first, second, Pose(x, y, yaw)))
    if not relations:
        raise PaddockError(f"{path}: no relations: expected lines `time1 time2 x y z roll pitch yaw`")
    return relations


def evaluate_relations(relations: Sequence[Relation], trajectory: Trajectory) -> RelationErrors:
    """Return the errors of the relative poses of a trajectory."""
    times = np.asarray(trajectory.times)
    order = np.argsort(times, kind="stable")
    errors = []
    for relation in relations:
        places = [nearest(times, order, time) for time in (relation.first, relation.second)]
        if None in places:
            continue
        first, second = (trajectory.poses[place] for place in places if place is not None)
        error = relative(relation.step, relative(first, second))
        errors.append((math.hypot(error.x, error.y), abs(error.heading)))
    table = np.array(errors).reshape(-1, 2)
    return RelationErrors(table[:, 0], table[:, 1], len(relations) - len(table))


def nearest(times: NDArray[np.float64], order: NDArray[np.int64], time: float) -> int | None:
    """Return the index of the entry with this time; None if there is none."""
    after = int(np.searchsorted(times, time, sorter=order))
    around = [int(order[place]) for place in (after - 1, after) if 0 <= place < len(order)]
    place = min(around, key=lambda k: abs(times[k] - time), default=None)
    return place if place is not None and abs(times[place] - time) < SAME_TIME else None
