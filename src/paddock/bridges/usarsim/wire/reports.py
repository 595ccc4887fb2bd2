"""UsarReports: the latest reports of a server about a robot, from either dialect, in Paddock's frame."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from paddock.bridges.usarsim.wire.messages import mirror_pose
from paddock.bridges.usarsim.wire.text import UsarLine, read_number
from paddock.core.errors import BadMessage
from paddock.core.geometry import Pose

CLOCK_STEP = 0.02  # tolerance of timestamps [s], because some lines have 2 decimals and others 4
LEFT_WHEELS, RIGHT_WHEELS = ("ECLeft", "W1"), ("ECRight", "W2")


@dataclass(frozen=True, slots=True)
class RangeScan:
    """A sweep of a scanner: ranges [m] in the received order, evenly spaced over the field of view [rad]."""

    ranges: tuple[float, ...]
    fov: float

    @property
    def step(self) -> float:
        """Angle between two beams [rad]. The resolution reported by servers does not match the number of values."""
        return self.fov / (len(self.ranges) - 1)


@dataclass(slots=True)
class UsarReports:
    """Latest values of a robot. Pass every line to `update`; values that a line does not contain are unchanged."""

    time: float = -math.inf  # latest timestamp [s]
    sonar: dict[str, float] = field(default_factory=dict)  # range [m] by name
    scan: RangeScan | None = None
    odometry: Pose | None = None  # from the wheels
    inertial: Pose | None = None
    truth: Pose | None = None
    ticks: dict[str, int] = field(default_factory=dict)  # encoder counts of wheels and joints, by name
    battery: float | None = None
    counts: dict[str, int] = field(default_factory=dict)  # number of received reports, by type
    restarts: int = 0  # number of resets of the world, detected when the clock goes back

    def update(self, line: UsarLine) -> None:
        """Update the values from a line. Ignore lines that are not reports; raise BadMessage for invalid reports."""
        if line.type not in ("SEN", "STA", "MISSTA"):
            return
        kind = line.get("Type") or "" if line.type == "SEN" else line.type
        read = getattr(self, f"_read_{kind.lower()}", None)
        if read is not None:
            read(line)
        time = line.number("Time")
        if time is not None:
            went_back = time < self.time - CLOCK_STEP
            self.restarts += went_back
            self.time = time if went_back else max(time, self.time)
        self.counts[kind] = self.counts.get(kind, 0) + 1

    @property
    def wheel_ticks(self) -> tuple[int, int] | None:
        """Counts of the left and the right wheel; None until both are known."""
        both = (LEFT_WHEELS, RIGHT_WHEELS)
        left, right = (next((self.ticks[n] for n in names if n in self.ticks), None) for names in both)
        return None if left is None or right is None else (left, right)

    @property
    def sonar_names(self) -> list[str]:
        """Names of the sonars: F1 … F8, then R1 … R8."""
        return sorted(self.sonar, key=lambda name: [int(p) if p.isdecimal() else p for p in re.split(r"(\d+)", name)])

    def _read_sonar(self, line: UsarLine) -> None:
        for group in line.groups():
            self.sonar[group["Name"]] = read_number(group.get("Range", ""), "SEN {Type Sonar} {Range …}")

    def _read_rangescanner(self, line: UsarLine) -> None:
        ranges, fov = line.numbers("Range"), line.number("FOV")
        if ranges is None or fov is None or len(ranges) < 2 or not 0 < fov < 6.3:
            raise BadMessage("SEN {Type RangeScanner}: expected {FOV radians} and {Range at least two metres}")
        self.scan = RangeScan(tuple(ranges), fov)

    def _read_odometry(self, line: UsarLine) -> None:
        self.odometry = mirror_pose(Pose(*_read_vector(line, "Pose")))

    def _read_ins(self, line: UsarLine) -> None:
        self.inertial = _read_place(line)

    def _read_groundtruth(self, line: UsarLine) -> None:
        self.truth = _read_place(line)

    def _read_encoder(self, line: UsarLine) -> None:
        for group in line.groups():
            self.ticks[group["Name"]] = round(read_number(group.get("Tick", ""), "SEN {Type Encoder} {Tick …}"))

    def _read_sta(self, line: UsarLine) -> None:
        self.battery = line.number("Battery", self.battery)


def _read_vector(line: UsarLine, key: str) -> tuple[float, float, float]:
    numbers = line.numbers(key)
    if numbers is None or len(numbers) != 3:
        raise BadMessage(f"{line.type} {{Type {line.get('Type')}}}: expected {{{key} three numbers}}")
    return numbers[0], numbers[1], numbers[2]


def _read_place(line: UsarLine) -> Pose:
    x, y, _ = _read_vector(line, "Location")
    return mirror_pose(Pose(x, y, _read_vector(line, "Orientation")[2]))
