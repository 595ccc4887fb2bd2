"""Requests: messages from clients. Each has an `id` chosen by the client; its answer has the same `id`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from paddock.core.observation import Command
from paddock.network.protocol.message_base import (
    LONGEST_NAME,
    MAX_ENTRIES,
    Colour,
    Finite,
    Id,
    Int64,
    Key,
    Line,
    Message,
    Name,
    Numbers,
    Period,
    Prose,
    Rate,
    Request,
    Seed,
    Speed,
    Table,
    Ticks,
    TimeoutSeconds,
    Token,
    by_type,
    check_table,
)
from paddock.network.protocol.parts import MapData

Commands = Annotated[dict[Key, Command], Meta(max_length=MAX_ENTRIES)]
Devices = Annotated[tuple[Name, ...], Meta(max_length=MAX_ENTRIES)]


class Hello(Request, tag="hello", frozen=True, kw_only=True):
    """The first message of a connection. → `welcome`"""

    version: Int64
    name: Name = ""  # name that others see
    token: Token = ""
    minor: Int64 = 0  # of the client; unknown fields of a newer client are ignored
    events: bool = False  # whether to receive `event`
    shows: bool = False  # whether to receive `asked` and `goal`


class LookRequest(Request, tag="look", frozen=True, kw_only=True):
    """Request the scene: all that is drawn except the robots. → `scene`"""


class Claim(Request, tag="claim", frozen=True, kw_only=True):
    """Take ownership of a robot; refused if another client drives it. → `done`"""

    robot: Name
    force: bool = False  # take it from the client that drives it (supervisor)


class Spawn(Request, tag="spawn", frozen=True, kw_only=True):
    """Add a robot, of a shipped kind by name or with its own spec, and claim it. → `done`"""

    robot: Name
    kind: Annotated[str, Meta(max_length=LONGEST_NAME)] | Table
    at: tuple[Finite, Finite] | None = None  # [m]; None: any free position
    heading: Finite = 0.0
    color: Colour | None = None

    def __post_init__(self) -> None:
        if type(self.kind) is dict:
            check_table(self.kind, "spawn.kind")


class Leave(Request, tag="leave", frozen=True, kw_only=True):
    """Give up ownership of a robot. It stops; a spawned robot is removed. → `done`"""

    robot: Name


class Enable(Request, tag="enable", frozen=True, kw_only=True):
    """Enable or disable devices of a robot for `observed`; no names mean all devices. → `done`"""

    robot: Name
    devices: Devices = ()
    on: bool = True


class PollOnly(Request, tag="poll_only", frozen=True, kw_only=True):
    """Compute a range sensor only when `read` requests it, or end this mode. → `done`"""

    robot: Name
    device: Name
    on: bool = True


class Step(Request, tag="step", frozen=True, kw_only=True):
    """Apply commands, let ticks pass, and request the readings. → `observed`, when the ticks have passed"""

    ticks: Ticks = 1
    commands: Commands = field(default_factory=dict)


class Sense(Request, tag="sense", frozen=True, kw_only=True):
    """Request the current readings of the enabled devices of a robot. → `observed`"""

    robot: Name
    commands: Commands = field(default_factory=dict)


class Read(Request, tag="read", frozen=True, kw_only=True):
    """Request the reading of one enabled device, in SI units or in raw hardware units. → `reading`"""

    robot: Name
    device: Name
    raw: bool = False
    commands: Commands = field(default_factory=dict)


class Subscribe(Request, tag="subscribe", frozen=True, kw_only=True):
    """Subscribe to devices of a robot: `sensed` is sent once per period of simulated time. → `done`"""

    robot: Name
    devices: Devices = ()  # empty: all
    period: Period = 0.0  # [s]; 0: every tick
    jpeg: bool = False  # pictures as JPEG files
    stream: Name = ""  # name of the subscription, for several subscriptions to a robot


class Unsubscribe(Request, tag="unsubscribe", frozen=True, kw_only=True):
    """End a subscription. → `done`"""

    robot: Name
    stream: Name = ""


class Frames(Request, tag="frames", frozen=True, kw_only=True):
    """Request the poses of all robots as `frame`, at `rate` frames per second at most; 0 stops them. → `done`"""

    rate: Rate


class Recall(Request, tag="recall", frozen=True, kw_only=True):
    """Request samples since the last reset: the paths of all robots, or the readings of one. → `history`"""

    robot: Name = ""  # empty: the paths of all


class Lock(Request, tag="lock", frozen=True, kw_only=True):
    """Join or leave the lock: the clock waits until every member has requested a `step`. → `done`"""

    on: bool = True
    timeout: TimeoutSeconds = 10.0  # maximum time [s] until the next step while others wait


class Play(Request, tag="play", frozen=True, kw_only=True):
    """Start the clock (supervisor). → `done`"""


class Pause(Request, tag="pause", frozen=True, kw_only=True):
    """Pause the clock (supervisor). → `done`"""


class Advance(Request, tag="advance", frozen=True, kw_only=True):
    """Advance a paused clock by some ticks (supervisor). → `done`, immediately"""

    ticks: Ticks = 1


class SetSpeed(Request, tag="set_speed", frozen=True, kw_only=True):
    """Set the speed in simulated seconds per second; 0 for as fast as possible (supervisor). → `done`"""

    speed: Speed


class Reset(Request, tag="reset", frozen=True, kw_only=True):
    """Reset the world to its start, with the same seed or another (supervisor). → `done`"""

    seed: Seed | None = None


class RunAgain(Request, tag="run_again", frozen=True, kw_only=True):
    """Restart the run of a program whose run has ended (supervisor). → `done`"""

    seed: Seed | None = None


class Seek(Request, tag="seek", frozen=True, kw_only=True):
    """Go to a tick of the replayed recording (supervisor). → `done`"""

    tick: Int64


class GoLive(Request, tag="go_live", frozen=True, kw_only=True):
    """End a replay at its current tick: from here on robots execute commands (supervisor). → `done`"""


class SetPose(Request, tag="set_pose", frozen=True, kw_only=True):
    """Set the pose of a robot (supervisor). → `done`"""

    robot: Name
    x: Finite
    y: Finite
    heading: Finite = 0.0


class SendGoal(Request, tag="send_goal", frozen=True, kw_only=True):
    """Send a goal to the program that drives a robot. → `done`, when the program has accepted it"""

    robot: Name
    x: Finite
    y: Finite


class Digest(Request, tag="digest", frozen=True, kw_only=True):
    """Request a digest of the state (supervisor). → `answer` with a text"""


class TakeSnapshot(Request, tag="snapshot", frozen=True, kw_only=True):
    """Store a copy of the current state on the server (supervisor). → `answer` with its number"""


class Restore(Request, tag="restore", frozen=True, kw_only=True):
    """Restore a snapshot (supervisor). → `done`"""

    snapshot: Id


class Steer(Message, tag="steer", frozen=True, kw_only=True):
    """Send commands without an answer; only a refusal is sent, as `refused` without an id."""

    commands: Commands


class Shown(Message, tag="show", frozen=True, kw_only=True):
    """Pose estimate and map of a robot from the client that drives it, in response to `asked`; not answered."""

    robot: Name
    pose: tuple[Finite, Finite, Finite] | None = None  # estimated x, y [m], heading [rad]
    covariance: Numbers | None = None  # of the pose, nine numbers
    particles: Numbers | None = None  # x, y [m] of some particles, one after the other
    map: MapData | None = None


class GoalAnswer(Message, tag="goal_answer", frozen=True, kw_only=True):
    """Accept or refuse a `goal`."""

    number: Int64
    refusal: Prose = ""  # reason of a refusal; empty: accepted


class Got(Message, tag="got", frozen=True, kw_only=True):
    """Confirm that a frame has arrived, so that the server may send the next one."""

    frame: Int64


# ---- a class


class OpenWorld(Request, tag="open_world", frozen=True, kw_only=True):
    """Open another world or exercise (supervisor). → `done`"""

    world: Name = ""  # a shipped world, or a file in the class folder; empty: the world of the exercise
    exercise: Name = ""  # an exercise of the class, or a shipped one; empty: none
    seed: Seed | None = None  # None: the current seed


class Release(Request, tag="release", frozen=True, kw_only=True):
    """Release a client from the lock and stop its robots (supervisor). → `done`"""

    client: Name  # a client, or a student (all connections of the student)


class Disconnect(Request, tag="disconnect", frozen=True, kw_only=True):
    """Close the connections of a client, which may connect again (supervisor). → `done`"""

    client: Name  # a client, or a student (all connections of the student)


class LockOut(Request, tag="lock_out", frozen=True, kw_only=True):
    """Lock a student out of the class, or let the student in again (supervisor). → `done`"""

    student: Name
    on: bool = True


class SetHeat(Request, tag="set_heat", frozen=True, kw_only=True):
    """Move all robots to their starts and hold them, give the start signal, or end the heat (supervisor). → `done`"""

    action: Name  # prepare, start or stop


class Submit(Request, tag="submit", frozen=True, kw_only=True):
    """Submit a file for an exercise. → `receipt`"""

    exercise: Name = ""  # empty: the current exercise
    file: Name  # name of the file, without folders
    data: bytes


class AskExercise(Request, tag="ask_exercise", frozen=True, kw_only=True):
    """Request the current exercise: its text, its starter code, and the submissions. → `exercise_text`"""


class ProgramEnded(Message, tag="program_ended", frozen=True, kw_only=True):
    """Report that the program that drives has ended; the last message of a connection. It is not answered."""

    text: Prose = ""  # the error that ended it; empty: it finished normally
    place: Line = ""  # location of the error, such as `drive.py line 4`


REQUESTS: dict[str, type[Message]] = by_type(
    (
        *(Hello, LookRequest, Claim, Spawn, Leave, Enable, PollOnly, Step, Sense, Read, Subscribe, Unsubscribe),
        *(Frames, Recall, Lock, Play, Pause, Advance, SetSpeed, Reset, RunAgain, SetPose, Digest, TakeSnapshot),
        *(Restore, Steer, Got, SendGoal, Shown, GoalAnswer, Seek, GoLive),
        *(OpenWorld, Release, Disconnect, LockOut, SetHeat, Submit, AskExercise, ProgramEnded),
    )
)
