"""All types of laser lines of CARMEN, as records of one format.

FLASER n ranges… x y theta odom_x odom_y odom_theta ipc_time host logger_time
ROBOTLASER1 type start fov step max_range accuracy remission n ranges… m remissions… laser pose, robot pose,
    tv rv forward_safety side_safety turn_axis ipc_time host logger_time; ROBOTLASER2 is the same for a second laser
RAWLASER1 type start fov step max_range accuracy remission n ranges… m remissions… ipc_time host logger_time
ODOM x y theta tv rv accel ipc_time host logger_time
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import ORIGIN, Pose, relative
from paddock.perception.mapping.logs.log_lines import LogWords
from paddock.perception.mapping.scan import Floats

# Numbers of beams by field of view [degrees]: FLASER lines contain only the number of beams.
FIELDS = {100.0: (100, 101, 200, 201, 400, 401), 270.0: (541, 1081)}  # all others have 180°
WITHOUT_LAST = (100, 180, 200, 360, 400)  # numbers of beams whose last beam is one step before the edge of the field
MAX_BEAMS = 100_000
FARTHEST, LATEST = 1e6, 1e12  # maximum position [m] and time [s]; larger ones are invalid
WIDEST = 2.1 * math.pi  # a full turn, and some rounding; wider fields are in degrees, or invalid [rad]


class LaserRecord(NamedTuple):
    """One laser line."""

    time: float  # when the scan was sent [s]
    logger_time: float  # when it was written [s]
    angles: Floats
    ranges: Floats  # as written
    max_range: float  # as stated; infinity if the line does not state it
    laser: Pose | None  # by the log's own estimate
    robot: Pose | None  # by odometry


class OdometryRecord(NamedTuple):
    """One line of odometry."""

    time: float
    pose: Pose


def parse_flaser(words: LogWords) -> LaserRecord:
    """Parse a FLASER line; its beams go from right to left."""
    count = beam_count(words)
    ranges = np.array(words.numbers(count, "ranges"))
    laser, robot = parse_pose(words, "laser pose"), parse_pose(words, "odometry")
    field = next((field for field, counts in FIELDS.items() if count in counts), 180.0)
    steps = count if count in WITHOUT_LAST else count - 1
    angles = np.radians(field * np.arange(count) / steps - field / 2)
    return LaserRecord(*parse_times(words), angles, ranges, math.inf, laser, robot)


def parse_robot_laser(words: LogWords) -> LaserRecord:
    """Parse a ROBOTLASER1 line."""
    angles, ranges, max_range = parse_sweep(words)
    laser, robot = parse_pose(words, "laser pose"), parse_pose(words, "robot pose")
    words.numbers(5, "speeds and safety distances")
    return LaserRecord(*parse_times(words), angles, ranges, max_range, laser, robot)


def parse_raw_laser(words: LogWords) -> LaserRecord:
    """Parse a RAWLASER1 line, which has no pose; the pose comes from lines of odometry."""
    angles, ranges, max_range = parse_sweep(words)
    return LaserRecord(*parse_times(words), angles, ranges, max_range, None, None)


def parse_odometry(words: LogWords) -> OdometryRecord:
    """Parse an ODOM line."""
    pose = parse_pose(words, "pose")
    words.numbers(3, "speeds and acceleration")
    return OdometryRecord(parse_times(words)[0], pose)


LASERS: dict[str, Callable[[LogWords], LaserRecord]] = {
    "ROBOTLASER1": parse_robot_laser,
    "FLASER": parse_flaser,
    "RAWLASER1": parse_raw_laser,
    "ROBOTLASER2": parse_robot_laser,
}
"""Parsers by the type of line; the first type that a log contains is used."""


def parse_sweep(words: LogWords) -> tuple[Floats, Floats, float]:
    """Parse angles, ranges and maximum range of a line that describes its laser."""
    _, start, _, step, max_range, _, _ = words.numbers(7, "laser type, start, field of view, step, range, accuracy")
    count = beam_count(words)
    if not (abs(start) <= WIDEST and abs(step) * count <= WIDEST):
        raise ValueError(f"start and step: expected radians, for beams within a full turn, got {start}, {step}")
    ranges = np.array(words.numbers(count, "ranges"))
    words.take(words.count("number of remissions"), "remissions")
    return start + step * np.arange(count, dtype=float), ranges, max_range if max_range > 0 else math.inf


def beam_count(words: LogWords) -> int:
    """Parse the number of ranges that follow."""
    count = words.count("number of beams")
    if not 2 <= count <= MAX_BEAMS:
        raise ValueError(f"number of beams: expected 2 … {MAX_BEAMS}, got {count}")
    return count


def parse_pose(words: LogWords, what: str) -> Pose:
    """Parse the next three numbers as a pose."""
    pose = Pose(*words.numbers(3, what))
    if not (math.hypot(pose.x, pose.y) <= FARTHEST and math.isfinite(pose.heading)):
        raise ValueError(f"{what}: expected finite numbers, and a position within {FARTHEST:g} m, got {tuple(pose)}")
    return pose


def parse_times(words: LogWords) -> tuple[float, float]:
    """Parse the times of sending and of writing, with the host name between them."""
    (sent,) = words.numbers(1, "time")
    words.take(1, "host")
    (written,) = words.numbers(1, "logger's time")
    if not (abs(sent) <= LATEST and abs(written) <= LATEST):
        raise ValueError(f"time: expected seconds, at most {LATEST:g}, got {sent}, {written}")
    return sent, written


def find_mount(records: Sequence[LaserRecord]) -> Pose:
    """Return the mount of the laser, or the centre if it is not constant because the log corrects its laser poses."""
    mounts = [relative(record.robot, record.laser) for record in records if record.robot and record.laser]
    offsets = np.array([relative(mounts[0], mount) for mount in mounts])
    return mounts[0] if mounts and (np.abs(offsets) < 0.01).all() else ORIGIN
