"""Answers and news: what the server sends. What has no `id` is news that nobody has to answer."""

from __future__ import annotations

from msgspec import field

from paddock.protocol.base import Finite, Int64, Key, Message, Numbers, Prose, Table, Text, by_type, check_table
from paddock.protocol.class_answers import CLASS_ANSWERS
from paddock.protocol.parts import (
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
    """The answer to `hello`; `robots` and `clock` follow."""

    id: Int64
    version: Int64
    server: Text
    client: Text  # the name that you got
    role: Text  # viewer, controller or supervisor
    world: Table  # its spec, without robots
    dt: Finite
    lock_step: bool  # whether clients are expected to join the lock
    minor: Int64 = 0  # the server's
    real: bool = False  # whether its robots are: time passes by itself, and their poses are measured
    title: Text = ""  # of the class; empty: there is none
    exercise: Text = ""  # the present one; empty: none
    shows: Text = "all"  # what you are shown: all, own or nothing
    waits: Text = ""  # why your robot cannot be driven until a `heat` comes that says otherwise

    def __post_init__(self) -> None:
        check_table(self.world, "welcome.world")


class SceneData(Message, tag="scene", frozen=True, kw_only=True):
    """What there is to draw."""

    id: Int64
    title: Text
    bounds: tuple[Finite, Finite, Finite, Finite]
    floor: bytes  # a PNG file that fills `floor_bounds`
    floor_bounds: tuple[Finite, Finite, Finite, Finite]
    solids: tuple[SolidShape, ...]
    marks: tuple[Mark, ...] = ()


class Done(Message, tag="done", frozen=True, kw_only=True):
    """It was done."""

    id: Int64


class Answer(Message, tag="answer", frozen=True, kw_only=True):
    """A value that was asked for."""

    id: Int64
    value: Text | Int64


class Refusal(Message, tag="refused", frozen=True, kw_only=True):
    """It was not done, and nothing changed; `error` is the error's class, `message` tells why."""

    error: Text
    message: Prose
    id: Int64 | None = None


class Observed(Message, tag="observed", frozen=True, kw_only=True):
    """What the enabled devices of one's robots saw at a tick."""

    id: Int64
    tick: Int64
    robots: dict[Key, RobotReadings]


class Reading(Message, tag="reading", frozen=True, kw_only=True):
    """One device."""

    id: Int64
    tick: Int64
    values: Numbers | None = None
    picture: PictureData | None = None


class Sensed(Message, tag="sensed", frozen=True, kw_only=True):
    """What was subscribed to."""

    robot: Text
    tick: Int64
    seen: RobotReadings
    stream: Text = ""


class FrameData(Message, tag="frame", frozen=True, kw_only=True):
    """Where all robots are and which of their lamps are on, in the order of `robots`, see `frames.py`."""

    frame: Int64  # its number, for `got`
    tick: Int64
    bodies: bytes
    lamps: bytes = b""  # a bit per lamp, equally many bytes for each robot; none if all are dark


class ClockState(Message, tag="clock", frozen=True, kw_only=True):
    """How time goes; sent when that changes."""

    tick: Int64
    seed: Int64 | None = None  # None: you are a student, who could compute from it what an exercise hides
    running: bool
    speed: Finite  # 0 for flat out
    lock: tuple[Text, ...] = ()  # the clients in the lock


class RobotList(Message, tag="robots", frozen=True, kw_only=True):
    """All robots and the specs of their kinds; sent when that changes."""

    kinds: tuple[Table, ...]
    robots: tuple[RobotInfo, ...]

    def __post_init__(self) -> None:
        for i, kind in enumerate(self.kinds):
            check_table(kind, f"robots.kinds[{i}]")


class Released(Message, tag="released", frozen=True, kw_only=True):
    """Someone did not answer in time and no longer holds the clock; their robots were stopped."""

    client: Text
    robots: tuple[Text, ...]
    reason: Text


class EventNews(Message, tag="event", frozen=True, kw_only=True):
    """Someone intervened: reset, paused, moved a robot, took one over. Sent to those whose `hello` asked for it."""

    kind: Text
    text: Text  # who did what, for people
    tick: Int64
    robot: Text | None = None


class History(Message, tag="history", frozen=True, kw_only=True):
    """Samples since the last reset, at equal intervals of simulated time."""

    id: Int64
    ticks: Numbers  # of the samples
    paths: bytes = b""  # float32 x, y [m] of every robot at every sample; NaN where it was not there or was teleported
    wheels: Numbers | None = None  # of the named robot: speeds left, right [m/s] at every sample
    readings: dict[Key, Numbers] = field(default_factory=dict)  # … and of its devices; of a scan the least value


class RunStatus(Message, tag="run", frozen=True, kw_only=True):
    """How the run of a program beside the server is; sent when that changes."""

    state: Text  # running, ended or failed
    reason: Prose = ""  # why it ended
    again: bool = False  # whether `run_again` starts it again
    intervention: Prose = ""  # the first act of a person that makes the run not repeatable; empty for none


class Timeline(Message, tag="timeline", frozen=True, kw_only=True):
    """That a recording is replayed; sent when that changes. Its ticks are the clock's plus `offset`."""

    first: Int64  # ticks of the recording
    last: Int64
    offset: Int64 = 0
    live: bool = False  # it is replayed no more: robots do what they are told
    name: Text = ""  # of its file
    marks: tuple[TimelineMark, ...] = ()


class MapNews(Message, tag="map", frozen=True, kw_only=True):
    """The map of a robot's own program; to those who get frames and subscribe to the robot."""

    robot: Text
    map: MapData | None = None  # None: there is none any more


class Asked(Message, tag="asked", frozen=True, kw_only=True):
    """Someone looks at a robot that you drive: `show` what your program knows. To those whose `hello` has `shows`."""

    robot: Text
    cells: bool = False  # whether the cells of its map are wanted, too


class GoalNews(Message, tag="goal", frozen=True, kw_only=True):
    """Someone sends a robot that you drive to a place; answer with `goal_answer`."""

    robot: Text
    x: Finite
    y: Finite
    number: Int64  # for the answer


class Scores(Message, tag="scores", frozen=True, kw_only=True):
    """The scoreboard."""

    scores: tuple[Score, ...]
    label: Text = ""  # what is counted
    unit: Text = ""
    error: Text = ""  # why there are no more scores
    lower_is_better: bool = False


class OrderStates(Message, tag="orders", frozen=True, kw_only=True):
    """How the robots are that take orders; twice a second to those who get frames."""

    robots: tuple[OrderState, ...]


ANSWERS: dict[str, type[Message]] = by_type(
    (
        *(Welcome, SceneData, Done, Answer, Refusal, Observed, Reading),
        *(Sensed, FrameData, ClockState, RobotList, Released, EventNews, History, RunStatus, Scores, OrderStates),
        *(MapNews, Asked, GoalNews, Timeline),
        *CLASS_ANSWERS,
    )
)
