"""Arena: a running simulation, its robots and their devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.arena.arena import Arena, Snapshot
from paddock.arena.devices import Device
from paddock.arena.robot import Robot
from paddock.arena.things import Thing
from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.arena.calibration import SquareTest, drive_squares, drive_straight
    from paddock.arena.localisation import (
        get_wheels,
        list_walls,
        make_free_run,
        make_odometry,
        make_range_model,
        make_travel_sensors,
    )
    from paddock.arena.mapping import (
        make_map_localiser,
        make_map_truth,
        make_mapper,
        make_motion_noise,
        make_range_reader,
    )

__all__ = [
    "Arena",
    "Device",
    "Robot",
    "Snapshot",
    "SquareTest",
    "Thing",
    "drive_squares",
    "drive_straight",
    "get_wheels",
    "list_walls",
    "make_free_run",
    "make_map_localiser",
    "make_map_truth",
    "make_mapper",
    "make_motion_noise",
    "make_odometry",
    "make_range_model",
    "make_range_reader",
    "make_travel_sensors",
]

__getattr__ = import_on_demand(__name__)
