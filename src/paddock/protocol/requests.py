"""Requests: what clients send. Each carries an `id` of the client's choice, and its answer carries the same."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from paddock.core.observation import Command
from paddock.protocol.base import (
    LONGEST_NAME,
    MOST_ENTRIES,
    Colour,
    Finite,
    Id,
    Int64,
    Key,
    Message,
    Name,
    Numbers,
    Patience,
    Period,
    Prose,
    Rate,
    Request,
    Seed,
    Speed,
    Table,
    Ticks,
    Token,
    by_type,
    check_table,
)
from paddock.protocol.class_requests import CLASS_REQUESTS
from paddock.protocol.parts import MapData

Commands = Annotated[dict[Key, Command], Meta(max_length=MOST_ENTRIES)]
Devices = Annotated[tuple[Name, ...], Meta(max_length=MOST_ENTRIES)]


class Hello(Request, tag="hello", frozen=True, kw_only=True):
    """The first message. → `welcome`"""

    version: Int64
    name: Name = ""  # what others see
    token: Token = ""
    minor: Int64 = 0  # the client's; what a newer one says beyond this server's is ignored
    events: bool = False  # whether `event` is wanted
    shows: bool = False  # whether `asked` and `goal` are wanted


class LookRequest(Request, tag="look", frozen=True, kw_only=True):
    """Ask for the scene: what there is to draw. → `scene`"""


class Claim(Request, tag="claim", frozen=True, kw_only=True):
    """Drive a robot from now on; refused if someone else does. → `done`"""

    robot: Name
    force: bool = False  # take it from whoever drives it (supervisor)


class Spawn(Request, tag="spawn", frozen=True, kw_only=True):
    """Bring a robot along: a shipped kind by name, or a spec of one's own. It is claimed, too. → `done`"""

    robot: Name
    kind: Annotated[str, Meta(max_length=LONGEST_NAME)] | Table
    at: tuple[Finite, Finite] | None = None  # None: wherever there is room
    heading: Finite = 0.0
    color: Colour | None = None

    def __post_init__(self) -> None:
        if type(self.kind) is dict:
            check_table(self.kind, "spawn.kind")


class Leave(Request, tag="leave", frozen=True, kw_only=True):
    """Give a robot up: it stops; one that was brought along vanishes. → `done`"""

    robot: Name


class Enable(Request, tag="enable", frozen=True, kw_only=True):
    """Choose what `observed` tells of a robot: these devices on or off; none named means all. → `done`"""

    robot: Name
    devices: Devices = ()
    on: bool = True


class PollOnly(Request, tag="poll_only", frozen=True, kw_only=True):
    """Compute a range sensor only when `read` asks for it, or no longer so. → `done`"""

    robot: Name
    device: Name
    on: bool = True


class Step(Request, tag="step", frozen=True, kw_only=True):
    """Give commands, let time pass, and tell what enabled devices then see. → `observed`, when the time is over"""

    ticks: Ticks = 1
    commands: Commands = field(default_factory=dict)


class Sense(Request, tag="sense", frozen=True, kw_only=True):
    """What the enabled devices of a robot see now. → `observed`"""

    robot: Name
    commands: Commands = field(default_factory=dict)


class Read(Request, tag="read", frozen=True, kw_only=True):
    """One enabled device, in SI units or in the hardware's own. → `reading`"""

    robot: Name
    device: Name
    raw: bool = False
    commands: Commands = field(default_factory=dict)


class Subscribe(Request, tag="subscribe", frozen=True, kw_only=True):
    """Send these devices of a robot as `sensed`, once per period of simulated time. → `done`"""

    robot: Name
    devices: Devices = ()  # none named: all
    period: Period = 0.0  # 0: every tick
    jpeg: bool = False  # pictures as JPEG files
    stream: Name = ""  # a robot may have several subscriptions with names of your choice


class Unsubscribe(Request, tag="unsubscribe", frozen=True, kw_only=True):
    """No more `sensed` of a robot's stream. → `done`"""

    robot: Name
    stream: Name = ""


class Frames(Request, tag="frames", frozen=True, kw_only=True):
    """Send where all robots are as `frame`, at most this often per second; 0 for no more. → `done`"""

    rate: Rate


class Recall(Request, tag="recall", frozen=True, kw_only=True):
    """What has happened since the last reset, thinned: all robots' paths, or one robot's readings. → `history`"""

    robot: Name = ""  # none named: the paths of all


class Lock(Request, tag="lock", frozen=True, kw_only=True):
    """Join the lock: time stands still until every member has asked for a `step`. Or leave it. → `done`"""

    on: bool = True
    timeout: Patience = 10.0  # to answer while others wait


class Play(Request, tag="play", frozen=True, kw_only=True):
    """Let the clock run (supervisor). → `done`"""


class Pause(Request, tag="pause", frozen=True, kw_only=True):
    """Stop the clock (supervisor). → `done`"""


class Advance(Request, tag="advance", frozen=True, kw_only=True):
    """Let a paused clock run for some ticks (supervisor). → `done`, at once"""

    ticks: Ticks = 1


class SetSpeed(Request, tag="set_speed", frozen=True, kw_only=True):
    """Simulated seconds per second; 0 for flat out (supervisor). → `done`"""

    speed: Speed


class Reset(Request, tag="reset", frozen=True, kw_only=True):
    """Back to the start, with the same seed or another (supervisor). → `done`"""

    seed: Seed | None = None


class RunAgain(Request, tag="run_again", frozen=True, kw_only=True):
    """Let a program whose run has ended run again from the start (supervisor). → `done`"""

    seed: Seed | None = None


class Seek(Request, tag="seek", frozen=True, kw_only=True):
    """Go to a tick of the recording that is replayed (supervisor). → `done`"""

    tick: Int64


class GoLive(Request, tag="go_live", frozen=True, kw_only=True):
    """End a replay where it is: from here on robots do what they are told (supervisor). → `done`"""


class SetPose(Request, tag="set_pose", frozen=True, kw_only=True):
    """Put a robot elsewhere (supervisor). → `done`"""

    robot: Name
    x: Finite
    y: Finite
    heading: Finite = 0.0


class SendGoal(Request, tag="send_goal", frozen=True, kw_only=True):
    """Have a robot's own program drive it to a place. → `done`, when the program has taken it"""

    robot: Name
    x: Finite
    y: Finite


class Digest(Request, tag="digest", frozen=True, kw_only=True):
    """A fingerprint of the state (supervisor). → `answer` with a text"""


class TakeSnapshot(Request, tag="snapshot", frozen=True, kw_only=True):
    """Keep a copy of the present state on the server (supervisor). → `answer` with its number"""


class Restore(Request, tag="restore", frozen=True, kw_only=True):
    """Go back to a snapshot (supervisor). → `done`"""

    snapshot: Id


class Steer(Message, tag="steer", frozen=True, kw_only=True):
    """Commands without waiting for an answer; only a refusal is told, as `refused` without an id."""

    commands: Commands


class Shown(Message, tag="show", frozen=True, kw_only=True):
    """What your program knows of a robot that you drive; after `asked`. It is not answered."""

    robot: Name
    pose: tuple[Finite, Finite, Finite] | None = None  # x, y [m], heading [rad], as it estimates it
    covariance: Numbers | None = None  # of that, nine numbers
    particles: Numbers | None = None  # x, y [m] of some guesses, one after the other
    map: MapData | None = None


class GoalAnswer(Message, tag="goal_answer", frozen=True, kw_only=True):
    """What your program made of a `goal`."""

    number: Int64
    refusal: Prose = ""  # why it does not take it; empty: it does


class Got(Message, tag="got", frozen=True, kw_only=True):
    """A frame has arrived and the next one may come."""

    frame: Int64


REQUESTS: dict[str, type[Message]] = by_type(
    (
        *(Hello, LookRequest, Claim, Spawn, Leave, Enable, PollOnly, Step, Sense, Read, Subscribe, Unsubscribe),
        *(Frames, Recall, Lock, Play, Pause, Advance, SetSpeed, Reset, RunAgain, SetPose, Digest, TakeSnapshot),
        *(Restore, Steer, Got, SendGoal, Shown, GoalAnswer, Seek, GoLive),
        *CLASS_REQUESTS,
    )
)
