"""Every message that travels between a server and its clients, one small class each.

A request carries an `id` of the client's choice, and its answer carries the same. What has no `id` is news that
nobody has to answer. Lengths are metres, angles radians, times seconds, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.core.observation import Command
from paddock.core.rules import Number

VERSION = 1
MOST_TICKS = 1_000_000  # of one step
LONGEST_NAME = 64  # letters of a robot, a device or a client

Name = Annotated[str, LONGEST_NAME]
Token = Annotated[str, 200]
Prose = Annotated[str, 10_000]
Id = Annotated[int, Number("a whole number", low=0, high=2**31 - 1)]
Ticks = Annotated[int, Number("a whole number of ticks", low=0, high=MOST_TICKS)]
Seed = Annotated[int, Number("a whole number", low=0, high=2**63 - 1)]
Period = Annotated[float, Number("seconds", low=0, high=3600)]
Speed = Annotated[float, Number("a factor from 0.01 to 1000, or 0 for flat out", low=0, high=1000)]
Table = dict[str, Any]  # a spec as TOML would have it
Numbers = NDArray[np.float64]  # msgpack: little-endian float64 bytes; JSON: a list, null where there is no number


class Message:
    """Base of all messages; `type` is what the wire calls it."""

    __slots__ = ()
    type: ClassVar[str] = ""


# ---- parts of messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A camera's picture: raw rows of red, green, blue, from the top left; or a JPEG file."""

    width: int
    height: int
    data: bytes
    jpeg: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What only a supervisor may know."""

    pose: tuple[float, float, float]  # x, y [m], heading [rad]
    contacts: tuple[float, ...] = ()  # bearings on the body [rad] of what it touched in the last tick


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One robot's enabled devices at one tick."""

    wheels: tuple[float, float]  # how fast they turn [m/s]
    readings: dict[str, Numbers] = field(default_factory=dict)
    pictures: dict[str, Picture] = field(default_factory=dict)
    pans: dict[str, float] = field(default_factory=dict)  # present angles of pivoting devices [rad]
    truth: Truth | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotInfo:
    """A robot in the world."""

    name: str
    kind: int  # number in the list of kinds
    color: str
    owner: str = ""  # who drives it; empty for nobody
    spawned: bool = False  # brought along by its owner, and taken away again
    yours: bool = False  # whether the one who reads this may drive it


@dataclass(frozen=True, slots=True, kw_only=True)
class Solid:
    """An obstacle's piece: a polygon's corners, or one centre with a radius."""

    corners: tuple[tuple[float, float], ...]
    radius: float = 0.0
    height: float
    color: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A named place: where robots may start, a lamp, a source of sound, the middle of a field."""

    kind: str
    name: str
    at: tuple[float, float]
    extent: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A line of the scoreboard."""

    robot: str
    score: float
    note: str = ""


# ---- requests


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Message):
    """Anything that is answered: by its own kind of answer, by `done`, or by `refused`."""

    id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello(Request):
    """The first message. → `welcome`"""

    type: ClassVar[str] = "hello"
    version: int
    name: Name = ""  # what others see
    token: Token = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look(Request):
    """Ask for the scene: what there is to draw. → `scene`"""

    type: ClassVar[str] = "look"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Request):
    """Drive a robot from now on; refused if someone else does. → `done`"""

    type: ClassVar[str] = "claim"
    robot: Name
    force: bool = False  # take it from whoever drives it (supervisor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawn(Request):
    """Bring a robot along: a shipped kind by name, or a spec of one's own. It is claimed, too. → `done`"""

    type: ClassVar[str] = "spawn"
    robot: Name
    kind: Annotated[str, LONGEST_NAME] | Table
    at: tuple[float, float] | None = None  # None: wherever there is room
    heading: float = 0.0
    color: Annotated[str, 32] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave(Request):
    """Give a robot up: it stops; one that was brought along vanishes. → `done`"""

    type: ClassVar[str] = "leave"
    robot: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Enable(Request):
    """Choose what `observed` tells of a robot: these devices on or off; none named means all. → `done`"""

    type: ClassVar[str] = "enable"
    robot: Name
    devices: tuple[Name, ...] = ()
    on: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PollOnly(Request):
    """Compute a range sensor only when `read` asks for it, or no longer so. → `done`"""

    type: ClassVar[str] = "poll_only"
    robot: Name
    device: Name
    on: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Request):
    """Give commands, let time pass, and tell what enabled devices then see. → `observed`, when the time is over"""

    type: ClassVar[str] = "step"
    ticks: Ticks = 1
    commands: dict[Name, Command] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sense(Request):
    """What the enabled devices of a robot see now. → `observed`"""

    type: ClassVar[str] = "sense"
    robot: Name
    commands: dict[Name, Command] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Request):
    """One enabled device, in SI units or in the hardware's own. → `reading`"""

    type: ClassVar[str] = "read"
    robot: Name
    device: Name
    raw: bool = False
    commands: dict[Name, Command] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribe(Request):
    """Send these devices of a robot as `sensed`, once per period of simulated time. → `done`"""

    type: ClassVar[str] = "subscribe"
    robot: Name
    devices: tuple[Name, ...] = ()  # none named: all
    period: Period = 0.0  # 0: every tick
    jpeg: bool = False  # pictures as JPEG files
    stream: Name = ""  # a robot may have several subscriptions with names of your choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsubscribe(Request):
    """No more `sensed` of a robot's stream. → `done`"""

    type: ClassVar[str] = "unsubscribe"
    robot: Name
    stream: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames(Request):
    """Send where all robots are as `frame`, at most this often per second; 0 for no more. → `done`"""

    type: ClassVar[str] = "frames"
    rate: Annotated[float, Number("frames per second", low=0, high=120)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Request):
    """What has happened since the last reset, thinned: all robots' paths, or one robot's readings. → `history`"""

    type: ClassVar[str] = "recall"
    robot: Name = ""  # none named: the paths of all


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock(Request):
    """Join the lock: time stands still until every member has asked for a `step`. Or leave it. → `done`"""

    type: ClassVar[str] = "lock"
    on: bool = True
    timeout: Annotated[float, Number("seconds", above=0, high=3600)] = 10.0  # to answer while others wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Play(Request):
    """Let the clock run (supervisor). → `done`"""

    type: ClassVar[str] = "play"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Request):
    """Stop the clock (supervisor). → `done`"""

    type: ClassVar[str] = "pause"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance(Request):
    """Let a paused clock run for some ticks (supervisor). → `done`, at once"""

    type: ClassVar[str] = "advance"
    ticks: Ticks = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSpeed(Request):
    """Simulated seconds per second; 0 for flat out (supervisor). → `done`"""

    type: ClassVar[str] = "set_speed"
    speed: Speed


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset(Request):
    """Back to the start, with the same seed or another (supervisor). → `done`"""

    type: ClassVar[str] = "reset"
    seed: Seed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAgain(Request):
    """Let a program whose run has ended run again from the start (supervisor). → `done`"""

    type: ClassVar[str] = "run_again"
    seed: Seed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Request):
    """Put a robot elsewhere (supervisor). → `done`"""

    type: ClassVar[str] = "place"
    robot: Name
    x: float
    y: float
    heading: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest(Request):
    """A fingerprint of the state (supervisor). → `answer` with a text"""

    type: ClassVar[str] = "digest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Request):
    """Keep a copy of the present state on the server (supervisor). → `answer` with its number"""

    type: ClassVar[str] = "snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore(Request):
    """Go back to a snapshot (supervisor). → `done`"""

    type: ClassVar[str] = "restore"
    snapshot: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Steer(Message):
    """Commands without waiting for an answer; only a refusal is told, as `refused` without an id."""

    type: ClassVar[str] = "steer"
    commands: dict[Name, Command]


@dataclass(frozen=True, slots=True, kw_only=True)
class Got(Message):
    """A frame has arrived and the next one may come."""

    type: ClassVar[str] = "got"
    frame: int


# ---- answers and news


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome(Message):
    """The answer to `hello`; `robots` and `clock` follow."""

    type: ClassVar[str] = "welcome"
    id: int
    version: int
    server: str
    client: str  # the name that you got
    role: str  # viewer, controller or supervisor
    world: Table  # its spec, without robots
    dt: float
    lock_step: bool  # whether clients are expected to join the lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene(Message):
    """What there is to draw."""

    type: ClassVar[str] = "scene"
    id: int
    title: str
    bounds: tuple[float, float, float, float]
    floor: bytes  # a PNG file that fills `floor_bounds`
    floor_bounds: tuple[float, float, float, float]
    solids: tuple[Solid, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Message):
    """It was done."""

    type: ClassVar[str] = "done"
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Message):
    """A value that was asked for."""

    type: ClassVar[str] = "answer"
    id: int
    value: str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Message):
    """It was not done, and nothing changed; `error` is the error's class, `message` tells why."""

    type: ClassVar[str] = "refused"
    error: str
    message: Prose
    id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed(Message):
    """What the enabled devices of one's robots saw at a tick."""

    type: ClassVar[str] = "observed"
    id: int
    tick: int
    robots: dict[str, Seen]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Message):
    """One device."""

    type: ClassVar[str] = "reading"
    id: int
    tick: int
    values: Numbers | None = None
    picture: Picture | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensed(Message):
    """What was subscribed to."""

    type: ClassVar[str] = "sensed"
    robot: str
    tick: int
    seen: Seen
    stream: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(Message):
    """Where all robots are and which of their lamps are on, in the order of `robots`, see `frames.py`."""

    type: ClassVar[str] = "frame"
    frame: int  # its number, for `got`
    tick: int
    bodies: bytes
    lamps: bytes = b""  # a bit per lamp, equally many bytes for each robot; none if all are dark


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock(Message):
    """How time goes; sent when that changes."""

    type: ClassVar[str] = "clock"
    tick: int
    seed: int
    running: bool
    speed: float  # 0 for flat out
    lock: tuple[str, ...] = ()  # the clients in the lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Robots(Message):
    """All robots and the specs of their kinds; sent when that changes."""

    type: ClassVar[str] = "robots"
    kinds: tuple[Table, ...]
    robots: tuple[RobotInfo, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Released(Message):
    """Someone did not answer in time and no longer holds the clock; their robots were stopped."""

    type: ClassVar[str] = "released"
    client: str
    robots: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History(Message):
    """Samples since the last reset, at equal intervals of simulated time."""

    type: ClassVar[str] = "history"
    id: int
    ticks: Numbers  # of the samples
    paths: bytes = b""  # float32 x, y [m] of every robot at every sample; NaN where it was not there or was teleported
    wheels: Numbers | None = None  # of the named robot: speeds left, right [m/s] at every sample
    readings: dict[str, Numbers] = field(default_factory=dict)  # … and of its devices; of a scan the least value


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus(Message):
    """How the run of a program beside the server is; sent when that changes."""

    type: ClassVar[str] = "run"
    state: str  # running, ended or failed
    reason: Prose = ""  # why it ended
    again: bool = False  # whether `run_again` starts it again
    intervention: Prose = ""  # the first act of a person that makes the run not repeatable; empty for none


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores(Message):
    """The scoreboard."""

    type: ClassVar[str] = "scores"
    scores: tuple[Score, ...]


REQUESTS: dict[str, type[Message]] = {
    cls.type: cls
    for cls in (
        *(
            Hello,
            Look,
            Claim,
            Spawn,
            Leave,
            Enable,
            PollOnly,
            Step,
            Sense,
            Read,
            Subscribe,
            Unsubscribe,
            Frames,
            Recall,
        ),
        *(Lock, Play, Pause, Advance, SetSpeed, Reset, RunAgain, Place, Digest, Snapshot, Restore, Steer, Got),
    )
}
ANSWERS: dict[str, type[Message]] = {
    cls.type: cls
    for cls in (
        *(Welcome, Scene, Done, Answer, Refused, Observed, Reading),
        *(Sensed, Frame, Clock, Robots, Released, History, RunStatus, Scores),
    )
}
