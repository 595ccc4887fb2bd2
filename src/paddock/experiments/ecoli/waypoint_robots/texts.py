"""Orders and replies as texts: a letter and numbers, in centimetres, radians and counts, as sent on the line."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from paddock.core.errors import BadMessage, PaddockError
from paddock.core.reason import explain

CM = 0.01  # [m]
NUMBER_LENGTH = 19  # maximum number of characters of a number that a robot of 2012 reads
FARTHEST = 100_000.0  # [cm], maximum coordinate of a checked order
STOPS_AT, UNKNOWN = "STOPS_AT", "UNKNOWN ORDER"
ACCEPTED, WORKING, BUSY, REPEAT, REFUSED, NO_SESSION = "ACCEPTED", "WORKING", "BUSY", "REPEAT", "REFUSED", "NO_SESSION"

ARGUMENTS: Mapping[str, int] = MappingProxyType(
    {"i": 0, "P": 2, "A": 1, "N": 1, "G": 2, "O": 2, "S": 0, "D": 0, "T": 0, "U": 0, "X": 0, "a": 1, "b": 1, "c": 2}
)
"""The published orders, and the number of arguments of each."""
OUR_ARGUMENTS: Mapping[str, int] = MappingProxyType({"q": 0, "w": 2, "e": 1, "l": 1})
"""Our own orders for checked mode only.

Read the state; set wheel speeds [steps/s] and read the state; read the n-th detection, or with 0 the sensors now; set
the sensitivity of the proximity sensors to light.
"""
ALL_ARGUMENTS = {**ARGUMENTS, **OUR_ARGUMENTS}
WHOLE = frozenset("Ne")  # orders with integer arguments
RELATIVE = frozenset("bc")  # relative motions, which must never be carried out twice
DRIVING = frozenset("GOabc")  # orders that move the robot and take time

TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        "i": "CONNECTION_ESTABLISHED()",
        "P": "SEND_POSITION({:f},{:f})",
        "A": "SEND_ANGLE({:f})",
        "N": "SEND_NEAR({:d})",
        "G": "GO_TO({:f},{:f})",
        "O": "GO_TO_AVOIDING({:f},{:f})",
        "S": "SEND_STOP()",
        "D": "X:{:f},Y:{:f},ANGLE:{:f}",
        "T": "OVERALL_TIME({:f})",
        "U": "OBSTACLES_DETECTED({:d})",
        "X": "PROX0:{:d}-PROX1:{:d}-PROX7:{:d}-PROX6:{:d}",
        "a": "{:d};{:d};{:d};{:d}",
        "b": "GO_TO_ANGLE({:f}),TIME ELAPSED({:f})",
        "c": "FORWARD, TIME_ELAPSED ({:f})",
        STOPS_AT: "STOPS_AT({:f},{:f})",
        UNKNOWN: "UNKNOWN ORDER, length string is: {:d}",
        # of checked mode
        "K": "CHECKED({:d})",
        "q": "STATE({:f},{:f},{:f};{:d},{:d};" + ",".join(["{:d}"] * 8) + ")",
        "e": "DETECTION({:d};{:f},{:f},{:f};" + ",".join(["{:d}"] * 8) + ";" + ",".join(["{:d}"] * 8) + ")",
        "l": "SEND_LIGHT({:f})",
        ACCEPTED: "ACCEPTED()",
        WORKING: "WORKING()",
        BUSY: "BUSY()",
        REPEAT: "REPEAT()",
        REFUSED: "REFUSED()",
        NO_SESSION: "NO_SESSION()",
    }
)
"""All replies, by the letter of their order or by name."""


class Order(NamedTuple):
    """An order: its letter, and its numbers in the units of the line."""

    letter: str
    numbers: tuple[float, ...] = ()


class Reply(NamedTuple):
    """A reply: the key of its template, and its numbers in the units of the line."""

    kind: str
    numbers: tuple[float, ...] = ()


def write_order(order: Order, *, decimals: int = 0) -> str:
    """Return the text of an order, with up to six decimals, and always a decimal point except for counts.

    On a plain line, a lost byte changes a number. Without decimals a number never becomes a hundred times as large:
    `O20.;95.` without its last point has the same meaning, while `O20.00;95.00` would send the robot 95 m away.

    Args:
        order: the order.
        decimals: minimum number of decimals; the host of 2012 has two.
    """
    takes = ALL_ARGUMENTS.get(order.letter)
    if takes is None or takes != len(order.numbers):
        wanted = "an order of the table" if takes is None else f"{takes} numbers for {order.letter!r}"
        raise PaddockError(f"order {order.letter!r} with {len(order.numbers)} numbers: expected {wanted}")
    if not all(math.isfinite(number) for number in order.numbers):
        raise PaddockError(f"order {order.letter!r}: expected finite numbers, got {order.numbers}")
    if order.letter in WHOLE:
        return order.letter + ";".join(str(round(number)) for number in order.numbers)
    return order.letter + ";".join(_write_number(number, decimals) for number in order.numbers)


def _write_number(number: float, decimals: int) -> str:
    text = f"{number:.6f}".rstrip("0")
    text = "0." if text == "-0." else text
    return text + "0" * max(0, decimals - len(text.partition(".")[2]))


def read_order_loosely(text: str) -> Order | None:
    """Parse an order like a robot of 2012: any non-digit ends a number, and a missing number is 0."""
    letter = text[:1]
    if letter not in ARGUMENTS or not letter:
        return None
    parts = text[1:].split(";")
    takes = ARGUMENTS[letter]
    return Order(letter, tuple(_leading_number(part) for part in (*parts, "", "")[:takes]))


def _leading_number(text: str) -> float:
    found = re.match(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))", text[:NUMBER_LENGTH])
    return float(found[1]) if found else 0.0


STRICT_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{0,6})?")


def read_order(text: str) -> Order:
    """Parse an order of a checked frame. Raise BadMessage if the text is not exactly an order."""
    takes = ALL_ARGUMENTS.get(text[:1])
    parts = text[1:].split(";") if len(text) > 1 else []
    if takes is None or len(parts) != takes or not all(STRICT_NUMBER.fullmatch(part) for part in parts):
        raise BadMessage(explain("expected an order such as 'O39.00;95.00', got {text!r}", text=text))
    numbers = tuple(float(part) for part in parts)
    if any(abs(number) > FARTHEST for number in numbers):
        raise BadMessage(explain("{text!r}: expected numbers up to {most:g}", text=text, most=FARTHEST))
    return Order(text[0], numbers)


def write_reply(kind: str, *numbers: float) -> str:
    """Return the text of a reply, with six decimals, and counts as integers."""
    template = TEMPLATES[kind]
    whole = re.findall(r"\{:([fd])\}", template)
    return template.format(*(round(n) if form == "d" else n + 0.0 for n, form in zip(numbers, whole, strict=True)))


def _pattern(template: str) -> re.Pattern[str]:
    text = re.escape(template)
    return re.compile(
        text.replace(re.escape("{:f}"), r"(-?\d+\.\d{6})").replace(re.escape("{:d}"), r"(-?\d+)"), re.ASCII
    )


_PATTERNS = {kind: _pattern(template) for kind, template in TEMPLATES.items()}


def read_reply(text: str) -> Reply | None:
    """Parse a reply of the table; None for any other text."""
    for kind, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(text):
            return Reply(kind, tuple(float(number) for number in found.groups()))
    return None
