"""Appearance of a sensor kind on the page and in images: unit, labels, colour, gauge, rays. Defined on its spec."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from paddock.simulation.sensors.sensor_spec import SensorSpec

Gauge = Literal["bars", "levels", "dial", "image", "number", "flags", "scan", "none"]
"""bars: vertical; levels: around zero; dial: [x, y,] heading; image: of a camera; flags: on or off; scan: a fan."""
Rays = Literal["beams", "cones", "scan", "points", "edges", "field", "none"]
"""Drawing around the robot; edges: along the outline; points: on the floor; field: field of view of a camera."""
NEED_NO_RANGE = ("points", "edges", "none")  # all other rays are distances, up to the sensor's `range`
PLAIN = "#7a808a"  # colour of kinds without a direction
APPEARANCE = "appearance"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Appearance:
    """Appearance of a kind. All numbers are in SI units; the page may show cm for m and degrees for rad."""

    unit: str = ""
    labels: tuple[str, ...] = ()  # labels of the channels; empty: their numbers, and none for a single channel
    color: str = PLAIN
    gauge: Gauge = "number"
    rays: Rays = "none"
    low: float = 0.0  # range of the gauge
    high: float = 1.0
    nearer_is_taller: bool = False  # whether bars are taller for smaller distances
    aims: bool = False  # whether its mounts have a direction
    digits: int = 2  # digits after the decimal point
    hint: str = ""  # short text next to the name


def appearance_table(sensor: SensorSpec) -> dict[str, Any]:
    """Return the appearance of a sensor, adapted to its own parameters, in types that messages can contain."""
    look = sensor.appearance
    table = dataclasses.asdict(look)
    channels = sensor.channels if look.gauge != "scan" else 0
    numbers = (
        [str(channel) for channel in range(channels)] if channels > 1 or look.gauge == "flags" else [""] * channels
    )
    labels = look.labels or numbers
    distance = getattr(sensor, "range", 0.0)
    return {
        **table,
        "labels": list(labels),
        "rays": look.rays if distance > 0 or look.rays in NEED_NO_RANGE else "none",
        "channels": sensor.channels,
        "opening": sensor.opening,
        "pollable": hasattr(sensor, "polled"),  # whether it is a range sensor, which may be polled only
        "range": distance,
    }


def add_appearances(robot: Mapping[str, Any], sensors: Iterable[SensorSpec]) -> dict[str, Any]:
    """Add the appearance of every sensor to a robot's table, as sent to viewers."""
    if "sensors" not in robot:  # tables of specs omit empty lists
        return dict(robot)
    pairs = zip(robot["sensors"], sensors, strict=True)
    return {**robot, "sensors": [{**table, APPEARANCE: appearance_table(sensor)} for table, sensor in pairs]}


def drop_appearances(robot: Mapping[str, Any]) -> dict[str, Any]:
    """Remove the appearances from a robot's table, so that a spec can be built from it."""
    if not isinstance(robot.get("sensors"), list):
        return dict(robot)
    return {**robot, "sensors": [_drop(table) if isinstance(table, Mapping) else table for table in robot["sensors"]]}


def _drop(sensor: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in sensor.items() if key != APPEARANCE}
