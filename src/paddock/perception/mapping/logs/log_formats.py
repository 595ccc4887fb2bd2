"""Logs of the SLAM benchmark, CARMEN (https://carmen.sourceforge.net) and g2o, and those that DP-SLAM reads."""

from __future__ import annotations

import gzip
import math
import zipfile
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.files import find_unpacked_limit, refuse_special_file
from paddock.core.geometry import ORIGIN, Pose, compose, relative, wrap
from paddock.perception.mapping.logs.scan_log import ScanLog, usable_range
from paddock.perception.mapping.scan import Floats, Scan

MAX_PROBLEMS = 100  # stored per file
MAX_KINDS, LONGEST_KIND = 20, 32  # types of skipped lines that are counted by name, and their characters

# Numbers of beams by field of view [degrees]: FLASER lines contain only the number of beams.
FIELDS = {100.0: (100, 101, 200, 201, 400, 401), 270.0: (541, 1081)}  # all others have 180°
WITHOUT_LAST = (100, 180, 200, 360, 400)  # numbers of beams whose last beam is one step before the edge of the field
MAX_BEAMS = 100_000
LONGEST_LINE = 4 << 20  # bytes
FARTHEST, LATEST = 1e6, 1e12  # maximum position [m] and time [s]; larger ones are invalid
WIDEST = 2.1 * math.pi  # a full turn, and some rounding; wider fields are in degrees, or invalid [rad]
NEAREST = 0.03  # minimum valid range: some scanners report 0.02 without a return [m]
SET_BACK = 5.0  # a larger step back in time means that the clock was set; a smaller one is the order of writing [s]
VERTICES, EDGES = ("VERTEX_SE2", "VERTEX2"), ("EDGE_SE2", "EDGE2")
Steps = dict[tuple[int, int], Pose]
GRAPH_LINES = ("VERTEX", "EDGE", "FIX")
DP_SLAM_LINES = ("Odometry", "Laser")


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a plain or .gz file, or of the only text file in a .zip file."""
    refuse_special_file(path)
    try:
        with _open_log(path) as file:
            _check_size(file, path)
        with _open_log(path) as file:
            yield from _decode(file, path)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:  # the last: encrypted file
        raise PaddockError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def _open_log(path: Path) -> Iterator[IO[bytes]]:
    """Open the unpacked content of a file."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive, archive.open(_find_log(archive, path)) as entry:
            yield entry
        return
    with path.open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if is_packed:
            with gzip.open(file) as unpacked:
                yield unpacked  # type: ignore[misc]
        else:
            yield file


def _find_log(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    entries = [
        entry for entry in archive.infolist() if not entry.is_dir() and not entry.filename.startswith("__MACOSX/")
    ]
    if len(entries) != 1:
        names = ", ".join(entry.filename for entry in entries)
        raise PaddockError(f"{path}: expected an archive with one log, got {len(entries)} files: {names}")
    return entries[0]


def _check_size(file: IO[bytes], path: Path) -> None:
    """Refuse a small file that expands to much more, before any of its lines is parsed."""
    limit, size = find_unpacked_limit(path.stat().st_size), 0
    while part := file.read(1 << 20):
        size += len(part)
        if size > limit:
            raise PaddockError(f"{path}: unpacked, it has more than {limit >> 20} MB: this is not a log")


def _decode(file: IO[bytes], path: Path) -> Iterator[str]:
    """Yield the lines of a file; refuse one that has no line ends."""
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise PaddockError(f"{path}: expected lines of at most {LONGEST_LINE >> 20} MB: this is not a log")
        yield line.decode("utf-8", "replace").removeprefix("\ufeff")  # editors of Windows write this mark first


class LogWords:
    """Reads the words of a line after the first from left to right; errors name the missing words."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words, self.place = words, 1

    @property
    def kind(self) -> str:
        """First word of the line."""
        return self.words[0]

    def take(self, count: int, what: str) -> Sequence[str]:
        """Return the next words."""
        if count < 0 or self.place + count > len(self.words):
            raise ValueError(f"expected {count} words for {what}, got {len(self.words) - self.place}")
        self.place += count
        return self.words[self.place - count : self.place]

    def numbers(self, count: int, what: str) -> list[float]:
        """Return the next numbers."""
        taken = self.take(count, what)
        try:
            return [float(word) for word in taken]
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None

    def count(self, what: str) -> int:
        """Return the next integer."""
        (word,) = self.take(1, what)
        try:
            return int(word)
        except ValueError:
            raise ValueError(f"{what}: expected a whole number, got {word!r}") from None


class LogNotes:
    """Records what a log reader skips: counts of lines of other types, and invalid lines with their numbers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.skipped: Counter[str] = Counter()
        self.problems: list[str] = []

    def read(self, lines: Iterable[str]) -> Iterator[tuple[int, LogWords]]:
        """Yield the lines that are neither empty nor comments, with their numbers."""
        for number, line in enumerate(lines, 1):
            if (words := line.split()) and not words[0].startswith("#"):
                yield number, LogWords(words)

    def skip(self, kind: str) -> None:
        """Count a line of another type. A file that is not a log has many types, which are counted together."""
        is_name = kind.isascii() and kind.isprintable() and len(kind) <= LONGEST_KIND
        known = kind in self.skipped or (is_name and len(self.skipped) < MAX_KINDS)
        self.skipped[kind if known else "other lines"] += 1

    @contextmanager
    def leave_out_broken(self, number: int, kind: str) -> Iterator[None]:
        """Skip and record a line that cannot be parsed."""
        try:
            yield
        except ValueError as error:
            self.skipped[f"broken {kind}"] += 1
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(f"line {number}: {kind}: {error}")


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
    return LaserRecord(*parse_times(words), spread_beams(count), ranges, math.inf, laser, robot)


def spread_beams(count: int) -> Floats:
    """Return the angles of so many beams of a line that does not state them, from right to left."""
    field = next((field for field, counts in FIELDS.items() if count in counts), 180.0)
    steps = count if count in WITHOUT_LAST else count - 1
    return np.radians(field * np.arange(count) / steps - field / 2)


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


def parse_dp_slam(lines: Iterable[str], name: str) -> ScanLog:
    """Read pairs of lines `Odometry x y heading` and `Laser n …`. They have no times: one scan is taken per second."""
    records: list[LaserRecord] = []
    robot: Pose | None = None
    notes = LogNotes(name)
    for number, words in notes.read(lines):
        with notes.leave_out_broken(number, words.kind):
            if words.kind == "Odometry":
                robot = None  # so that a scan after an invalid line does not get an earlier pose
                robot = parse_pose(words, "pose")
            elif words.kind == "Laser":
                ranges = np.array(words.numbers(beam_count(words), "ranges"))
                if robot is None:
                    raise ValueError("expected Odometry before it")
                time = float(len(records))
                records.append(LaserRecord(time, time, spread_beams(len(ranges)), ranges, math.inf, None, robot))
            else:
                notes.skip(words.kind)
    return assemble_log(records, [], ORIGIN, notes)


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


def parse_g2o(lines: Iterable[str], name: str) -> ScanLog:
    """Read the scans of a graph and the chain of its sequence edges."""
    lasers: dict[int, LaserRecord] = {}
    steps: Steps = {}
    vertices: set[int] = set()
    latest: int | None = None  # vertex
    notes = LogNotes(name)
    for number, words in notes.read(lines):
        with notes.leave_out_broken(number, words.kind):
            if words.kind in VERTICES:
                latest = None  # so that a scan after an invalid vertex is not assigned to an earlier one
                latest = words.count("vertex")
                vertices.add(latest)
            elif words.kind in LASERS:
                if latest is None:
                    raise ValueError(f"expected {VERTICES[0]} before it")
                lasers[latest] = LASERS[words.kind](words)
            elif words.kind in EDGES:
                first, second = words.count("vertex"), words.count("vertex")
                steps.setdefault((first, second), parse_pose(words, "step"))
                vertices |= {first, second}
            else:
                notes.skip(words.kind)
    if not lasers:
        notes.skipped["vertices without a scan"] = len(vertices)
    places = chain_steps(sorted(vertices), steps, notes) if lasers else {}
    records = [record._replace(robot=places[vertex]) for vertex, record in sorted(lasers.items())]
    return assemble_log(records, [], find_mount(list(lasers.values())), notes)


def chain_steps(vertices: Sequence[int], steps: Mapping[tuple[int, int], Pose], notes: LogNotes) -> dict[int, Pose]:
    """Return the poses of vertices by the edges between successive ones."""
    poses = {vertices[0]: ORIGIN}
    used = 0
    for first, second in pairwise(vertices):
        step, back = steps.get((first, second)), steps.get((second, first))
        if step is None and back is None:
            broken = f"; {notes.problems[0]}" if notes.problems else ""
            raise PaddockError(
                f"{notes.name}: expected an {EDGES[0]} from vertex {first} to {second}: successive vertices need edges "
                f"between them{broken}"
            )
        used += (step is not None) + (back is not None)
        step = step or relative(back or ORIGIN, ORIGIN)
        poses[second] = compose(poses[first], step)
    if loops := len(steps) - used:
        notes.skipped["loop edges"] += loops
    return poses


def read_log(path: str | Path) -> ScanLog:
    """Read a CARMEN log, a g2o graph with scans, or a log for DP-SLAM; plain, .gz or .zip."""
    lines = read_lines(Path(path))
    head: list[str] = []
    parse = choose_parser(lines, head)
    return parse(chain(head, lines), str(path))


def choose_parser(lines: Iterator[str], head: list[str]) -> Callable[[Iterable[str], str], ScanLog]:
    """Return the parser of the first line that is known; `head` receives the lines read."""
    for line in lines:
        head.append(line)
        kind = line.split(maxsplit=1)[0] if line.strip() else ""
        if kind.startswith(GRAPH_LINES):
            return parse_g2o
        if kind in DP_SLAM_LINES:
            return parse_dp_slam
        if kind in LASERS or kind == "ODOM":
            break
    return parse_carmen
