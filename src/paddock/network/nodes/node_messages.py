"""All messages between modules: JSON objects on the wire, with AP2DX's names where these exist."""

from __future__ import annotations

import math
from enum import Enum
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from paddock.core.observation import Finite

REPLAY = "REPLAY"  # name of a module that sends recorded messages again under the names of their sources
WATCHERS = ("RECORDER", "LISTENER")  # names of passive listeners that are not modules
EVERYONE = "ALL"  # a destination: all modules that listen to the source
MAX_NUMBERS, MAX_CHARACTERS = 4096, 200
MODULE_NAME = r"^[A-Z][A-Z0-9_]{0,31}$"
ModuleId = Annotated[str, Meta(pattern=MODULE_NAME, description="a module's name in capitals")]
Whole = Annotated[int, Meta(ge=0, le=2**53)]
Line = Annotated[str, Meta(max_length=MAX_CHARACTERS)]
Numbers = Annotated[list[Finite | None], Meta(max_length=MAX_NUMBERS)]  # null: no return within range, infinity
Points = Annotated[list[Finite], Meta(max_length=MAX_NUMBERS)]
Position = tuple[Finite, Finite, Finite]
ActionType = Literal["FORWARD", "BACKWARD", "LEFT", "RIGHT", "TURN", "STOP"]


class Quality(Enum):
    """Delivery class of a message on the bus."""

    URGENT = "urgent"  # with zenoh it is sent before all others; a newer message never replaces it
    ORDERED = "ordered"  # a newer message never replaces it
    STREAM = "stream"  # a newer message of the same source, type and device replaces it


class ModuleMessage(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="unknown"):
    """Base class of all messages. Fields with their default value are omitted on the wire.

    `original` lists the fields of AP2DX's protocol in addition to the address.
    """

    original: ClassVar[tuple[str, ...]] = ()
    quality: ClassVar[Quality] = Quality.ORDERED

    source: ModuleId = field(name="sourceModuleId", default="UNDEFINED")
    destination: ModuleId = field(name="destinationModuleId", default=EVERYONE)
    sequence: Whole = 0  # number of the message, counted for each source and destination
    time: Finite = 0.0  # of the measurement that it is based on, simulated [s]
    sent: Finite = 0.0  # wall time of sending [s]
    cause: Finite = 0.0  # wall time at which the measurement that it is based on was sent [s]; 0: none


class StreamMessage(ModuleMessage, frozen=True, kw_only=True):
    """Base class of messages of which only the newest matters."""

    quality: ClassVar[Quality] = Quality.STREAM


class UrgentMessage(ModuleMessage, frozen=True, kw_only=True):
    """Base class of messages about motion and safety."""

    quality: ClassVar[Quality] = Quality.URGENT


class HelloMessage(ModuleMessage, frozen=True, kw_only=True, tag="HELLO!!!"):
    """First line of a connection, with the module's name. With a protocol it receives all fields, else only AP2DX's."""

    original: ClassVar[tuple[str, ...]] = ("Bidirection",)

    both_ways: bool | None = field(name="Bidirection", default=None)
    protocol: Whole = 0
    hears: list[ModuleId] | None = None  # the sources whose messages to all modules it receives; None: all
    lossless: bool = False  # receive all messages of streams, not only the newest
    everything: bool = False  # also receive messages to other modules


# ---- from sensors


class SonarMessage(StreamMessage, frozen=True, kw_only=True, tag="sensorSonar"):
    """The ranges of all sonars [m]."""

    original: ClassVar[tuple[str, ...]] = ("rangeArray", "time")

    values: Numbers = field(name="rangeArray")
    max_range: Finite = 5.0  # [m]
    device: Line = "sonar"


class RangeScannerMessage(StreamMessage, frozen=True, kw_only=True, tag="sensorRangeScanner"):
    """A scan of a laser scanner: from right to left as in AP2DX, or in the order of Paddock's device."""

    original: ClassVar[tuple[str, ...]] = ("fov", "resolution", "dataArray")

    fov: Finite  # [rad]
    resolution: Finite  # between two beams [rad]
    values: Numbers = field(name="dataArray")  # [m]
    max_range: Finite = 20.0  # [m]
    device: Line = "laser"


class OdometryMessage(StreamMessage, frozen=True, kw_only=True, tag="sensorOdometry"):
    """Pose by dead reckoning [m, rad]."""

    original: ClassVar[tuple[str, ...]] = ("x", "y", "theta")

    x: Finite
    y: Finite
    theta: Finite


class InsMessage(StreamMessage, frozen=True, kw_only=True, tag="sensorIns"):
    """Pose by inertial navigation: x, y, z [m] and roll, pitch, yaw [rad]."""

    original: ClassVar[tuple[str, ...]] = ("location", "orientation")

    location: Position
    orientation: Position
    device: Line = "ins"


class ReadingsMessage(StreamMessage, frozen=True, kw_only=True, tag="sensorReadings"):
    """The values of any other device, including encoders, in the format of an observation."""

    device: Line
    values: Numbers


# ---- motion


class ActionMessage(UrgentMessage, frozen=True, kw_only=True, tag="motorAction"):
    """A motion command of AP2DX's planner; the value is in percent of full speed, or for TURN -1 left, 1 right."""

    original: ClassVar[tuple[str, ...]] = ("actionType", "value")

    action: ActionType = field(name="actionType")
    value: Finite = 0.0
    epoch: Whole = 0


class DriveMessage(UrgentMessage, frozen=True, kw_only=True, tag="drive"):
    """Wheel speeds [m/s] that a planner or a user requests, or that the reflex relays."""

    left: Finite
    right: Finite
    epoch: Whole = 0
    holds: Finite = 0.3  # [s] simulated validity after `time`; often shortened, so that the robot stops in time


class MotorMessage(UrgentMessage, frozen=True, kw_only=True, tag="motor"):
    """Wheel speeds for the robot: percent of full speed if normalized, else [m/s]."""

    original: ClassVar[tuple[str, ...]] = ("leftValue", "rightValue", "normalized")

    left: Finite = field(name="leftValue")
    right: Finite = field(name="rightValue")
    normalized: bool = field(default=True)


class StopMessage(UrgentMessage, frozen=True, kw_only=True, tag="STOP"):
    """The reflex has stopped the robot. Every stop has a number, its epoch."""

    epoch: Whole = 0
    reason: Line = ""


class ResetMessage(UrgentMessage, frozen=True, kw_only=True, tag="RESET"):
    """The planner has received a stop and requests to escape from the obstacle."""

    epoch: Whole = 0


class ClearMessage(UrgentMessage, frozen=True, kw_only=True, tag="CLEAR"):
    """The planner has finished its escape from the obstacle."""

    epoch: Whole = 0


class RefusedMessage(UrgentMessage, frozen=True, kw_only=True, tag="refused"):
    """A command was rejected, with the reason in readable form."""

    reason: Line
    epoch: Whole = 0


class ReflexStateMessage(StreamMessage, frozen=True, kw_only=True, tag="guard"):
    """State of the reflex after it has checked new readings."""

    gate: Line
    epoch: Whole
    reason: Line = ""


# ---- map and goals


class PoseMessage(StreamMessage, frozen=True, kw_only=True, tag="pose"):
    """Pose estimated by the mapper [m, rad], with the rows of the covariance."""

    x: Finite
    y: Finite
    theta: Finite
    covariance: Annotated[list[Finite], Meta(max_length=9)] = field(default_factory=list)


class MapMessage(StreamMessage, frozen=True, kw_only=True, tag="map"):
    """A map: states of cells (-1 unknown, 0 free, 1 occupied) as bytes, row by row, compressed with zlib."""

    x: Finite  # of the lower left corner [m]
    y: Finite
    resolution: Finite  # side of a cell [m]
    rows: Whole
    columns: Whole
    cells: bytes  # base64 on the wire
    digest: Line = ""


class GoalMessage(ModuleMessage, frozen=True, kw_only=True, tag="goal"):
    """Goal position of the robot [m]."""

    x: Finite
    y: Finite


class AcceptedMessage(ModuleMessage, frozen=True, kw_only=True, tag="accepted"):
    """The planner has accepted a goal [m], sent to the sender of the goal. Otherwise it sends `refused`."""

    x: Finite
    y: Finite


class PlanMessage(StreamMessage, frozen=True, kw_only=True, tag="plan"):
    """Plan, frontiers and goal of the planner, for display. Points are x, y [m] in sequence, in the mapper's frame."""

    plan: Points = field(default_factory=list)
    frontiers: Points = field(default_factory=list)
    goal: Annotated[list[Finite], Meta(max_length=2)] = field(default_factory=list)
    doing: Line = ""
    refusal: Line = ""


class TeleopMessage(UrgentMessage, frozen=True, kw_only=True, tag="teleop"):
    """A twist from a user, valid until half a second after the last such message."""

    linear: Finite  # [m/s]
    angular: Finite  # [rad/s]


# ---- coordination of modules


class RoundMessage(ModuleMessage, frozen=True, kw_only=True, tag="round"):
    """A module has sent all its messages about one set of the robot's readings."""

    number: Whole
    counts: dict[ModuleId, Whole] = field(default_factory=dict)  # number of messages sent, by destination
    since: Finite = 0.0  # wall time of the first of these messages [s]; earlier ones were partly lost and are repeated
    last: bool = False  # this is the last round


class ResumeMessage(ModuleMessage, frozen=True, kw_only=True, tag="resume"):
    """Request to repeat the last round if it is later than this number; -1 after a start, for any round."""

    number: Annotated[int, Meta(ge=-1, le=2**53)] = -1


class PresenceMessage(ModuleMessage, frozen=True, kw_only=True, tag="presence"):
    """A module has joined or left; created by the bus and never sent."""

    present: bool


class HealthMessage(StreamMessage, frozen=True, kw_only=True, tag="health"):
    """Health report of a module, sent about once per second of wall time."""

    rounds: Whole = 0
    received: Whole = 0
    sends: Whole = 0
    lost: Whole = 0  # missing sequence numbers of all sources
    dropped: Whole = 0  # readings that newer ones replaced before they were handled
    refused: Whole = 0  # lines that were not valid messages
    cpu: Finite = 0.0  # processor seconds
    status: Line = ""
    latencies: Annotated[list[Whole], Meta(max_length=64)] = field(default_factory=list)  # counts, see health.EDGES


MESSAGES: dict[str, type[ModuleMessage]] = {
    str(cls.__struct_config__.tag): cls
    for cls in (
        HelloMessage, SonarMessage, RangeScannerMessage, OdometryMessage, InsMessage, ReadingsMessage, ActionMessage,
        DriveMessage, MotorMessage, StopMessage, ResetMessage, ClearMessage, RefusedMessage, ReflexStateMessage,
        PoseMessage, MapMessage, GoalMessage, AcceptedMessage, PlanMessage, TeleopMessage, RoundMessage, ResumeMessage,
        PresenceMessage, HealthMessage,
    )
}  # fmt: skip
"""Message classes by their type on the wire."""


def to_numbers(values: list[float]) -> list[float | None]:
    """Convert numbers for sending: infinity and NaN become null."""
    return [value if math.isfinite(value) else None for value in values]
