"""Every message that modules send each other: JSON objects on the wire, with AP2DX's names where it has some."""

from __future__ import annotations

import math
from enum import Enum
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from paddock.core.observation import Finite

REPLAY = "REPLAY"  # the name of a module that says again what others said, in their names
WATCHERS = ("RECORDER", "LISTENER")  # names of what only listens, and is no module
EVERYONE = "ALL"  # a destination: whoever listens to the source
MOST_NUMBERS, MOST_LETTERS = 4096, 200
ModuleId = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]{0,31}$", description="a module's name in capitals")]
Whole = Annotated[int, Meta(ge=0, le=2**53)]
Line = Annotated[str, Meta(max_length=MOST_LETTERS)]
Numbers = Annotated[list[Finite | None], Meta(max_length=MOST_NUMBERS)]  # null: nothing within range, infinity
Points = Annotated[list[Finite], Meta(max_length=MOST_NUMBERS)]
Position = tuple[Finite, Finite, Finite]
ActionType = Literal["FORWARD", "BACKWARD", "LEFT", "RIGHT", "TURN", "STOP"]


class Quality(Enum):
    """How the bus carries a message."""

    URGENT = "urgent"  # by zenoh before all others; no newer one replaces it
    ORDERED = "ordered"  # no newer one replaces it
    STREAM = "stream"  # a newer one of the same source, type and device replaces it


class ModuleMessage(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="unknown"):
    """What all messages have. Fields that have their default value are left out.

    `original` names the fields that AP2DX's modules know besides the address.
    """

    original: ClassVar[tuple[str, ...]] = ()
    quality: ClassVar[Quality] = Quality.ORDERED

    source: ModuleId = field(name="sourceModuleId", default="UNDEFINED")
    destination: ModuleId = field(name="destinationModuleId", default=EVERYONE)
    sequence: Whole = 0  # counts the messages of its source
    time: Finite = 0.0  # of the measurement that it rests on, simulated [s]
    sent: Finite = 0.0  # wall time of sending [s]
    cause: Finite = 0.0  # wall time at which the measurement that it rests on was sent [s]; 0: none


class HelloMessage(ModuleMessage, frozen=True, kw_only=True, tag="HELLO!!!"):
    """The first line of a connection: who is there. Those who name a protocol get all fields, others AP2DX's only."""

    original: ClassVar[tuple[str, ...]] = ("Bidirection",)

    both_ways: bool | None = field(name="Bidirection", default=None)
    protocol: Whole = 0
    hears: list[ModuleId] | None = None  # the sources whose messages to all it wants; None: all
    lossless: bool = False  # of streams all messages are wanted, not only the newest
    everything: bool = False  # messages to others are wanted, too


# ---- from sensors


class SonarMessage(ModuleMessage, frozen=True, kw_only=True, tag="sensorSonar"):
    """A round of sonars [m]."""

    original: ClassVar[tuple[str, ...]] = ("rangeArray", "time")
    quality: ClassVar[Quality] = Quality.STREAM

    values: Numbers = field(name="rangeArray")
    max_range: Finite = 5.0  # [m]
    device: Line = "sonar"


class RangeScannerMessage(ModuleMessage, frozen=True, kw_only=True, tag="sensorRangeScanner"):
    """A sweep of a laser scanner: from the right to the left as AP2DX has it, or as Paddock's device has it."""

    original: ClassVar[tuple[str, ...]] = ("fov", "resolution", "dataArray")
    quality: ClassVar[Quality] = Quality.STREAM

    fov: Finite  # [rad]
    resolution: Finite  # between two beams [rad]
    values: Numbers = field(name="dataArray")  # [m]
    max_range: Finite = 20.0  # [m]
    device: Line = "laser"


class OdometryMessage(ModuleMessage, frozen=True, kw_only=True, tag="sensorOdometry"):
    """Where dead reckoning takes the robot to be [m, rad]."""

    original: ClassVar[tuple[str, ...]] = ("x", "y", "theta")
    quality: ClassVar[Quality] = Quality.STREAM

    x: Finite
    y: Finite
    theta: Finite


class InsMessage(ModuleMessage, frozen=True, kw_only=True, tag="sensorIns"):
    """Where inertial navigation takes the robot to be: x, y, z [m] and roll, pitch, yaw [rad]."""

    original: ClassVar[tuple[str, ...]] = ("location", "orientation")
    quality: ClassVar[Quality] = Quality.STREAM

    location: Position
    orientation: Position
    device: Line = "ins"


class ReadingsMessage(ModuleMessage, frozen=True, kw_only=True, tag="sensorReadings"):
    """The values of any other device, encoders too, as an observation has them."""

    quality: ClassVar[Quality] = Quality.STREAM

    device: Line
    values: Numbers


# ---- motion


class ActionMessage(ModuleMessage, frozen=True, kw_only=True, tag="motorAction"):
    """A motion as AP2DX's planner wants it; values in percent of full speed, of TURN a sign: -1 left, 1 right."""

    original: ClassVar[tuple[str, ...]] = ("actionType", "value")
    quality: ClassVar[Quality] = Quality.URGENT

    action: ActionType = field(name="actionType")
    value: Finite = 0.0
    epoch: Whole = 0


class DriveMessage(ModuleMessage, frozen=True, kw_only=True, tag="drive"):
    """Wheel speeds [m/s] that a planner or a person wants, or that the reflex lets through."""

    quality: ClassVar[Quality] = Quality.URGENT

    left: Finite
    right: Finite
    epoch: Whole = 0
    holds: Finite = (
        0.3  # [s] simulated, after `time`: then it is over, and often earlier, so that the robot stands in time
    )


class MotorMessage(ModuleMessage, frozen=True, kw_only=True, tag="motor"):
    """Wheel speeds for the body: percent of full speed if normalized, else [m/s]."""

    original: ClassVar[tuple[str, ...]] = ("leftValue", "rightValue", "normalized")
    quality: ClassVar[Quality] = Quality.URGENT

    left: Finite = field(name="leftValue")
    right: Finite = field(name="rightValue")
    normalized: bool = field(default=True)


class StopMessage(ModuleMessage, frozen=True, kw_only=True, tag="STOP"):
    """The reflex has stopped the robot; every stop has a number, its epoch."""

    quality: ClassVar[Quality] = Quality.URGENT

    epoch: Whole = 0
    reason: Line = ""


class ResetMessage(ModuleMessage, frozen=True, kw_only=True, tag="RESET"):
    """The planner has heard of a stop, and wants to get away."""

    quality: ClassVar[Quality] = Quality.URGENT

    epoch: Whole = 0


class ClearMessage(ModuleMessage, frozen=True, kw_only=True, tag="CLEAR"):
    """The planner has got away."""

    quality: ClassVar[Quality] = Quality.URGENT

    epoch: Whole = 0


class RefusedMessage(ModuleMessage, frozen=True, kw_only=True, tag="refused"):
    """A motion did not pass, and why: for people, too."""

    quality: ClassVar[Quality] = Quality.URGENT

    reason: Line
    epoch: Whole = 0


class GuardMessage(ModuleMessage, frozen=True, kw_only=True, tag="guard"):
    """How the reflex is after it looked at new readings."""

    quality: ClassVar[Quality] = Quality.STREAM

    gate: Line
    epoch: Whole
    reason: Line = ""


# ---- map and goals


class PoseMessage(ModuleMessage, frozen=True, kw_only=True, tag="pose"):
    """Where the mapper takes the robot to be [m, rad], with the rows of the covariance."""

    quality: ClassVar[Quality] = Quality.STREAM

    x: Finite
    y: Finite
    theta: Finite
    covariance: Annotated[list[Finite], Meta(max_length=9)] = field(default_factory=list)


class MapMessage(ModuleMessage, frozen=True, kw_only=True, tag="map"):
    """A map: states of cells (-1 unknown, 0 free, 1 occupied) as bytes, row after row, compressed by zlib."""

    quality: ClassVar[Quality] = Quality.STREAM

    x: Finite  # of the lower left corner [m]
    y: Finite
    resolution: Finite  # side of a cell [m]
    rows: Whole
    columns: Whole
    cells: bytes  # base64 on the wire
    digest: Line = ""


class GoalMessage(ModuleMessage, frozen=True, kw_only=True, tag="goal"):
    """Where the robot shall go [m]."""

    x: Finite
    y: Finite


class AcceptedMessage(ModuleMessage, frozen=True, kw_only=True, tag="accepted"):
    """The planner drives to a goal [m], for whoever sent it; else it says `refused`."""

    x: Finite
    y: Finite


class PlanMessage(ModuleMessage, frozen=True, kw_only=True, tag="plan"):
    """What the planner plans by, for people: points are x, y [m], one after the other, in the mapper's frame."""

    quality: ClassVar[Quality] = Quality.STREAM

    plan: Points = field(default_factory=list)
    frontiers: Points = field(default_factory=list)
    goal: Annotated[list[Finite], Meta(max_length=2)] = field(default_factory=list)
    doing: Line = ""
    refusal: Line = ""


class TeleopMessage(ModuleMessage, frozen=True, kw_only=True, tag="teleop"):
    """A person drives with a twist, until half a second after the last such message."""

    quality: ClassVar[Quality] = Quality.URGENT

    linear: Finite  # [m/s]
    angular: Finite  # [rad/s]


# ---- how modules work together


class RoundMessage(ModuleMessage, frozen=True, kw_only=True, tag="round"):
    """A module has sent all that it had to say about one look of the robot's sensors."""

    number: Whole
    counts: dict[ModuleId, Whole] = field(default_factory=dict)  # how many messages it sent, by destination
    since: Finite = 0.0  # wall time from which on it said them: what came earlier was lost in part [s]
    last: bool = False  # no other round follows


class ResumeMessage(ModuleMessage, frozen=True, kw_only=True, tag="resume"):
    """A module was started, or misses something: who has finished a round after this one says it again. -1: any."""

    number: Annotated[int, Meta(ge=-1, le=2**53)] = -1


class PresenceMessage(ModuleMessage, frozen=True, kw_only=True, tag="presence"):
    """Made by the bus, never sent: a module has come or gone."""

    present: bool


class HealthMessage(ModuleMessage, frozen=True, kw_only=True, tag="health"):
    """How a module is; about once a second of wall time."""

    quality: ClassVar[Quality] = Quality.STREAM

    rounds: Whole = 0
    received: Whole = 0
    sends: Whole = 0
    lost: Whole = 0  # numbers that were missing in the sequences of sources
    dropped: Whole = 0  # old readings that newer ones replaced before they were looked at
    refused: Whole = 0  # lines that were no messages
    cpu: Finite = 0.0  # processor seconds
    status: Line = ""
    latencies: Annotated[list[Whole], Meta(max_length=64)] = field(default_factory=list)  # counts, see health.EDGES


MESSAGES: dict[str, type[ModuleMessage]] = {
    str(cls.__struct_config__.tag): cls
    for cls in (
        HelloMessage, SonarMessage, RangeScannerMessage, OdometryMessage, InsMessage, ReadingsMessage, ActionMessage,
        DriveMessage, MotorMessage, StopMessage, ResetMessage, ClearMessage, RefusedMessage, GuardMessage, PoseMessage,
        MapMessage, GoalMessage, AcceptedMessage, PlanMessage, TeleopMessage, RoundMessage, ResumeMessage,
        PresenceMessage, HealthMessage,
    )
}  # fmt: skip
"""The classes by their type on the wire."""


def to_numbers(values: list[float]) -> list[float | None]:
    """Numbers as they are sent: infinity and NaN become null."""
    return [value if math.isfinite(value) else None for value in values]
