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
    Ticks,
    TimeoutSeconds,
    Token,
    TomlTable,
    by_type,
    check_table,
)
from paddock.network.protocol.parts import MapData

Commands = Annotated[dict[Key, Command], Meta(max_length=MAX_ENTRIES)]
Devices = Annotated[tuple[Name, ...], Meta(max_length=MAX_ENTRIES)]


class Hello(Request, tag="hello", frozen=True, kw_only=True):
    """The first message of a connection. → `welcome`"""

    version: Int64  # version of this protocol that the client implements
    name: Name = ""  # name that others see; a number is appended if it is taken; the name of the token takes precedence
    token: Token = ""  # the part of the join link after `#token=`; may be empty on the server's own machine
    minor: Int64 = 0  # your minor version; see Versions
    events: bool = False  # whether to receive `event`
    shows: bool = False  # whether to receive `show_request` and `goal_request`
    copy: Name = ""  # the private copy of the world to enter; empty: the shared arena, or your own copy in a class


class GetScene(Request, tag="get_scene", frozen=True, kw_only=True):
    """Request the scene: all that is drawn except the robots. → `scene`"""


class Claim(Request, tag="claim", frozen=True, kw_only=True):
    """Take ownership of a robot (controller). Refused if another client drives it. → `done`"""

    robot: Name
    force: bool = False  # take it from the client that drives it (supervisor)


class Spawn(Request, tag="spawn", frozen=True, kw_only=True):
    """Add a robot to the world and claim it (controller). → `done`"""

    robot: Name  # a name that is not in use: letters, digits, `-` and `_`
    kind: Annotated[str, Meta(max_length=LONGEST_NAME)] | TomlTable  # a shipped robot, or your own TOML file as a map
    at: tuple[Finite, Finite] | None = None  # x, y [m]; None: any free position
    heading: Finite = 0.0  # [rad]
    color: Colour | None = None  # `#rrggbb` or an English name; None: the colour in the spec
    stays: bool = False  # it belongs to nobody and stays when you leave (supervisor)

    def __post_init__(self) -> None:
        if type(self.kind) is dict:
            check_table(self.kind, "spawn.kind")


class Remove(Request, tag="remove", frozen=True, kw_only=True):
    """Remove a robot from the world (supervisor). Robots of students cannot be removed. → `done`"""

    robot: Name


class ReleaseRobot(Request, tag="release_robot", frozen=True, kw_only=True):
    """Give up ownership of a robot (controller). It stops; a spawned robot is removed. → `done`"""

    robot: Name  # one of yours


class Enable(Request, tag="enable", frozen=True, kw_only=True):
    """Select the devices of a robot that `observed` contains. Each client has its own selection. → `done`"""

    robot: Name  # a robot that you may read
    devices: Devices = ()  # names of devices; empty: all
    on: bool = True  # true: enable; false: disable


class PollOnly(Request, tag="poll_only", frozen=True, kw_only=True):
    """Compute a range sensor only when `read` requests it, or end this mode. Refused for other kinds. → `done`"""

    robot: Name
    device: Name  # a range sensor: proximity, sonar or laser
    on: bool = True  # false: part of `observed` again


class Step(Request, tag="step", frozen=True, kw_only=True):
    """Apply commands, let ticks pass, and request the readings of the enabled devices (controller). In the lock this is
    the acknowledgement of the current tick. → `observed`, when the ticks have passed"""

    ticks: Ticks = 1  # number of ticks; 0 is answered immediately
    commands: Commands = field(default_factory=dict)  # by robot; applied before the ticks


class Sense(Request, tag="sense", frozen=True, kw_only=True):
    """Request the current readings of the enabled devices of a robot. No time passes. → `observed`"""

    robot: Name  # a robot that you may read
    commands: Commands = field(default_factory=dict)  # by robot; applied first


class Read(Request, tag="read", frozen=True, kw_only=True):
    """Request the reading of one enabled device, also of a poll-only one. → `reading`"""

    robot: Name
    device: Name
    raw: bool = False  # in raw hardware units; for a camera: the distance [m] of every pixel
    commands: Commands = field(default_factory=dict)  # by robot; applied first


class Subscribe(Request, tag="subscribe", frozen=True, kw_only=True):
    """Subscribe to devices of a robot: the server sends `sensed`, immediately and then once per period of simulated
    time. A new subscription replaces the previous one of the same robot and stream. → `done`"""

    robot: Name
    devices: Devices = ()  # empty: all that are not poll-only
    period: Period = 0.0  # simulated seconds, rounded to ticks; 0: every tick
    jpeg: bool = False  # pictures as JPEG files instead of raw rows
    stream: Name = ""  # a name of your choice, for several subscriptions to a robot


class Unsubscribe(Request, tag="unsubscribe", frozen=True, kw_only=True):
    """End a subscription. → `done`"""

    robot: Name
    stream: Name = ""  # as in `subscribe`


class Frames(Request, tag="frames", frozen=True, kw_only=True):
    """Request the poses of all robots as `frame`. The next one is sent after you have sent `frame_ack`. → `done`"""

    rate: Rate  # maximum number of frames per second; 0: stop


class GetHistory(Request, tag="get_history", frozen=True, kw_only=True):
    """Request the history since the last reset: all paths, or wheel speeds and readings of one robot. → `history`"""

    robot: Name = ""  # robot whose readings are requested; empty: the paths of all robots


class Lock(Request, tag="lock", frozen=True, kw_only=True):
    """Join the lock, or leave it (controller). The clock waits until every member has requested a `step`. → `done`"""

    on: bool = True  # false: leave it
    timeout: TimeoutSeconds = 10.0  # maximum time [s] until the next `step` while others wait


class Play(Request, tag="play", frozen=True, kw_only=True):
    """Start the clock (supervisor). → `done`"""


class Pause(Request, tag="pause", frozen=True, kw_only=True):
    """Pause the clock (supervisor). → `done`"""


class Advance(Request, tag="advance", frozen=True, kw_only=True):
    """Advance a paused clock by some ticks (supervisor). The answer is immediate. → `done`"""

    ticks: Ticks = 1


class SetSpeed(Request, tag="set_speed", frozen=True, kw_only=True):
    """Change the speed of the clock (supervisor). → `done`"""

    speed: Speed  # simulated seconds per second, at least 0.01; 0: as fast as possible


class Reset(Request, tag="reset", frozen=True, kw_only=True):
    """Reset the world to its start (supervisor). → `done`"""

    seed: Seed | None = None  # None: the current seed


class RunAgain(Request, tag="run_again", frozen=True, kw_only=True):
    """Restart the run of a program whose run has ended (supervisor); `play` and `reset` then do the same. → `done`"""

    seed: Seed | None = None  # another seed


class Seek(Request, tag="seek", frozen=True, kw_only=True):
    """Go to a tick of the replayed recording (supervisor). Refused once the arena is live. → `done`"""

    tick: Int64  # tick of the recording, or of its nearest end; see `timeline`


class GoLive(Request, tag="go_live", frozen=True, kw_only=True):
    """End a replay at its current tick: from here on robots execute commands (supervisor). → `done`"""


class SetPose(Request, tag="set_pose", frozen=True, kw_only=True):
    """Set the pose of a robot (supervisor). Refused if there is no room. → `done`"""

    robot: Name
    x: Finite  # [m]
    y: Finite  # [m]
    heading: Finite = 0.0  # [rad]


class SendGoal(Request, tag="send_goal", frozen=True, kw_only=True):
    """Send a goal to the program that drives a robot (controller). → `done`, when the program has accepted it"""

    robot: Name
    x: Finite  # [m], in the frame of the program's map
    y: Finite  # [m]


class Digest(Request, tag="digest", frozen=True, kw_only=True):
    """Request a digest of the state (supervisor). Equal digests mean equal states. → `answer`, a text"""


class TakeSnapshot(Request, tag="snapshot", frozen=True, kw_only=True):
    """Store a copy of the current state on the server (supervisor). → `answer`, its number"""


class Restore(Request, tag="restore", frozen=True, kw_only=True):
    """Restore a snapshot of this client (supervisor). → `done`"""

    snapshot: Id  # its number


class SendCommands(Message, tag="command", frozen=True, kw_only=True):
    """Send commands (controller). Not answered: a refusal has no `id`."""

    commands: Commands  # by robot


class Shown(Message, tag="show", frozen=True, kw_only=True):
    """Pose estimate and map of a robot that you drive (controller), in response to `show_request`. Not answered."""

    robot: Name
    pose: tuple[Finite, Finite, Finite] | None = None  # estimated pose: x [m], y [m], heading [rad]
    covariance: Numbers | None = None  # covariance of the pose, nine numbers
    particles: Numbers | None = None  # x, y [m] of some particles, one after the other
    map: MapData | None = None  # the map, with at most 16 million cells
    goals: bool = False  # whether you accept goals for it


class GoalAnswer(Message, tag="goal_answer", frozen=True, kw_only=True):
    """Accept or refuse a `goal` (controller). Not answered."""

    number: Int64  # number of the goal
    refusal: Prose = ""  # reason for a refusal; empty: accepted


class FrameAck(Message, tag="frame_ack", frozen=True, kw_only=True):
    """Confirm that a frame has arrived, so that the server may send the next one. Not answered."""

    frame: Int64  # number of the frame


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

    student: Name  # full name of the student
    on: bool = True  # false: let the student in again


class SetHeat(Request, tag="set_heat", frozen=True, kw_only=True):
    """Move all robots to their starts and hold them, give the start signal, or end the heat (supervisor). → `done`"""

    action: Name  # `prepare`, `start` or `stop`


class Visit(Request, tag="visit", frozen=True, kw_only=True):
    """Move to a private copy of the world, or back to the shared arena (in a class: supervisor). `world`, `robots` and
    `clock` follow. → `done`"""

    copy: Name = ""  # name of the copy: in a class the robot of a student; empty: the shared arena


class Restart(Request, tag="restart", frozen=True, kw_only=True):
    """Restart the private copy of a student, or move the student's robot to a start (supervisor). → `done`"""

    student: Name  # full name of the student


class Park(Request, tag="park", frozen=True, kw_only=True):
    """Stop the private copy of a student, or move the robot aside and ignore its commands (supervisor). → `done`"""

    student: Name  # full name of the student
    on: bool = True  # false: let the student continue


class Tell(Request, tag="tell", frozen=True, kw_only=True):
    """Send a message to a student, or to all students (supervisor). They receive `told`. → `done`"""

    student: Name = ""  # full name of the student; empty: all
    text: Line  # one line


class Submit(Request, tag="submit", frozen=True, kw_only=True):
    """Submit a file for an exercise. → `receipt`"""

    exercise: Name = ""  # empty: the current exercise
    file: Name  # name of the file, without folders
    data: bytes  # content of the file


class AskExercise(Request, tag="ask_exercise", frozen=True, kw_only=True):
    """Request the current exercise: its text, its starter code, and your submissions. → `exercise_text`"""


class ProgramEnded(Message, tag="program_ended", frozen=True, kw_only=True):
    """Report that the program that drives has ended; the last message of a connection. It is not answered."""

    text: Prose = ""  # the error that ended it; empty: it finished normally
    location: Line = ""  # location of the error, such as `drive.py line 4`


REQUESTS: dict[str, type[Message]] = by_type(
    (
        *(
            Hello,
            GetScene,
            Claim,
            Spawn,
            Remove,
            ReleaseRobot,
            Enable,
            PollOnly,
            Step,
            Sense,
            Read,
            Subscribe,
            Unsubscribe,
        ),
        *(Frames, GetHistory, Lock, Play, Pause, Advance, SetSpeed, Reset, RunAgain, SetPose, Digest, TakeSnapshot),
        *(Restore, SendCommands, FrameAck, SendGoal, Shown, GoalAnswer, Seek, GoLive),
        *(
            OpenWorld,
            Release,
            Disconnect,
            LockOut,
            SetHeat,
            Visit,
            Restart,
            Park,
            Tell,
            Submit,
            AskExercise,
            ProgramEnded,
        ),
    )
)
