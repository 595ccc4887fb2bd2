"""CARMEN logs: https://carmen.sourceforge.net, as the SLAM benchmark's are."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from paddock.core.geometry import Pose, compose, relative, wrap
from paddock.mapping.logs.lines import LogWords
from paddock.mapping.logs.records import LASERS, LaserRecord, OdometryRecord, near_constant, parse_odometry
from paddock.mapping.logs.scan_log import ScanLog, usable_range
from paddock.mapping.scan import AT_CENTRE, Scan

MOST_PROBLEMS = 100  # kept of a file with many


def parse_carmen(lines: Iterable[str], name: str) -> ScanLog:
    """The first laser of a log. Lines of other kinds are counted, broken ones are named with their numbers."""
    lasers: dict[str, list[LaserRecord]] = {kind: [] for kind in LASERS}
    odometry: list[OdometryRecord] = []
    skipped: Counter[str] = Counter()
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        kind = words[0]
        try:
            if kind in LASERS:
                lasers[kind].append(LASERS[kind](LogWords(words)))
            elif kind == "ODOM":
                odometry.append(parse_odometry(LogWords(words)))
            else:
                skipped[kind] += 1
        except ValueError as error:
            skipped[f"broken {kind}"] += 1
            if len(problems) < MOST_PROBLEMS:
                problems.append(f"line {number}: {kind}: {error}")
    kind = next((kind for kind in ("ROBOTLASER1", "FLASER", "RAWLASER1") if lasers[kind]), "FLASER")
    for other, records in lasers.items():
        if other != kind and records:
            skipped[other] += len(records)
    return assemble_log(name, lasers[kind], odometry, skipped, problems)


def assemble_log(
    name: str,
    records: Sequence[LaserRecord],
    odometry: Sequence[OdometryRecord],
    skipped: Counter[str],
    problems: list[str],
) -> ScanLog:
    """A log in the order of its times."""
    if not any(record.time for record in records):
        records = [record._replace(time=record.logger_time) for record in records]
    odometry = sorted(odometry, key=lambda record: record.time)
    placed = [(record, robot) for record in records if (robot := record.robot or pose_at(odometry, record.time))]
    if missing := len(records) - len(placed):
        skipped["laser without odometry"] += missing
    placed.sort(key=lambda pair: pair[0].time)
    lasers = [record for record, _ in placed]
    mounts = [relative(record.robot, record.laser) for record in lasers if record.robot and record.laser]
    mount = mounts[0] if mounts and near_constant(mounts) else AT_CENTRE  # else the log's poses are corrected ones
    limit = usable_range(
        [record.ranges for record in lasers], min((record.max_range for record in lasers), default=np.inf)
    )
    return ScanLog(
        name,
        [to_scan(record, limit, mount) for record in lasers],
        [robot for _, robot in placed],
        [record.logger_time for record in lasers],
        dict(skipped),
        problems,
    )


def to_scan(record: LaserRecord, limit: float, mount: Pose) -> Scan:
    """A scan in which readings at the limit say nothing: a dark surface is as likely as open space."""
    ranges = np.where((record.ranges > 0) & (record.ranges < limit), record.ranges, np.nan)
    return Scan(record.time, record.angles, ranges, limit, mount)


def pose_at(odometry: Sequence[OdometryRecord], time: float) -> Pose | None:
    """The pose at a time between two lines of odometry; None before the first and after the last."""
    after = bisect_left(odometry, time, key=lambda record: record.time)
    if after < len(odometry) and odometry[after].time == time:
        return odometry[after].pose
    if not 0 < after < len(odometry):
        return None
    low, high = odometry[after - 1], odometry[after]
    share = (time - low.time) / (high.time - low.time)
    step = relative(low.pose, high.pose)
    return compose(low.pose, Pose(share * step.x, share * step.y, wrap(share * step.heading)))
