"""What a program tells a server when it ends: that it has finished, or what ended it and where."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import sys
import weakref
from typing import TYPE_CHECKING

from paddock.core.errors import LinkError
from paddock.core.places import error_location, problem_of
from paddock.protocol import messages as m

if TYPE_CHECKING:
    from paddock.links.remote import RemoteArena

LONGEST_TEXT, LONGEST_PLACE = 2000, 200  # letters
SINCE_MINOR = 5  # of the server
OPEN: weakref.WeakKeyDictionary[RemoteArena, int] = weakref.WeakKeyDictionary()  # not closed yet, with their process


def note_open(arena: RemoteArena) -> None:
    """An arena is connected: should the program end without closing it, this is told."""
    OPEN[arena] = os.getpid()


def tell_end(arena: RemoteArena, error: BaseException | None) -> None:
    """Tell how the program ended, if the server wants to know and can still be told."""
    OPEN.pop(arena, None)
    if arena.role == "controller" and arena.server_minor >= SINCE_MINOR:
        with contextlib.suppress(LinkError):
            arena.dialogue.wire.send(describe_end(error))


def describe_end(error: BaseException | None) -> m.ProgramEnded:
    """The message about an error, or about none."""
    if error is None or isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
        return m.ProgramEnded()
    text = problem_of(error)[:LONGEST_TEXT]
    place = re.sub(r".*[/\\]", "", error_location(error) or "")  # without folders: they are nobody's business
    return m.ProgramEnded(text=text, place="".join(letter for letter in place if letter.isprintable())[-LONGEST_PLACE:])


@atexit.register
def close_all() -> None:
    """A program ends without having closed its arenas; what ended it, Python has noted."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    for arena, process in list(OPEN.items()):
        if process == os.getpid():  # one that was forked does not speak for its parent
            tell_end(arena, error)
            arena.closed = True
            arena.close()
