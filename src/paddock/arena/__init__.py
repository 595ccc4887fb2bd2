"""Arena: a running simulation, its robots and their devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.arena.arena import Arena, Snapshot
from paddock.arena.devices import Device
from paddock.arena.robot import Robot
from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.arena.calibration import SquareTest, drive_squares, drive_straight
    from paddock.arena.localisation import (
        free_run_of,
        odometry_of,
        range_model_of,
        travel_sensors_of,
        walls_of,
        wheels_of,
    )
    from paddock.arena.mapping import map_localiser_of, map_truth_of, mapper_of, motion_noise_of, range_reader_of

__all__ = [
    "Arena",
    "Device",
    "Robot",
    "Snapshot",
    "SquareTest",
    "drive_squares",
    "drive_straight",
    "free_run_of",
    "map_localiser_of",
    "map_truth_of",
    "mapper_of",
    "motion_noise_of",
    "odometry_of",
    "range_model_of",
    "range_reader_of",
    "travel_sensors_of",
    "walls_of",
    "wheels_of",
]

__getattr__ = import_on_demand(__name__)
