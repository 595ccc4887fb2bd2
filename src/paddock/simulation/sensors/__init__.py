"""Sensor kinds, one small file each: a spec, its appearance, and a kernel for the ideal physics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand
from paddock.simulation.sensors.sensor_spec import Pivot, RangeSensorSpec, SensorSpec

if TYPE_CHECKING:
    from paddock.simulation.sensors.accelerometer import AccelerometerSpec
    from paddock.simulation.sensors.bumper import BumperSpec
    from paddock.simulation.sensors.camera import CameraSpec
    from paddock.simulation.sensors.chemical import ChemicalSpec
    from paddock.simulation.sensors.compass import CompassSpec
    from paddock.simulation.sensors.constant import ConstantSpec
    from paddock.simulation.sensors.encoders import EncodersSpec
    from paddock.simulation.sensors.ground import GroundSpec
    from paddock.simulation.sensors.gyroscope import GyroscopeSpec
    from paddock.simulation.sensors.inertial import InertialSpec
    from paddock.simulation.sensors.laser import LaserSpec
    from paddock.simulation.sensors.light import LightSpec
    from paddock.simulation.sensors.microphone import MicrophoneSpec
    from paddock.simulation.sensors.position import PositionSpec
    from paddock.simulation.sensors.proximity import ProximitySpec
    from paddock.simulation.sensors.sonar import SonarSpec

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

__getattr__ = import_on_demand(__name__)
