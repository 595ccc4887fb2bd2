"""Sensor kinds, one small file each: a spec, and a kernel for the ideal physics."""

from paddock.sensors.base import Pivot, RangeSensorSpec, SensorSpec

__all__ = ["Pivot", "RangeSensorSpec", "SensorSpec"]
