"""Parts of messages: readings, maps and descriptions of robots, and shapes to draw."""

from __future__ import annotations

from msgspec import field

from paddock.network.protocol.message_base import Finite, Int64, Key, Measured, MessagePart, Numbers, Text


class PictureData(MessagePart, frozen=True, kw_only=True):
    """A camera picture: raw rows of red, green, blue, from the top left; or a JPEG file."""

    width: Int64
    height: Int64
    data: bytes
    jpeg: bool = False


class Truth(MessagePart, frozen=True, kw_only=True):
    """Ground truth, for supervisors only."""

    pose: tuple[Measured, Measured, Measured]  # x, y [m], heading [rad]
    contacts: tuple[Measured, ...] = ()  # bearings of the contacts on the body in the last tick [rad]


class EstimateData(MessagePart, frozen=True, kw_only=True):
    """Estimated pose of a robot from its own program."""

    pose: tuple[Measured, Measured, Measured]  # x, y [m], heading [rad]
    ellipse: tuple[Measured, Measured, Measured]  # 95 % confidence: half axes [m], direction of the first [rad]
    particles: Numbers | None = None  # x, y [m] of some particles, one after the other


class GridData(MessagePart, frozen=True, kw_only=True):
    """Cells of a map from a robot's own program, a byte per cell: 0 free … 100 occupied, 255 unknown."""

    x: Finite  # lower left corner [m]
    y: Finite
    resolution: Finite  # side of a cell [m]
    rows: Int64
    columns: Int64
    cells: bytes  # row by row from the lowest y, each from the lowest x; compressed with zlib
    version: Int64  # equal versions mean equal cells


class ModuleState(MessagePart, frozen=True, kw_only=True):
    """State of a process of a robot's program that consists of several processes."""

    name: Text
    state: Text  # running, silent, gone or ended
    rate: Finite = 0.0  # cycles per second
    latency: Finite = 0.0  # 99th percentile from a measurement to its effect in this process [ms]; 0: unknown
    says: Text = ""  # status message


class MapData(MessagePart, frozen=True, kw_only=True):
    """A map and the plan of its program. Points are x, y [m], one after the other, in the map's frame."""

    grid: GridData | None = None  # None: unchanged
    frontiers: Numbers | None = None
    plan: Numbers | None = None  # planned path
    scan: Numbers | None = None  # hits of the last range scan
    goal: Numbers | None = None  # no point, or one
    task: Text = ""  # current task, for display
    refusal: Text = ""  # why the robot does not, or no longer, drive to its goal
    modules: tuple[ModuleState, ...] = ()  # of a program with several processes


class RobotReadings(MessagePart, frozen=True, kw_only=True):
    """One robot's enabled devices at one tick."""

    wheels: tuple[Measured, Measured]  # wheel speeds left, right [m/s]
    readings: dict[Key, Numbers] = field(default_factory=dict)
    pictures: dict[Key, PictureData] = field(default_factory=dict)
    pans: dict[Key, Measured] = field(default_factory=dict)  # current angles of pivoting devices [rad]
    truth: Truth | None = None
    estimate: EstimateData | None = None


class RobotInfo(MessagePart, frozen=True, kw_only=True):
    """A robot in the world."""

    name: Text
    kind: Int64  # index in the list of kinds
    color: Text
    owner: Text = ""  # client that drives it; empty: none
    spawned: bool = False  # spawned by its owner; removed when the owner leaves it
    yours: bool = False  # whether the receiver of this message may drive it
    person: Text = ""  # full name of its student in a class


class SolidShape(MessagePart, frozen=True, kw_only=True):
    """A piece of an obstacle: the corners of a polygon, or one centre with a radius."""

    corners: tuple[tuple[Finite, Finite], ...]
    radius: Finite = 0.0
    height: Finite
    color: Text


class TimelineMark(MessagePart, frozen=True, kw_only=True):
    """An event at a tick of a recording."""

    tick: Int64
    kind: Text
    text: Text = ""


class Mark(MessagePart, frozen=True, kw_only=True):
    """A named position: a start, a light, a sound source, or the centre of a field."""

    kind: Text
    name: Text
    at: tuple[Finite, Finite]
    extent: Finite = 0.0


class OrderState(MessagePart, frozen=True, kw_only=True):
    """State of a robot that drives to points on orders."""

    robot: Text
    mode: Text  # legacy or checked
    connected: bool  # whether a host has its serial line open
    order: Text  # current order; empty while it waits
    done: Int64  # completed orders
    moving_time: Finite  # [s]
    detections: Int64  # of obstacles


class Score(MessagePart, frozen=True, kw_only=True):
    """A line of the scoreboard."""

    robot: Text
    score: Finite | None = None  # None: not achieved yet
    note: Text = ""
    name: Text = ""  # full name of the student
    place: Int64 = 0  # rank, from 1; 0: none
    fouls: Int64 = 0
