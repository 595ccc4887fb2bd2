"""SiteSpec: the markers on the floor and on the robots, which must be known for measurements in camera pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from paddock.core.errors import SpecError
from paddock.core.spec import (
    Degrees,
    Metres,
    MetresOrZero,
    Name,
    Number,
    Point,
    Spec,
    read_toml_file,
    refuse_duplicates,
    spec_from_table,
)
from paddock.perception.vision.boards import MARKERS
from paddock.perception.vision.lens import Floats

MarkerNumber = Annotated[int, Number("a marker's number", low=0, high=MARKERS - 1)]


@dataclass(frozen=True, kw_only=True, slots=True)
class FloorMarker(Spec):
    """A marker on the floor with the position of its centre. Its top points along the world's y axis, unless turned."""

    marker: MarkerNumber
    at: Point
    turn_deg: Degrees = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkedRobot(Spec):
    """A robot with a marker whose top points ahead, centred above its axle."""

    name: Name
    marker: MarkerNumber
    size: Metres = 0.052
    height: MetresOrZero = 0.055  # height of the marker above the floor


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteSpec(Spec):
    """The markers of a laboratory."""

    floor_size: Metres = 0.08
    floor: tuple[FloorMarker, ...] = ()
    robots: tuple[MarkedRobot, ...] = ()

    def check(self) -> None:
        refuse_duplicates([robot.name for robot in self.robots], "robots[{}].name")
        seen: set[int] = set()
        numbers = {
            **{f"floor[{i}].marker": entry.marker for i, entry in enumerate(self.floor)},
            **{f"robots[{i}].marker": robot.marker for i, robot in enumerate(self.robots)},
        }
        for path, number in numbers.items():
            if number in seen:
                raise SpecError(f"expected different markers, got {number} twice", path=path)
            seen.add(number)

    def floor_corners(self, marker: FloorMarker) -> Floats:
        """Return the corners [m] of a marker on the floor, clockwise from its upper left, shape (4, 3)."""
        turn = np.radians(marker.turn_deg)
        turned = marker_corners(self.floor_size) @ np.array(
            [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
        )
        return np.column_stack([turned + marker.at, np.zeros(4)])


def marker_corners(size: float) -> Floats:
    """Return the corners of a marker around its centre, x right, y up, clockwise from the upper left, shape (4, 2)."""
    half = size / 2
    return np.array([[-half, half], [half, half], [half, -half], [-half, -half]])


def load_site(path: str | Path) -> SiteSpec:
    """Load a site's TOML file."""
    file = Path(path)
    return spec_from_table(SiteSpec, read_toml_file(file), file=file.name)
