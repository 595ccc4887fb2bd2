"""Answers and news of a class: its students, its exercise, its heats, receipts of what was handed in."""

from __future__ import annotations

from paddock.protocol.base import Finite, Int64, Message, MessagePart, Table, Text, check_table


class StudentState(MessagePart, frozen=True, kw_only=True):
    """How a student of the class is, for its supervisor."""

    name: Text  # as people write it
    robot: Text
    state: Text  # away, connected, silent, crashed, finished or locked-out
    since: Finite = 0.0  # when that began, in seconds since 1970
    detail: Text = ""  # of a crash: place and error
    score: Finite | None = None  # of the present run or heat, as on the scoreboard
    best: Finite | None = None  # that the student has reached so far
    place: Int64 = 0  # on the scoreboard, from 1; 0: none
    fouls: Int64 = 0
    connections: Int64 = 0
    submissions: Int64 = 0  # for the present exercise
    submitted: Text = ""  # when the last of them came, as ISO 8601
    late: bool = False  # whether that was after it was due
    cpu_share: Finite = 0.0  # of the server's time that goes to it, 0 … 1
    in_lock: bool = False  # time waits for it


class SubmissionData(MessagePart, frozen=True, kw_only=True):
    """What a student has handed in."""

    number: Int64  # counted from 1 for each student and exercise
    time: Text  # when, as ISO 8601
    file: Text  # its name
    sha256: Text
    late: bool = False  # whether it came after it was due


class ClassState(Message, tag="class", frozen=True, kw_only=True):
    """How the class is; to supervisors, when that changes, at most twice a second."""

    title: Text
    exercise: Text = ""  # the present one; empty: none
    world: Text = ""  # the present one
    now: Finite = 0.0  # seconds since 1970
    students: tuple[StudentState, ...] = ()
    log: tuple[Text, ...] = ()  # the last lines, the newest last
    worlds: tuple[Text, ...] = ()  # that `open_world` takes
    exercises: tuple[Text, ...] = ()


class WorldNews(Message, tag="world", frozen=True, kw_only=True):
    """The world is another one from now on; `robots` and `clock` follow. Ask for its scene with `look`."""

    world: Table  # its spec, without robots
    dt: Finite
    exercise: Text = ""
    title: Text = ""  # of the exercise
    shows: Text = "all"  # what you are shown: all, own or nothing

    def __post_init__(self) -> None:
        check_table(self.world, "world.world")


class HeatState(Message, tag="heat", frozen=True, kw_only=True):
    """How the heat is; sent when that changes, and once a second while it counts down or runs."""

    state: Text  # none, prepared, countdown, running or finished
    number: Int64 = 0  # of the heat, from 1
    seconds_left: Finite | None = (
        None  # to the start signal [s]; of a running heat its simulated time left; None: no end
    )
    text: Text = ""  # why it ended, or who won
    waits: bool = False  # whether your robot came too late: it waits outside until the heat is over


class ReceiptAnswer(Message, tag="receipt", frozen=True, kw_only=True):
    """That a file was handed in."""

    id: Int64
    number: Int64  # counted from 1 for each student and exercise
    time: Text  # when, as ISO 8601
    sha256: Text  # of what arrived
    text: Text = ""  # for people
    late: bool = False  # whether it came after it was due


class ExerciseText(Message, tag="exercise_text", frozen=True, kw_only=True):
    """The present exercise, and what you have handed in."""

    id: Int64
    name: Text = ""  # empty: there is none
    title: Text = ""
    text: Text = ""  # Markdown
    starter: Text = ""  # a Python file to begin with
    devices: tuple[Text, ...] | None = None  # that may be used; None: all
    submissions: tuple[SubmissionData, ...] = ()  # your own, the newest last
    due: Text = ""  # as ISO 8601; what comes later is marked late; empty: no due date


CLASS_ANSWERS: tuple[type[Message], ...] = (ClassState, WorldNews, HeatState, ReceiptAnswer, ExerciseText)
