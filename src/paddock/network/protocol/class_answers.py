"""Answers and notifications of a class: students, exercise, heats and receipts of submissions."""

from __future__ import annotations

from paddock.network.protocol.message_base import Finite, Int64, Message, MessagePart, Table, Text, check_table


class StudentState(MessagePart, frozen=True, kw_only=True):
    """State of a student of the class, for its supervisor."""

    name: Text  # full name
    robot: Text
    state: Text  # away, connected, silent, crashed, finished or locked-out
    since: Finite = 0.0  # start of this state, in seconds since 1970
    detail: Text = ""  # location and error of a crash
    score: Finite | None = None  # in the current run or heat, as on the scoreboard
    best: Finite | None = None  # best score in all runs of this lesson
    place: Int64 = 0  # rank on the scoreboard, from 1; 0: none
    fouls: Int64 = 0
    connections: Int64 = 0
    submissions: Int64 = 0  # for the current exercise
    submitted: Text = ""  # time of the last submission, as ISO 8601
    late: bool = False  # whether the last submission was late
    cpu_share: Finite = 0.0  # share of the server's CPU time, 0 … 1
    in_lock: bool = False  # whether the clock waits for it


class SubmissionData(MessagePart, frozen=True, kw_only=True):
    """A submission of a student."""

    number: Int64  # counted from 1 for each student and exercise
    time: Text  # of the submission, as ISO 8601
    file: Text  # name of the file
    sha256: Text
    late: bool = False  # whether it arrived after the due date


class ClassState(Message, tag="class", frozen=True, kw_only=True):
    """State of the class; sent to supervisors when it changes, at most twice a second."""

    title: Text
    exercise: Text = ""  # current exercise; empty: none
    world: Text = ""  # current world
    now: Finite = 0.0  # seconds since 1970
    students: tuple[StudentState, ...] = ()
    log: tuple[Text, ...] = ()  # last lines, the newest last
    worlds: tuple[Text, ...] = ()  # that `open_world` accepts
    exercises: tuple[Text, ...] = ()


class WorldNews(Message, tag="world", frozen=True, kw_only=True):
    """The world has changed; `robots` and `clock` follow. Request the scene with `look`."""

    world: Table  # the world's spec, without robots
    dt: Finite
    exercise: Text = ""
    title: Text = ""  # of the exercise, or of the world
    shows: Text = "all"  # visible part of the world: all, own or nothing

    def __post_init__(self) -> None:
        check_table(self.world, "world.world")


class HeatState(Message, tag="heat", frozen=True, kw_only=True):
    """State of the heat; sent when it changes, and once a second during the countdown and the heat."""

    state: Text  # none, prepared, countdown, running or finished
    number: Int64 = 0  # of the heat, from 1
    seconds_left: Finite | None = (
        None  # time to the start signal [s]; of a running heat its simulated time left [s]; None: no limit
    )
    text: Text = ""  # why it ended, or the winner
    waits: bool = False  # whether the client's robot came too late: it takes part after the heat


class ReceiptAnswer(Message, tag="receipt", frozen=True, kw_only=True):
    """Confirmation of a submission."""

    id: Int64
    number: Int64  # counted from 1 for each student and exercise
    time: Text  # of the submission, as ISO 8601
    sha256: Text  # of the received file
    text: Text = ""  # for display
    late: bool = False  # whether it arrived after the due date


class ExerciseText(Message, tag="exercise_text", frozen=True, kw_only=True):
    """The current exercise, and the submissions of the client."""

    id: Int64
    name: Text = ""  # empty: no exercise
    title: Text = ""
    text: Text = ""  # Markdown
    starter: Text = ""  # starter code, a Python file
    devices: tuple[Text, ...] | None = None  # allowed devices; None: all
    submissions: tuple[SubmissionData, ...] = ()  # of the client, the newest last
    due: Text = ""  # as ISO 8601; later submissions are marked late; empty: no due date


CLASS_ANSWERS: tuple[type[Message], ...] = (ClassState, WorldNews, HeatState, ReceiptAnswer, ExerciseText)
