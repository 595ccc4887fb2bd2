"""Answers and notifications: messages from the server. Messages without an `id` are notifications."""

from __future__ import annotations

from msgspec import field

from paddock.network.protocol.message_base import (
    Finite,
    Int64,
    Key,
    Message,
    MessagePart,
    Numbers,
    Prose,
    Text,
    TomlTable,
    by_type,
    check_table,
)
from paddock.network.protocol.parts import (
    MapData,
    Mark,
    OrderState,
    PictureData,
    RobotInfo,
    RobotReadings,
    Score,
    SolidShape,
    TimelineMark,
)


class Welcome(Message, tag="welcome", frozen=True, kw_only=True):
    """The answer to `hello`. `robots` and `clock` follow."""

    id: Int64
    version: Int64  # protocol version of the server
    server: Text  # name and release of the server
    client: Text  # name assigned to you
    role: Text  # `viewer`, `controller` or `supervisor`
    world: TomlTable  # the world's spec, without robots
    dt: Finite  # length of a tick [s]
    lock_step: bool  # whether the clock runs only while a client is in the lock
    minor: Int64 = 0  # the server's minor version; see Versions
    real: bool = False  # whether its robots are real: the clock is the wall clock, and poses are measured
    title: Text = ""  # title of the served class; empty: no class
    exercise: Text = ""  # current exercise; empty: none
    shows: Text = "all"  # visible part of the world and the robots: `all`, `own` or `nothing`
    waits: Text = ""  # why your robot cannot be driven yet: wait for a `heat` without `waits`; empty: it can
    copy: Text = ""  # the private copy of the world in which you are; empty: the shared arena
    clock: bool = False  # whether you may send `play`, `pause`, `advance`, `set_speed` and `reset`
    robot_types: tuple[Text, ...] = ()  # shipped robots that you may `spawn` without a spec, for supervisors

    def __post_init__(self) -> None:
        check_table(self.world, "welcome.world")


class SceneData(Message, tag="scene", frozen=True, kw_only=True):
    """All that is drawn except the robots. x to the right, y up."""

    id: Int64
    title: Text  # title of the world
    bounds: tuple[Finite, Finite, Finite, Finite]  # left, bottom, right, top [m]
    floor: bytes  # a PNG file
    floor_bounds: tuple[Finite, Finite, Finite, Finite]  # area that the PNG covers, in the same order [m]
    solids: tuple[SolidShape, ...]
    marks: tuple[Mark, ...] = ()
    things: tuple[SolidShape, ...] = ()  # that robots push; corners from the centre of mass


class Done(Message, tag="done", frozen=True, kw_only=True):
    """The request was carried out."""

    id: Int64


class Answer(Message, tag="answer", frozen=True, kw_only=True):
    """The requested value."""

    id: Int64
    value: Text | Int64  # a text or a number, depending on the request


class Refusal(Message, tag="refused", frozen=True, kw_only=True):
    """The request was refused and had no effect."""

    error: Text  # the class of the error
    message: Prose  # the problem, its location, and what is allowed
    id: Int64 | None = None  # None: the refused message had no `id`, or it could not be read


class Observed(Message, tag="observed", frozen=True, kw_only=True):
    """Readings of the enabled devices of your robots at a tick."""

    id: Int64
    tick: Int64
    robots: dict[Key, RobotReadings]  # by name: robots of which you enabled devices, or which you read or commanded


class Reading(Message, tag="reading", frozen=True, kw_only=True):
    """The reading of one device."""

    id: Int64
    tick: Int64
    values: Numbers | None = None  # None for a picture
    picture: PictureData | None = None  # None for numbers


class Sensed(Message, tag="sensed", frozen=True, kw_only=True):
    """Readings of a subscription."""

    robot: Text
    tick: Int64
    seen: RobotReadings
    stream: Text = ""  # as in `subscribe`


class FrameData(Message, tag="frame", frozen=True, kw_only=True):
    """Poses and LEDs of all robots, in the order of the last `robots`, and poses of things, in that of the `scene`."""

    frame: Int64  # number of the frame, for `frame_ack`
    tick: Int64
    bodies: bytes  # 20 bytes per robot, see Bodies
    lamps: bytes = b""  # a bit per LED, see Bodies
    things: bytes = b""  # x, y [m] and heading [rad] of each thing, 4-byte floats, little-endian


class ClockState(Message, tag="clock", frozen=True, kw_only=True):
    """State of the clock. Sent when it changes, and once a second while you wait for a `step`, as a keep-alive."""

    tick: Int64
    seed: Int64 | None = None  # None in a class, except for supervisors: an exercise could hide what follows from it
    running: bool  # false: paused
    speed: Finite  # simulated seconds per second; 0: as fast as possible
    lock: tuple[Text, ...] = ()  # the clients in the lock


class RobotList(Message, tag="robots", frozen=True, kw_only=True):
    """All robots and the specs of their kinds. Sent when they change."""

    kinds: tuple[TomlTable, ...]  # their specs, as in robot files
    robots: tuple[RobotInfo, ...]  # in the order of the frames

    def __post_init__(self) -> None:
        for i, kind in enumerate(self.kinds):
            check_table(kind, f"robots.kinds[{i}]")


class Released(Message, tag="released", frozen=True, kw_only=True):
    """A client was released from the lock because it did not answer in time. Its robots were stopped."""

    client: Text
    robots: tuple[Text, ...]  # the stopped robots
    reason: Text


class EventUpdate(Message, tag="event", frozen=True, kw_only=True):
    """An intervention of another client in the clock or the robots. Sent if your `hello` has `events`."""

    kind: Text  # `teleport`, `reset`, `restore`, `pause`, `resume`, `speed`, `driver`, `goal`, `spawn` or `remove`
    text: Text  # description with the name of the client, for display
    tick: Int64
    robot: Text | None = None  # the robot; None: all robots


class History(Message, tag="history", frozen=True, kw_only=True):
    """Samples since the last reset, at most a few hundred, at equal intervals of simulated time that grow with the run.
    Numbers of more than 16 values are their minimum, and readings are sent only in worlds with few robots."""

    id: Int64
    ticks: Numbers  # ticks of the samples
    paths: bytes = b""  # float32 x, y [m] of all `robots` at every sample; NaN: not there, or teleported
    wheels: Numbers | None = None  # wheel speeds left, right [m/s] of the named robot at every sample
    readings: dict[Key, Numbers] = field(default_factory=dict)  # of its devices, sample after sample


class RunStatus(Message, tag="run", frozen=True, kw_only=True):
    """State of the run of a program that steps the arena itself. Sent after `welcome`, and when it changes."""

    state: Text  # `running`, `ended` or `failed`
    reason: Prose = ""  # why the run ended
    again: bool = False  # whether `run_again` restarts it
    intervention: Prose = ""  # first intervention that makes the run not repeatable; empty: none


class Timeline(Message, tag="timeline", frozen=True, kw_only=True):
    """State of a replay: robots repeat the recorded run. Sent after `welcome`, and when it changes."""

    first: Int64  # first tick of the recording
    last: Int64  # last tick of the recording
    offset: Int64 = 0  # tick of the recording minus that of `clock`; not 0 after the clock was set back
    live: bool = False  # the replay has ended: robots execute commands
    name: Text = ""  # name of its file
    marks: tuple[TimelineMark, ...] = ()
    jumps: Int64 = 0  # number of seeks so far; after one, `get_history` has what precedes the new position


class MapUpdate(Message, tag="map", frozen=True, kw_only=True):
    """The map of a robot's program. Sent to clients with frames and a subscription to it, at most ten times a
    second."""

    robot: Text
    map: MapData | None = None  # None: there is no longer a map, such as after a reset


class ShowRequested(Message, tag="show_request", frozen=True, kw_only=True):
    """A client watches a robot that you drive: answer with `show`. Sent if your `hello` has `shows`."""

    robot: Text
    cells: bool = False  # whether to include the cells of its map


class GoalRequested(Message, tag="goal_request", frozen=True, kw_only=True):
    """A goal for a robot that you drive: answer with `goal_answer`. Sent if your `hello` has `shows`."""

    robot: Text
    x: Finite  # [m], in the frame of your map
    y: Finite  # [m]
    number: Int64  # number of the goal, for the answer


class Scores(Message, tag="scores", frozen=True, kw_only=True):
    """The scoreboard, best first. Sent to clients that receive frames."""

    scores: tuple[Score, ...]
    label: Text = ""  # name of the score
    unit: Text = ""  # unit of the scores
    error: Text = ""  # why there are no more scores
    lower_is_better: bool = False  # whether a lower score is better


class OrderStates(Message, tag="orders", frozen=True, kw_only=True):
    """States of the robots that take orders. Sent twice a second to clients that receive frames."""

    robots: tuple[OrderState, ...]


# ---- a class


class StudentState(MessagePart, frozen=True, kw_only=True):
    """State of a student of the class, for its supervisor."""

    name: Text  # full name
    robot: Text  # the student's robot
    state: Text  # `away`, `connected`, `driving`, `idle`, `stuck`, `silent`, `crashed`, `finished` or `locked-out`
    since: Finite = 0.0  # start of this state, in seconds since 1970
    detail: Text = ""  # location and error of a crash; why the robot is idle or stuck
    score: Finite | None = None  # score in the current run or heat, as on the scoreboard; None: none yet
    best: Finite | None = None  # best score in all runs of this lesson
    place: Int64 = 0  # rank on the scoreboard, from 1; 0: none
    fouls: Int64 = 0  # fouls counted by the referee
    connections: Int64 = 0
    submissions: Int64 = 0  # number of submissions for the current exercise
    submitted: Text = ""  # time of the last submission, as ISO 8601
    late: bool = False  # whether the last submission was late
    cpu_share: Finite = 0.0  # share of the server's CPU time, 0 … 1
    in_lock: bool = False  # whether the clock waits for it
    private: bool = False  # whether the student is in a private copy of the world
    parked: bool = False  # whether a supervisor has parked the robot


class SubmissionData(MessagePart, frozen=True, kw_only=True):
    """A submission of a student."""

    number: Int64  # counted from 1 for each student and exercise
    time: Text  # time of the submission, as ISO 8601
    file: Text  # name of the file
    sha256: Text  # SHA-256 of the received file
    late: bool = False  # whether it arrived after the due date


class ClassState(Message, tag="class", frozen=True, kw_only=True):
    """State of the class. Sent to supervisors when it changes, at most twice a second."""

    title: Text  # title of the class
    exercise: Text = ""  # current exercise; empty: none
    world: Text = ""  # current world
    now: Finite = 0.0  # current time, in seconds since 1970
    students: tuple[StudentState, ...] = ()  # in the order of the class list
    log: tuple[Text, ...] = ()  # last lines of the log, the newest last
    worlds: tuple[Text, ...] = ()  # worlds that `open_world` accepts
    exercises: tuple[Text, ...] = ()  # exercises that `open_world` accepts


class WorldUpdate(Message, tag="world", frozen=True, kw_only=True):
    """The world has changed, or you were moved to another copy of it. `robots` and `clock` follow. Request the scene
    with `get_scene`."""

    world: TomlTable  # the world's spec, without robots
    dt: Finite  # length of a tick [s]; it never changes
    exercise: Text = ""  # current exercise; empty: none
    title: Text = ""  # title of the exercise, or of the world
    shows: Text = "all"  # visible part of the world: `all`, `own` or `nothing`
    copy: Text = ""  # the private copy of the world in which you are now; empty: the shared arena
    clock: bool = False  # whether you may control its clock

    def __post_init__(self) -> None:
        check_table(self.world, "world.world")


class Told(Message, tag="told", frozen=True, kw_only=True):
    """A message from a supervisor to you."""

    text: Text  # for display
    sender: Text = ""  # name of the supervisor's client


class HeatState(Message, tag="heat", frozen=True, kw_only=True):
    """State of the heat. Sent when it changes, and once a second during the countdown and the heat."""

    state: Text  # `none`, `prepared`, `countdown`, `running` or `finished`
    number: Int64 = 0  # number of the heat, from 1
    seconds_left: Finite | None = None  # time to the start signal, or simulated time left; None: no limit
    text: Text = ""  # why it ended, or the winner
    waits: bool = False  # whether your robot came too late: it takes part after the heat


class ReceiptAnswer(Message, tag="receipt", frozen=True, kw_only=True):
    """Confirmation of a submission."""

    id: Int64
    number: Int64  # counted from 1 for each student and exercise
    time: Text  # time of the submission, as ISO 8601
    sha256: Text  # SHA-256 of the received file
    text: Text = ""  # the receipt as text, for display
    late: bool = False  # whether it arrived after the due date


class ExerciseText(Message, tag="exercise_text", frozen=True, kw_only=True):
    """The current exercise, and your submissions."""

    id: Int64
    name: Text = ""  # empty: no exercise
    title: Text = ""  # title, for display
    text: Text = ""  # Markdown
    starter: Text = ""  # starter code, a Python file
    devices: tuple[Text, ...] | None = None  # allowed devices; None: all
    submissions: tuple[SubmissionData, ...] = ()  # your submissions, the newest last
    due: Text = ""  # due date as ISO 8601; later submissions are marked late; empty: no due date


ANSWERS: dict[str, type[Message]] = by_type(
    (
        *(Welcome, SceneData, Done, Answer, Refusal, Observed, Reading),
        *(Sensed, FrameData, ClockState, RobotList, Released, EventUpdate, History, RunStatus, Scores, OrderStates),
        *(MapUpdate, ShowRequested, GoalRequested, Timeline),
        *(ClassState, WorldUpdate, Told, HeatState, ReceiptAnswer, ExerciseText),
    )
)
