"""How a sensor kind looks: unit, labels, colour, gauge, rays. Declared once, on its spec, for page and pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from paddock.sensors.base import SensorSpec

Gauge = Literal["bars", "levels", "dial", "image", "number", "flags", "scan", "none"]
"""bars: upright; levels: around zero; dial: [x, y,] heading; image: a camera's; flags: on or off; scan: a fan."""
Rays = Literal["beams", "cones", "scan", "points", "edges", "field", "none"]
"""What is drawn around the robot; edges: along the outline; points: on the floor; field: what a camera sees."""
NEED_NO_RANGE = ("points", "edges", "none")  # rays of all others are distances, up to the sensor's `range`
PLAIN = "#7a808a"  # of kinds that look nowhere
APPEARANCE = "appearance"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Appearance:
    """What people get to see of a kind. All numbers are in SI units; the page may show cm for m and degrees for rad."""

    unit: str = ""
    labels: tuple[str, ...] = ()  # of the channels; empty: their numbers
    color: str = PLAIN
    gauge: Gauge = "number"
    rays: Rays = "none"
    low: float = 0.0  # the ends of the gauge
    high: float = 1.0
    nearer_is_taller: bool = False  # bars of distances
    aims: bool = False  # whether its mounts look somewhere
    digits: int = 2  # after the point
    hint: str = ""  # a few words beside the name


def appearance_table(sensor: SensorSpec) -> dict[str, Any]:
    """The appearance of a sensor, with what depends on its own numbers, in types that any message can carry."""
    look = sensor.appearance
    table = dataclasses.asdict(look)
    labels = look.labels or tuple(str(channel) for channel in range(sensor.channels if look.gauge != "scan" else 0))
    distance = getattr(sensor, "range", 0.0)
    return {
        **table,
        "labels": list(labels),
        "rays": look.rays if distance > 0 or look.rays in NEED_NO_RANGE else "none",
        "channels": sensor.channels,
        "opening": sensor.opening,
        "range": distance,
    }


def add_appearances(robot: Mapping[str, Any], sensors: Iterable[SensorSpec]) -> dict[str, Any]:
    """A robot's table as viewers get it: every sensor says how it looks."""
    if "sensors" not in robot:  # specs leave out what is empty
        return dict(robot)
    pairs = zip(robot["sensors"], sensors, strict=True)
    return {**robot, "sensors": [{**table, APPEARANCE: appearance_table(sensor)} for table, sensor in pairs]}


def drop_appearances(robot: Mapping[str, Any]) -> dict[str, Any]:
    """The table as a spec reads it."""
    if not isinstance(robot.get("sensors"), list):
        return dict(robot)
    return {**robot, "sensors": [_drop(table) if isinstance(table, Mapping) else table for table in robot["sensors"]]}


def _drop(sensor: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in sensor.items() if key != APPEARANCE}
