"""Sensor kinds, one small file each: a spec, its appearance, and a kernel for the ideal physics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand
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

__getattr__ = import_on_demand(
    __name__, {name.removesuffix("Spec").lower(): (name,) for name in __all__ if name not in globals()}
)
