"""Laser lines of CARMEN, in all their kinds, as records of the same form.

FLASER n ranges… x y theta odom_x odom_y odom_theta ipc_time host logger_time
ROBOTLASER1 type start fov step max_range accuracy remission n ranges… m remissions… laser pose, robot pose,
    tv rv forward_safety side_safety turn_axis ipc_time host logger_time
RAWLASER1 type start fov step max_range accuracy remission n ranges… m remissions… ipc_time host logger_time
ODOM x y theta tv rv accel ipc_time host logger_time
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose
from paddock.mapping.logs.lines import LogWords

Floats = NDArray[np.float64]
BEAM_STEPS = {180: 1.0, 181: 1.0, 360: 0.5, 361: 0.5, 400: 0.25, 401: 0.25}  # degrees, of FLASER lines by their beams
MOST_BEAMS = 100_000


class LaserRecord(NamedTuple):
    """One laser line."""

    time: float  # when the scan was sent [s]
    logger_time: float  # when it was written [s]
    angles: Floats
    ranges: Floats  # as written
    max_range: float  # as stated; infinity where the line does not say
    laser: Pose | None  # by the log's own estimate
    robot: Pose | None  # by odometry


class OdometryRecord(NamedTuple):
    """One line of odometry."""

    time: float
    pose: Pose


def parse_flaser(words: LogWords) -> LaserRecord:
    """A FLASER line: its beams go from right to left over half a circle, unless they are 400."""
    count = beam_count(words)
    ranges = np.array(words.numbers(count, "ranges"))
    laser, robot = parse_pose(words, "laser pose"), parse_pose(words, "odometry")
    step = math.radians(BEAM_STEPS.get(count, 180 / (count - 1)))
    start = -math.pi / 2 if count not in (400, 401) else -math.radians(50)
    angles = start + step * np.arange(count, dtype=float)
    return LaserRecord(*parse_times(words), angles, ranges, math.inf, laser, robot)


def parse_robot_laser(words: LogWords) -> LaserRecord:
    """A ROBOTLASER1 line."""
    angles, ranges, max_range = parse_sweep(words)
    laser, robot = parse_pose(words, "laser pose"), parse_pose(words, "robot pose")
    words.numbers(5, "speeds and safety distances")
    return LaserRecord(*parse_times(words), angles, ranges, max_range, laser, robot)


def parse_raw_laser(words: LogWords) -> LaserRecord:
    """A RAWLASER1 line: no pose, so that lines of odometry must give it."""
    angles, ranges, max_range = parse_sweep(words)
    return LaserRecord(*parse_times(words), angles, ranges, max_range, None, None)


def parse_odometry(words: LogWords) -> OdometryRecord:
    """An ODOM line."""
    pose = parse_pose(words, "pose")
    words.numbers(3, "speeds and acceleration")
    return OdometryRecord(parse_times(words)[0], pose)


LASERS: dict[str, Callable[[LogWords], LaserRecord]] = {
    "FLASER": parse_flaser,
    "ROBOTLASER1": parse_robot_laser,
    "RAWLASER1": parse_raw_laser,
}


def parse_sweep(words: LogWords) -> tuple[Floats, Floats, float]:
    """Angles, ranges and maximum range of a line that describes its laser."""
    _, start, _, step, max_range, _, _ = words.numbers(7, "laser type, start, field of view, step, range, accuracy")
    if not (math.isfinite(start) and math.isfinite(step)):
        raise ValueError(f"start and step: expected finite numbers, got {start}, {step}")
    count = beam_count(words)
    ranges = np.array(words.numbers(count, "ranges"))
    words.take(words.count("number of remissions"), "remissions")
    return start + step * np.arange(count, dtype=float), ranges, max_range if max_range > 0 else math.inf


def beam_count(words: LogWords) -> int:
    """How many ranges follow."""
    count = words.count("number of beams")
    if not 2 <= count <= MOST_BEAMS:
        raise ValueError(f"number of beams: expected 2 … {MOST_BEAMS}, got {count}")
    return count


def parse_pose(words: LogWords, what: str) -> Pose:
    """The next three numbers."""
    pose = Pose(*words.numbers(3, what))
    if not all(map(math.isfinite, pose)):
        raise ValueError(f"{what}: expected finite numbers, got {tuple(pose)}")
    return pose


def parse_times(words: LogWords) -> tuple[float, float]:
    """Time of sending and of writing, around the name of a computer."""
    (sent,) = words.numbers(1, "time")
    words.take(1, "host")
    (written,) = words.numbers(1, "logger's time")
    if not (math.isfinite(sent) and math.isfinite(written)):
        raise ValueError(f"time: expected finite numbers, got {sent}, {written}")
    return sent, written


def near_constant(poses: Sequence[Pose]) -> bool:
    """Whether poses are the same but for rounding: so a mount is, and a correction is not."""
    spread = np.ptp(np.array(poses), axis=0)
    return bool((spread < (0.01, 0.01, 0.01)).all())
