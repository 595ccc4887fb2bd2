"""Sensor kinds, one small file each: a spec, its appearance, and a kernel for the ideal physics."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from paddock.sensors.base import Pivot, RangeSensorSpec, SensorSpec

if TYPE_CHECKING:
    from paddock.sensors.accelerometer import AccelerometerSpec
    from paddock.sensors.bumper import BumperSpec
    from paddock.sensors.camera import CameraSpec
    from paddock.sensors.chemical import ChemicalSpec
    from paddock.sensors.compass import CompassSpec
    from paddock.sensors.constant import ConstantSpec
    from paddock.sensors.encoders import EncodersSpec
    from paddock.sensors.ground import GroundSpec
    from paddock.sensors.gyroscope import GyroscopeSpec
    from paddock.sensors.inertial import InertialSpec
    from paddock.sensors.laser import LaserSpec
    from paddock.sensors.light import LightSpec
    from paddock.sensors.microphone import MicrophoneSpec
    from paddock.sensors.position import PositionSpec
    from paddock.sensors.proximity import ProximitySpec
    from paddock.sensors.sonar import SonarSpec

_KINDS = {
    "AccelerometerSpec": "accelerometer",
    "BumperSpec": "bumper",
    "CameraSpec": "camera",
    "ChemicalSpec": "chemical",
    "CompassSpec": "compass",
    "ConstantSpec": "constant",
    "EncodersSpec": "encoders",
    "GroundSpec": "ground",
    "GyroscopeSpec": "gyroscope",
    "InertialSpec": "inertial",
    "LaserSpec": "laser",
    "LightSpec": "light",
    "MicrophoneSpec": "microphone",
    "PositionSpec": "position",
    "ProximitySpec": "proximity",
    "SonarSpec": "sonar",
}

__all__ = [
    "AccelerometerSpec",
    "BumperSpec",
    "CameraSpec",
    "ChemicalSpec",
    "CompassSpec",
    "ConstantSpec",
    "EncodersSpec",
    "GroundSpec",
    "GyroscopeSpec",
    "InertialSpec",
    "LaserSpec",
    "LightSpec",
    "MicrophoneSpec",
    "Pivot",
    "PositionSpec",
    "ProximitySpec",
    "RangeSensorSpec",
    "SensorSpec",
    "SonarSpec",
]


def __getattr__(name: str) -> Any:
    """Import the spec of a kind on first access."""
    if name not in _KINDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_KINDS[name]}"), name)
