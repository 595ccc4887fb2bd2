"""Uploads: a robot that a client brings along. Strangers write these, so everything has a limit and no file is read."""

from __future__ import annotations

from typing import Any

from paddock.core.errors import SpecError, shown
from paddock.core.library import names
from paddock.robots import RobotSpec, load_robot
from paddock.sensors.camera import CameraSpec

MOST_SENSORS = 64
MOST_VALUES = 4096  # of all sensors together
MOST_PIXELS = 320 * 240


def uploaded_robot(kind: str | dict[str, Any]) -> RobotSpec:
    """A shipped robot by its name, or a client's own spec."""
    shipped = names("paddock.robots")
    if isinstance(kind, str):
        _check_shipped(kind, shipped, "kind")
        return load_robot(kind)
    if "base" in kind:
        _check_shipped(kind["base"], shipped, "base")
    sensors = kind.get("sensors", ())
    if isinstance(sensors, list) and len(sensors) > MOST_SENSORS:
        raise SpecError(f"expected at most {MOST_SENSORS} sensors, got {len(sensors)}", path="sensors")
    spec = RobotSpec.from_table(kind)
    values = sum(sensor.channels for sensor in spec.sensors)
    if values > MOST_VALUES:
        raise SpecError(f"expected at most {MOST_VALUES} values of all sensors together, got {values}", path="sensors")
    for i, sensor in enumerate(spec.sensors):
        if isinstance(sensor, CameraSpec) and sensor.width * sensor.height > MOST_PIXELS:
            raise SpecError(f"expected at most {MOST_PIXELS} pixels", path=f"sensors[{i}].width")
    return spec


def _check_shipped(name: Any, shipped: list[str], path: str) -> None:
    if name not in shipped:
        raise SpecError(f"expected the name of a shipped robot ({', '.join(shipped)}), got {shown(name)}", path=path)
