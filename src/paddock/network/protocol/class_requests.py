"""Requests of a class: changes by its supervisor, submissions, and ends of programs."""

from __future__ import annotations

from paddock.network.protocol.message_base import Line, Message, Name, Prose, Request, Seed


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
    place: Line = ""  # location of the error, such as `drive.py line 4`


CLASS_REQUESTS: tuple[type[Message], ...] = (
    *(OpenWorld, Release, Disconnect, LockOut, SetHeat),
    *(Submit, AskExercise, ProgramEnded),
)
