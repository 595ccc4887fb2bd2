"""Laws that follow a wall: sonar readings in, rim speeds out; they know nothing of simulators."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from paddock.control.wall.base import CLEARANCE, Follow, Law, Side
from paddock.control.wall.fuzzy import FuzzyLaw
from paddock.control.wall.geometry import GeometryLaw
from paddock.control.wall.paper import PaperLaw
from paddock.control.wall.pid import PidLaw
from paddock.control.wall.tuned import TUNED
from paddock.core.errors import UnknownName

LAWS: Mapping[str, Law] = MappingProxyType(
    {
        "min": PaperLaw(gain=1.3, multi=False),
        "multi": PaperLaw(gain=6.1, multi=True),
        "min-fast": PaperLaw(gain=1.6, multi=False),
        "multi-fast": PaperLaw(gain=7.5, multi=True),
        "pid": PidLaw(),
        "fuzzy": FuzzyLaw(),
        "geometry": GeometryLaw(),
        "geometry-slow": GeometryLaw().at(0.15),
        "tuned": TUNED,
        "tuned-slow": TUNED.at(0.15),
    }
)


def law_called(name: str) -> Law:
    """The law of that name; `dataclasses.replace` changes its numbers."""
    if name not in LAWS:
        raise UnknownName("wall-following law", name, LAWS)
    return LAWS[name]


__all__ = [
    "CLEARANCE",
    "LAWS",
    "Follow",
    "FuzzyLaw",
    "GeometryLaw",
    "Law",
    "PaperLaw",
    "PidLaw",
    "Side",
    "law_called",
]
