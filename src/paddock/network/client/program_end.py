"""The last message of a program to its server: that it has finished, or which error ended it and where."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import sys
import weakref
from typing import TYPE_CHECKING

from paddock.core.errors import LinkError
from paddock.core.user_code import error_location, explain_error
from paddock.network.protocol import messages as m

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena

LONGEST_TEXT, LONGEST_PLACE = 2000, 200  # characters
SINCE_MINOR = 5  # minor protocol version of the server
OPEN: weakref.WeakKeyDictionary[RemoteArena, int] = weakref.WeakKeyDictionary()  # open arenas, with their process ids


def note_open(arena: RemoteArena) -> None:
    """Register a connected arena, so that its server is notified if the program ends without closing it."""
    OPEN[arena] = os.getpid()


def send_program_end(arena: RemoteArena, error: BaseException | None) -> None:
    """Send how the program ended, if the server supports the message and is still connected."""
    OPEN.pop(arena, None)
    if arena.role == "controller" and arena.server_minor >= SINCE_MINOR:
        with contextlib.suppress(LinkError):
            arena.dialogue.wire.send(describe_end(error))


def describe_end(error: BaseException | None) -> m.ProgramEnded:
    """Return the message about an error, or about a normal end."""
    if error is None or isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
        return m.ProgramEnded()
    text = explain_error(error)[:LONGEST_TEXT]
    place = re.sub(r".*[/\\]", "", error_location(error) or "")  # without folders, for privacy
    return m.ProgramEnded(
        text=text, location="".join(letter for letter in place if letter.isprintable())[-LONGEST_PLACE:]
    )


@atexit.register
def close_all() -> None:
    """Close all open arenas at exit. Report the exception that Python has stored, if any."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    for arena, process in list(OPEN.items()):
        if process == os.getpid():  # a forked process must not report for its parent
            send_program_end(arena, error)
            arena.closed = True
            arena.close()
