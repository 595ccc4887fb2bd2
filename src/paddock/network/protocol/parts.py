"""Parts of messages: readings, maps and descriptions of robots, and shapes to draw."""

from __future__ import annotations

from msgspec import field

from paddock.network.protocol.message_base import Finite, Int64, Key, Measured, MessagePart, Numbers, Text


class PictureData(MessagePart, frozen=True, kw_only=True):
    """A camera's picture."""

    width: Int64  # pixels
    height: Int64  # pixels
    data: bytes  # 3 · width · height bytes: rows from the top left; red, green, blue; or a JPEG file
    jpeg: bool = False  # whether `data` is a JPEG file


class Truth(MessagePart, frozen=True, kw_only=True):
    """Ground truth, for supervisors only."""

    pose: tuple[Measured, Measured, Measured]  # x [m], y [m], heading [rad]
    contacts: tuple[Measured, ...] = ()  # bearings [rad], from ahead, of the contacts of the body in the last tick


class EstimateData(MessagePart, frozen=True, kw_only=True):
    """Estimated pose of a robot from its own program."""

    pose: tuple[Measured, Measured, Measured]  # x [m], y [m], heading [rad]
    ellipse: tuple[Measured, Measured, Measured]  # 95 % confidence: half axes [m], direction of the longer [rad]
    particles: Numbers | None = None  # x, y [m] of some particles of a particle filter, one after the other


class GridData(MessagePart, frozen=True, kw_only=True):
    """The cells of a map, a byte per cell: 0 free … 100 occupied, 255 unknown."""

    x: Finite  # x of the lower left corner [m]
    y: Finite  # y of the lower left corner [m]
    resolution: Finite  # side of a cell [m]
    rows: Int64
    columns: Int64
    cells: bytes  # rows from the lowest y, each from the lowest x; compressed with zlib
    version: Int64  # equal versions mean equal cells


class ModuleState(MessagePart, frozen=True, kw_only=True):
    """State of a process of a robot's program that consists of several processes."""

    name: Text
    state: Text  # `running`, `silent`, `gone` or `ended`
    rate: Finite = 0.0  # cycles per second
    latency: Finite = 0.0  # 99th percentile from a measurement to its effect in this process [ms]; 0: unknown
    says: Text = ""  # status message of the process


class MapData(MessagePart, frozen=True, kw_only=True):
    """A map and the plan of its program. Points are x, y [m], one after the other, in the map's frame."""

    grid: GridData | None = None  # the cells, at most once a second; None: unchanged
    frontiers: Numbers | None = None  # points between known and unknown space
    plan: Numbers | None = None  # the planned path
    scan: Numbers | None = None  # hits of the last range scan
    goal: Numbers | None = None  # current goal; one point
    task: Text = ""  # current task of the program, for display
    refusal: Text = ""  # why the robot does not, or no longer, drive to its goal
    modules: tuple[ModuleState, ...] = ()  # processes of a program that consists of several


class RobotReadings(MessagePart, frozen=True, kw_only=True):
    """One robot's enabled devices at one tick."""

    wheels: tuple[Measured, Measured]  # wheel speeds left, right, at the rim [m/s]
    readings: dict[Key, Numbers] = field(default_factory=dict)  # by device, in SI units
    pictures: dict[Key, PictureData] = field(default_factory=dict)  # by camera
    pans: dict[Key, Measured] = field(default_factory=dict)  # current angles of pivoting devices [rad]
    truth: Truth | None = None  # None, except for supervisors
    estimate: EstimateData | None = None  # None unless the robot's program has an `estimate`


class RobotInfo(MessagePart, frozen=True, kw_only=True):
    """A robot in the world."""

    name: Text
    kind: Int64  # number in the list of kinds, from 0
    color: Text  # `#rrggbb` or an English name
    owner: Text = ""  # the client that drives it; empty: none
    spawned: bool = False  # spawned by its owner
    yours: bool = False  # whether you may drive it
    person: Text = ""  # full name of its student in a class
    goals: bool = False  # whether its program accepts goals


class SolidShape(MessagePart, frozen=True, kw_only=True):
    """A piece of an obstacle: the corners of a polygon, or one centre with a radius."""

    corners: tuple[tuple[Finite, Finite], ...]  # corners of a polygon [m]; or one point, the centre of a disc
    radius: Finite = 0.0  # radius of the disc [m]
    height: Finite  # [m]
    color: Text  # `#rrggbb` or an English name


class TimelineMark(MessagePart, frozen=True, kw_only=True):
    """An event in a recording."""

    tick: Int64
    kind: Text  # such as `teleport` or `reset`
    text: Text = ""  # description, for display


class Mark(MessagePart, frozen=True, kw_only=True):
    """A named position: a start, a light, a sound source, or the centre of a field."""

    kind: Text  # `start`, `light`, `sound` or `field`
    name: Text
    at: tuple[Finite, Finite]  # [m]
    extent: Finite = 0.0  # radius [m]; 0: a point, or everywhere


class OrderState(MessagePart, frozen=True, kw_only=True):
    """State of a robot that drives to points on orders."""

    robot: Text
    mode: Text  # `legacy` or `checked`
    connected: bool  # whether a host has its serial line open
    order: Text  # current order; empty while it waits for one
    done: Int64  # number of completed orders
    moving_time: Finite  # moving time since it was switched on [s]
    detections: Int64  # number of obstacles detected on its path


class Score(MessagePart, frozen=True, kw_only=True):
    """A line of the scoreboard."""

    robot: Text
    score: Finite | None = None  # None: not achieved yet
    note: Text = ""
    name: Text = ""  # full name of the student
    place: Int64 = 0  # rank, from 1; 0: none
    fouls: Int64 = 0  # fouls counted by the referee
