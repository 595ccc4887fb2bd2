"""CARMEN logs (https://carmen.sourceforge.net), the format of the SLAM benchmark."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np

from paddock.core.geometry import Pose, compose, relative, wrap
from paddock.perception.mapping.logs.log_lines import LogNotes
from paddock.perception.mapping.logs.records import LASERS, LaserRecord, OdometryRecord, find_mount, parse_odometry
from paddock.perception.mapping.logs.scan_log import ScanLog, usable_range
from paddock.perception.mapping.scan import Scan

NEAREST = 0.03  # minimum valid range: some scanners report 0.02 without a return [m]
SET_BACK = 5.0  # a larger step back in time means that the clock was set; a smaller one is the order of writing [s]


def parse_carmen(lines: Iterable[str], name: str) -> ScanLog:
    """Read the first laser of a log. Lines of other types are counted, invalid ones reported with their numbers."""
    lasers: dict[str, list[LaserRecord]] = {kind: [] for kind in LASERS}
    odometry: list[OdometryRecord] = []
    notes = LogNotes(name)
    for number, words in notes.read(lines):
        kind = words.kind
        with notes.leave_out_broken(number, kind):
            if kind in LASERS:
                lasers[kind].append(LASERS[kind](words))
            elif kind == "ODOM":
                odometry.append(parse_odometry(words))
            else:
                notes.skip(kind)
    used = next((kind for kind, records in lasers.items() if records), "FLASER")
    for other, records in lasers.items():
        if other != used and records:
            notes.skipped[other] += len(records)
    return assemble_log(lasers[used], odometry, find_mount(lasers[used]), notes)


def assemble_log(
    records: Sequence[LaserRecord], odometry: Sequence[OdometryRecord], mount: Pose, notes: LogNotes
) -> ScanLog:
    """Create a log in the order of its times."""
    if not any(record.time for record in records):
        records = [record._replace(time=record.logger_time) for record in records]
    odometry = sorted(odometry, key=lambda record: record.time)
    placed = [(record, robot) for record in records if (robot := record.robot or pose_at(odometry, record.time))]
    if missing := len(records) - len(placed):
        notes.skipped["laser without odometry"] += missing
    order = order_times([record.time for record, _ in placed])
    lasers, poses = [placed[k][0] for k in order], [placed[k][1] for k in order]
    limit = usable_range([record.ranges for record in lasers])
    scans = [to_scan(record, min(limit, record.max_range), mount) for record in lasers]
    times = [record.logger_time for record in lasers]
    return ScanLog(notes.name, scans, poses, times, dict(notes.skipped), notes.problems)


def order_times(times: Sequence[float]) -> list[int]:
    """Return the indices that sort times; times after the clock was set back are sorted separately."""
    latest, part, parts = -np.inf, 0, []
    for time in times:
        part += time < latest - SET_BACK
        latest = time if time < latest - SET_BACK else max(latest, time)
        parts.append(part)
    return sorted(range(len(times)), key=lambda k: (parts[k], times[k]))


def to_scan(record: LaserRecord, limit: float, mount: Pose) -> Scan:
    """Create a scan without readings at the limit, because these may be dark surfaces as well as open space."""
    ranges = np.where((record.ranges > NEAREST) & (record.ranges < limit), record.ranges, np.nan)
    return Scan(record.time, record.angles, ranges, limit, mount)


def pose_at(odometry: Sequence[OdometryRecord], time: float) -> Pose | None:
    """Interpolate the pose at a time between two lines of odometry; None before the first and after the last."""
    after = bisect_left(odometry, time, key=lambda record: record.time)
    if after < len(odometry) and odometry[after].time == time:
        return odometry[after].pose
    if not 0 < after < len(odometry):
        return None
    low, high = odometry[after - 1], odometry[after]
    share = (time - low.time) / (high.time - low.time)
    step = relative(low.pose, high.pose)
    return compose(low.pose, Pose(share * step.x, share * step.y, wrap(share * step.heading)))
