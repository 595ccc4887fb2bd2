"""Answers and notifications of a class: students, exercise, heats and receipts of submissions."""

from __future__ import annotations

from paddock.network.protocol.message_base import Finite, Int64, Message, MessagePart, Table, Text, check_table


class StudentState(MessagePart, frozen=True, kw_only=True):
    """State of a student of the class, for its supervisor."""

    name: Text  # full name
    robot: Text  # the student's robot
    state: Text  # `away`, `connected`, `silent`, `crashed`, `finished` or `locked-out`
    since: Finite = 0.0  # start of this state, in seconds since 1970
    detail: Text = ""  # location and error of a crash
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


class WorldNews(Message, tag="world", frozen=True, kw_only=True):
    """The world has changed. `robots` and `clock` follow. Request the scene with `look`."""

    world: Table  # the world's spec, without robots
    dt: Finite  # length of a tick [s]; it never changes
    exercise: Text = ""  # current exercise; empty: none
    title: Text = ""  # title of the exercise, or of the world
    shows: Text = "all"  # visible part of the world: `all`, `own` or `nothing`

    def __post_init__(self) -> None:
        check_table(self.world, "world.world")


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


CLASS_ANSWERS: tuple[type[Message], ...] = (ClassState, WorldNews, HeatState, ReceiptAnswer, ExerciseText)
