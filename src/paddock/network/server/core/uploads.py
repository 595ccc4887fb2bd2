"""Uploads: robot specs from clients. They are untrusted, so everything has a limit and no file is read."""

from __future__ import annotations

from typing import Any

from paddock.core.errors import SpecError, format_value
from paddock.core.user_code import received_data
from paddock.simulation.robots import RobotSpec, load_robot, robot_names
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.proximity import ProximitySpec

MAX_ENTRIES = {"sensors": 64, "leds": 64, "title": 200}
MAX_CORNERS, MAX_ROWS = 64, 256  # of an outline; of mounts and response tables
MAX_VALUES = 4096  # of all sensors together
MAX_RAYS = 4096  # of all proximity sensors together
MAX_PIXELS = 320 * 240  # of all cameras together
LONGEST_LAG = 2.0  # seconds of a sensor's period and delay: the stored motion history of a robot


def uploaded_robot(kind: str | dict[str, Any]) -> RobotSpec:
    """Return a shipped robot by name, or check and load a client's spec."""
    shipped = robot_names()
    if isinstance(kind, str):
        _check_shipped(kind, shipped, "kind")
        return load_robot(kind)
    if "base" in kind:
        _check_shipped(kind["base"], shipped, "base")
    for key, most in MAX_ENTRIES.items():
        part = kind.get(key, ())
        if isinstance(part, (list, str)) and len(part) > most:
            raise SpecError(
                f"expected at most {most} {'characters' if key == 'title' else key}, got {len(part)}", path=key
            )
    _check_lists(kind)
    with received_data("an uploaded robot"):
        spec = RobotSpec.from_table(kind)
    values = sum(sensor.channels for sensor in spec.sensors)
    rays = sum(len(sensor.mounts) * sensor.rays for sensor in spec.sensors if isinstance(sensor, ProximitySpec))
    pixels = sum(sensor.width * sensor.height for sensor in spec.sensors if isinstance(sensor, CameraSpec))
    for count, most, what in (
        (values, MAX_VALUES, "values of all sensors"),
        (rays, MAX_RAYS, "rays of all sensors"),
        (pixels, MAX_PIXELS, "pixels of all cameras"),
    ):
        if count > most:
            raise SpecError(f"expected at most {most} {what} together, got {count}", path="sensors")
    lag = max((sensor.period + sensor.delay for sensor in spec.sensors), default=0.0)
    if lag > LONGEST_LAG:
        raise SpecError(
            f"expected a period and delay of at most {LONGEST_LAG:g} s together, got {lag:g}", path="sensors"
        )
    return spec


def _check_lists(kind: dict[str, Any]) -> None:
    """Refuse lists that would take too long to check."""
    body = kind.get("body")
    lists = [("body.outline", body.get("outline"), MAX_CORNERS)] if isinstance(body, dict) else []
    sensors = kind.get("sensors")
    for i, sensor in enumerate(sensors if isinstance(sensors, list) else []):
        if isinstance(sensor, dict):
            lists += [(f"sensors[{i}].{key}", sensor.get(key), MAX_ROWS) for key in ("mounts", "response")]
    for path, entries, most in lists:
        if isinstance(entries, list) and len(entries) > most:
            raise SpecError(f"expected at most {most} entries, got {len(entries)}", path=path)


def _check_shipped(name: Any, shipped: list[str], path: str) -> None:
    if name not in shipped:
        raise SpecError(
            f"expected the name of a shipped robot ({', '.join(shipped)}), got {format_value(name)}", path=path
        )
