"""Sensors of kinds that are installed on a server but not locally; their readings are still available."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from paddock.core.spec import Number
from paddock.simulation.sensors.appearance import APPEARANCE, Appearance, drop_appearances
from paddock.simulation.sensors.sensor_registry import SENSORS
from paddock.simulation.sensors.sensor_spec import SensorSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class ForeignSpec(SensorSpec):
    """Description of a sensor whose kind is not installed. It can be read remotely, but not simulated locally."""

    foreign_kind: str
    values: Annotated[int, Number("values", low=0)]
    foreign_look: Appearance

    @property
    def kind(self) -> str:
        return self.foreign_kind

    @property
    def channels(self) -> int:
        return self.values

    @property
    def appearance(self) -> Appearance:
        return self.foreign_look


def drop_foreign(robot: Mapping[str, Any]) -> dict[str, Any]:
    """Prepare a robot's table, as sent to viewers, for `RobotSpec.from_table`, even if a kind is not installed."""
    plain, sensors = drop_appearances(robot), robot.get("sensors")
    if not isinstance(sensors, list):
        return plain
    for i, table in enumerate(sensors):
        look = table.get(APPEARANCE) if isinstance(table, Mapping) else None
        if isinstance(look, Mapping) and isinstance(kind := table.get("kind"), str) and kind not in SENSORS:
            plain["sensors"][i] = _foreign(kind, table, look)
    return plain


def _foreign(kind: str, table: Mapping[str, Any], look: Mapping[str, Any]) -> ForeignSpec:
    shared = {field.name: table[field.name] for field in fields(SensorSpec) if field.name in table}
    known = {field.name: look[field.name] for field in fields(Appearance) if field.name in look}
    return ForeignSpec(
        **shared,
        foreign_kind=kind,
        values=look.get("channels", 0),
        foreign_look=Appearance(**{**known, "labels": tuple(known.get("labels", ()))}),
    )
