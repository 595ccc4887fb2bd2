"""Submissions: submit a student's file over the network and get a receipt."""

from __future__ import annotations

from pathlib import Path

from paddock.core.errors import BadMessage, PaddockError
from paddock.core.user_code import check_file, check_program
from paddock.network.client.dialogue import Dialogue
from paddock.network.client.wire import WebSocketWire, choose_token, parse_address
from paddock.network.protocol import MINOR, VERSION
from paddock.network.protocol import messages as m
from paddock.network.protocol.message_base import LONGEST_NAME

TIMEOUT = 30.0  # [s] without an answer


def submit_file(link: str, file: str | Path, *, exercise: str = "") -> m.ReceiptAnswer:
    """Submit a file. A program of the same student that is already connected is not affected.

    Args:
        link: the student's join link.
        file: a Python file.
        exercise: name of the exercise; empty for the current exercise of the class.
    """
    path = Path(file)
    data = read_program(path)
    url, token = parse_address(link)
    token = choose_token(token)
    wire = WebSocketWire(url, TIMEOUT)
    try:
        dialogue = Dialogue(wire, lambda message: None)
        hello = m.Hello(id=1, version=VERSION, minor=MINOR, token=token)
        dialogue.ask(hello)
        dialogue.answer(hello)
        request = m.Submit(id=2, exercise=exercise, file=path.name[-LONGEST_NAME:], data=data)
        dialogue.ask(request)
        receipt = dialogue.answer(request)
    finally:
        wire.close()
    if not isinstance(receipt, m.ReceiptAnswer):
        raise BadMessage(f"{url}: expected a receipt, got {receipt.type!r}")
    return receipt


def read_program(path: Path) -> bytes:
    """Return the content of a Python file. Raise an error if it is not one, before anything is sent."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror}") from None
    check_file(path, str(path))
    check_program(data, str(path))
    return data
