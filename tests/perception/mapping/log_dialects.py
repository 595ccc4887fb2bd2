"""A drive in the log formats of other programs: CARMEN's line types, graphs of g2o and TORO, and DP-SLAM's lines.

Each dialect has the defects of real logs: comments, parameters, lines of other sensors, gaps, lines out of order and
damaged lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from paddock.core.geometry import ORIGIN, Pose, compose, relative
from paddock.perception.mapping import Scan
from perception.mapping.drives import along, record
from perception.mapping.floor_plans import ROOM, see

WAY = along((1.0, 3.0), (6.0, 3.0), (6.0, 4.0), (1.5, 4.0), (1.5, 2.5), spacing=0.25)
BEGIN = 976_052_857.25  # [s] since 1970
INFORMATION = "500 0 0 500 0 5000"


@dataclass(frozen=True)
class Drive:
    """The drive that is written to a log."""

    scans: Sequence[Scan]
    odometry: Sequence[Pose]

    @classmethod
    def of(cls, angles: np.ndarray, reach: float = 20.0, mount: Pose = ORIGIN) -> Drive:
        """Make a lap in a room with another laser."""
        odometry = record(ROOM, WAY).odometry
        times = BEGIN + 0.5 * np.arange(len(WAY)) + 60.0 * (np.arange(len(WAY)) > 20)  # and a pause
        looks = zip(WAY, times.tolist(), strict=True)
        scans = [see(ROOM, at, k, time, reach, angles=angles, mount=mount) for k, (at, time) in enumerate(looks)]
        return cls(scans, odometry)


def count_seconds(drive: Drive) -> Drive:
    """Return the drive with a scan per second, as of a log without times."""
    return replace(drive, scans=[replace(scan, time=float(k)) for k, scan in enumerate(drive.scans)])


def half_circle(count: int, step: float) -> np.ndarray:
    """Return beam angles `step` degrees apart, from the right."""
    return np.radians(-90 + step * np.arange(count))


def numbers(values: Sequence[float] | np.ndarray) -> str:
    return " ".join(f"{value:.6g}" if abs(value) < 100 else f"{value:.3f}" for value in values)


def ranges(scan: Scan, nothing: float) -> str:
    return numbers(np.where(scan.hits, scan.ranges, nothing))


def flaser(drive: Drive, nothing: float) -> list[str]:
    """Write FLASER lines as in the logs of the SLAM benchmark."""
    lines = ["# CARMEN Logfile", "# file format is one message per line", "PARAM laser_front_laser_resolution 1.0", ""]
    for k, (scan, at) in enumerate(zip(drive.scans, drive.odometry, strict=True)):
        place, time = numbers(at), f"{scan.time:.6f} nohost {0.5 * k:.6f}"
        lines.append(f"ODOM {place} 0 0 0 {time}")
        lines.append(f"FLASER {len(scan.ranges)} {ranges(scan, nothing)} {place} {place} {time}")
        lines += [f"SYNC {k}", "RLASER 3 1 1 1 0 0 0 0 0 0 1 h 1"] if k % 5 == 0 else []
    return lines


def sweep(scan: Scan, most: float) -> str:
    step = float(scan.angles[1] - scan.angles[0])
    laser = numbers([0, float(scan.angles[0]), step * len(scan.angles), step, most, 0.01, 0])
    return f"{laser} {len(scan.ranges)} {ranges(scan, most)} 0"


def robot_laser(scan: Scan, robot: Pose, kind: str, most: float) -> str:
    laser = numbers(compose(robot, scan.mount))
    return f"{kind} {sweep(scan, most)} {laser} {numbers(robot)} 0.1 0 0.2 0.2 1e6 {scan.time:.6f} host 1.5"


def robot_lasers(drive: Drive, kind: str, most: float) -> list[str]:
    """Write newer CARMEN lines with the laser's mount, a few of them out of order."""
    looks = zip(drive.scans, drive.odometry, strict=True)
    lines = [robot_laser(scan, at, kind, most) for scan, at in looks]
    for k in range(4, len(lines) - 1, 9):
        lines[k], lines[k + 1] = lines[k + 1], lines[k]
    return ["PARAM robot_frontlaser_offset 0.2", *lines]


def raw_lasers(drive: Drive, most: float) -> list[str]:
    """Write laser lines without poses, separate and later odometry, and truncated lines."""
    lines = []
    for scan, at in zip(drive.scans, drive.odometry, strict=True):
        lines.append(f"RAWLASER1 {sweep(scan, most)} {scan.time:.6f} host 1.5")
        lines.append(f"ODOM {numbers(at)} 0 0 0 {scan.time:.6f} host 1.5")
    return ["ODOM 1 2", *lines, lines[0][:300]]


def graph(drive: Drive, vertex: str, edge: str, apart: int) -> list[str]:
    """Write a graph with vertex numbers `apart`, edges in both directions, loops, landmarks and other g2o lines."""
    lines, edges = ["FIX 0", f"VERTEX_XY {10**6} 1 1", ""], []
    for k, scan in enumerate(drive.scans):
        lines += [f"{vertex} {apart * k} 9 9 0", robot_laser(scan, Pose(9.0, 9.0, 0.0), "ROBOTLASER1", 30.0)]
        if k:
            ends = (k - 1, k) if k % 2 else (k, k - 1)
            step = numbers(relative(drive.odometry[ends[0]], drive.odometry[ends[1]]))
            edges.append(f"{edge} {apart * ends[0]} {apart * ends[1]} {step} {INFORMATION}")
        if k > 30:
            edges.append(f"{edge} {apart * (k - 30)} {apart * k} 0 0 0 {INFORMATION}")
    return [*lines, f"EDGE_SE2_XY 0 {10**6} 1 1 1 0 1", *edges, f"{edge} 0 x"]


def dp_slam(drive: Drive) -> list[str]:
    """Write pairs of lines without times; a scan without a pose, and one of another program."""
    lines = ["Laser 2 1 1", "Sonar 8 1 1 1 1 1 1 1 1"]
    for scan, at in zip(drive.scans, drive.odometry, strict=True):
        lines += [f"Odometry {numbers(at)}", f"Laser {len(scan.ranges)} {ranges(scan, 8.1)}"]
    return lines


FRONT, REAR = Pose(0.2, 0.0, 0.0), Pose(-0.15, 0.0, np.pi)
DIALECTS: dict[str, tuple[Callable[[], Drive], Callable[[Drive], list[str]]]] = {
    "flaser-180": (partial(Drive.of, half_circle(180, 1.0)), lambda drive: flaser(drive, 81.83)),
    "flaser-181": (partial(Drive.of, half_circle(181, 1.0), 5.0), lambda drive: flaser(drive, 8.191)),
    "flaser-360": (partial(Drive.of, half_circle(360, 0.5)), lambda drive: flaser(drive, 50.0)),
    "flaser-361": (partial(Drive.of, half_circle(361, 0.5), 4.0), lambda drive: flaser(drive, 0.0)),
    "flaser-1081": (
        partial(Drive.of, np.radians(-135 + 0.25 * np.arange(1081)), 4.0),
        lambda drive: flaser(drive, 65.533),
    ),
    "robotlaser1": (
        partial(Drive.of, half_circle(181, 1.0), 8.0, FRONT),
        lambda drive: robot_lasers(drive, "ROBOTLASER1", 8.0),
    ),
    "robotlaser2": (
        partial(Drive.of, half_circle(361, 0.5), 80.0, REAR),
        lambda drive: robot_lasers(drive, "ROBOTLASER2", 80.0),
    ),
    "rawlaser1": (partial(Drive.of, half_circle(180, 1.0)), lambda drive: raw_lasers(drive, 30.0)),
    "g2o": (partial(Drive.of, half_circle(180, 1.0)), lambda drive: graph(drive, "VERTEX_SE2", "EDGE_SE2", 1)),
    "dp-slam": (lambda: count_seconds(Drive.of(half_circle(181, 1.0), 5.0)), dp_slam),
    "toro": (partial(Drive.of, half_circle(180, 1.0)), lambda drive: graph(drive, "VERTEX2", "EDGE2", 10)),
}


@cache
def take_drive(name: str) -> Drive:
    """Return the drive of a dialect."""
    return DIALECTS[name][0]()


def write_log(name: str, folder: Path) -> Path:
    """Write a file in a dialect."""
    path = folder / f"{name}.log"
    path.write_text("".join(f"{line}\r\n" for line in DIALECTS[name][1](take_drive(name))), encoding="utf-8")
    return path


def write_relations(name: str, path: Path) -> None:
    """Write true relative poses between scans that are 15 s apart."""
    scans, lines = take_drive(name).scans, []
    for k in range(0, len(WAY) - 30, 3):
        x, y, heading = relative(WAY[k], WAY[k + 30])
        lines.append(f"{scans[k].time:.6f} {scans[k + 30].time:.6f} {x} {y} 0 0 0 {heading}\n")
    path.write_text("".join(lines), encoding="utf-8")
