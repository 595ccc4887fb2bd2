"""Parts of messages: what a robot senses, who it is, what there is to draw."""

from __future__ import annotations

from msgspec import field

from paddock.protocol.base import Finite, Int64, Key, Measured, MessagePart, Numbers, Text


class PictureData(MessagePart, frozen=True, kw_only=True):
    """A camera's picture: raw rows of red, green, blue, from the top left; or a JPEG file."""

    width: Int64
    height: Int64
    data: bytes
    jpeg: bool = False


class Truth(MessagePart, frozen=True, kw_only=True):
    """What only a supervisor may know."""

    pose: tuple[Measured, Measured, Measured]  # x, y [m], heading [rad]
    contacts: tuple[Measured, ...] = ()  # bearings on the body [rad] of what it touched in the last tick


class EstimateData(MessagePart, frozen=True, kw_only=True):
    """Where a robot's own program takes it to be."""

    pose: tuple[Measured, Measured, Measured]  # x, y [m], heading [rad]
    ellipse: tuple[Measured, Measured, Measured]  # holds it with 95 %: half axes [m], direction of the first [rad]
    particles: Numbers | None = None  # x, y [m] of some guesses, one after the other


class GridData(MessagePart, frozen=True, kw_only=True):
    """Cells of a map that a robot's own program makes: 0 free … 100 occupied, 255 unknown, a byte for each."""

    x: Finite  # of the lower left corner [m]
    y: Finite
    resolution: Finite  # side of a cell [m]
    rows: Int64
    columns: Int64
    cells: bytes  # row by row from the lowest y, each from the lowest x; compressed with zlib
    version: Int64  # equal where cells are equal


class ModuleState(MessagePart, frozen=True, kw_only=True):
    """How a part of a robot's program is that runs as a process of its own."""

    name: Text
    state: Text  # running, silent, gone or ended
    rate: Finite = 0.0  # rounds per second
    latency: Finite = 0.0  # from a measurement to its effect there, 99 % within so much [ms]; 0: not known
    says: Text = ""


class MapData(MessagePart, frozen=True, kw_only=True):
    """A map, and what a program plans by: points are x, y [m], one after the other, in the map's frame."""

    grid: GridData | None = None  # None: as before
    frontiers: Numbers | None = None
    plan: Numbers | None = None  # the way that it drives
    scan: Numbers | None = None  # what its range sensor met last
    goal: Numbers | None = None  # none or one
    task: Text = ""  # what it says that it does
    refusal: Text = ""  # why it does not, or no longer, drive to its goal
    modules: tuple[ModuleState, ...] = ()  # of a program in several processes


class RobotReadings(MessagePart, frozen=True, kw_only=True):
    """One robot's enabled devices at one tick."""

    wheels: tuple[Measured, Measured]  # how fast they turn [m/s]
    readings: dict[Key, Numbers] = field(default_factory=dict)
    pictures: dict[Key, PictureData] = field(default_factory=dict)
    pans: dict[Key, Measured] = field(default_factory=dict)  # present angles of pivoting devices [rad]
    truth: Truth | None = None
    estimate: EstimateData | None = None


class RobotInfo(MessagePart, frozen=True, kw_only=True):
    """A robot in the world."""

    name: Text
    kind: Int64  # number in the list of kinds
    color: Text
    owner: Text = ""  # who drives it; empty for nobody
    spawned: bool = False  # brought along by its owner, and taken away again
    yours: bool = False  # whether the one who reads this may drive it
    person: Text = ""  # whose it is in a class, as people write the name


class SolidShape(MessagePart, frozen=True, kw_only=True):
    """An obstacle's piece: a polygon's corners, or one centre with a radius."""

    corners: tuple[tuple[Finite, Finite], ...]
    radius: Finite = 0.0
    height: Finite
    color: Text


class TimelineMark(MessagePart, frozen=True, kw_only=True):
    """Something that happened at a tick of a recording."""

    tick: Int64
    kind: Text
    text: Text = ""


class Mark(MessagePart, frozen=True, kw_only=True):
    """A named place: where robots may start, a lamp, a source of sound, the middle of a field."""

    kind: Text
    name: Text
    at: tuple[Finite, Finite]
    extent: Finite = 0.0


class OrderState(MessagePart, frozen=True, kw_only=True):
    """How a robot is that drives to points on orders."""

    robot: Text
    mode: Text  # legacy or checked
    connected: bool  # a host has its line open
    order: Text  # that it drives for; empty while it waits
    done: Int64  # orders that it has carried out
    moving_time: Finite  # [s]
    detections: Int64  # of obstacles


class Score(MessagePart, frozen=True, kw_only=True):
    """A line of the scoreboard."""

    robot: Text
    score: Finite | None = None  # None: not achieved yet
    note: Text = ""
    name: Text = ""  # of the student, as people write it
    place: Int64 = 0  # from 1; 0: none
    fouls: Int64 = 0
