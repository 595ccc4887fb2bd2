"""Submissions: a student hands in a file over the network, and gets a receipt."""

from __future__ import annotations

from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.links import connect
from paddock.links.remote import RemoteArena
from paddock.protocol import messages as m


def submit_file(link: str, file: str | Path, *, exercise: str = "") -> m.ReceiptAnswer:
    """Hand in a file.

    Args:
        link: the student's join link.
        file: a Python file.
        exercise: for which; empty: the one that the class is at.
    """
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        compile(data, path.name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise PaddockError(f"{path}{line}: this is no Python program: {error.args[0]}; nothing was submitted") from None
    with connect(link, lock_step=False) as arena:
        if not isinstance(arena, RemoteArena):
            raise PaddockError(f"{link}: expected a join link, such as http://host:8642/#token=…")
        request = m.Submit(id=arena.number(), exercise=exercise, file=path.name, data=data)
        return arena.ask(request, m.ReceiptAnswer)
