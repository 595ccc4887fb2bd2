"""Requests of a class: what its supervisor changes, what students hand in, how programs end."""

from __future__ import annotations

from paddock.protocol.base import Line, Message, Name, Prose, Request, Seed


class OpenWorld(Request, tag="open_world", frozen=True, kw_only=True):
    """Go on in another world, or with another exercise (supervisor). → `done`"""

    world: Name = ""  # a shipped one, or a file of the class; empty: that of the exercise
    exercise: Name = ""  # of the class, or a shipped one; empty: none
    seed: Seed | None = None  # None: as before


class Release(Request, tag="release", frozen=True, kw_only=True):
    """Time waits no longer for someone, and their robots stop (supervisor). → `done`"""

    client: Name  # a client, or a student: all connections


class Disconnect(Request, tag="disconnect", frozen=True, kw_only=True):
    """Close someone's connections; they may come again (supervisor). → `done`"""

    client: Name  # a client, or a student: all connections


class LockOut(Request, tag="lock_out", frozen=True, kw_only=True):
    """Do not let a student in until further notice, or let them in again (supervisor). → `done`"""

    student: Name
    on: bool = True


class SetHeat(Request, tag="set_heat", frozen=True, kw_only=True):
    """Seat all robots and hold them, give the start signal, or end the heat (supervisor). → `done`"""

    action: Name  # prepare, start or stop


class Submit(Request, tag="submit", frozen=True, kw_only=True):
    """Hand in a file for an exercise. → `receipt`"""

    exercise: Name = ""  # empty: the present one
    file: Name  # its name, without folders
    data: bytes


class AskExercise(Request, tag="ask_exercise", frozen=True, kw_only=True):
    """Ask for the present exercise: its text, its starter code, what one has handed in. → `exercise_text`"""


class ProgramEnded(Message, tag="program_ended", frozen=True, kw_only=True):
    """The program that drives has ended; the last message of a connection. It is not answered."""

    text: Prose = ""  # the error that ended it; empty: it has finished
    place: Line = ""  # of the error, such as `drive.py line 4`


CLASS_REQUESTS: tuple[type[Message], ...] = (
    *(OpenWorld, Release, Disconnect, LockOut, SetHeat),
    *(Submit, AskExercise, ProgramEnded),
)
