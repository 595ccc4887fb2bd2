"""The spec of a real e-puck: the spec of its type, limited to what its firmware and its connection support."""

from __future__ import annotations

import math
from dataclasses import replace

from paddock.bridges.epuck.driver.port import Port
from paddock.bridges.epuck.wire.sercom import ARRAY_WIDTH, CameraSettings
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.sensors.camera import CameraSpec


def adapt_spec(port: Port, type: str | None = None) -> RobotSpec:
    """Return the spec of the robot at a port, without ground truth and without devices that its firmware lacks.

    Args:
        port: the connection to the robot.
        type: the file of this individual robot, as written by its calibration; None for the shipped file of its type.
    """
    spec = load_robot(type or port.kind)
    sensors = []
    for sensor in spec.sensors:
        if sensor.kind == "position" or (port.devices is not None and sensor.name not in port.devices):
            continue
        if isinstance(sensor, CameraSpec) and port.camera is not None:
            sensor = _crop(sensor, port.camera)
        sensors.append(sensor)
    return replace(spec, sensors=tuple(sensors))


def _crop(camera: CameraSpec, window: CameraSettings) -> CameraSpec:
    share = window.width * window.zoom / ARRAY_WIDTH
    half = math.atan(math.tan(math.radians(camera.fov_deg / 2)) * share)
    return replace(camera, width=window.width, height=window.height, fov_deg=math.degrees(2 * half))
