"""World descriptions: the spec, the library of shipped worlds, and their compilation into a Model."""

from __future__ import annotations

from paddock.simulation.worlds.rooms import make_room, make_track
from paddock.simulation.worlds.thing_spec import ThingSpec
from paddock.simulation.worlds.world_files import load_world, save_world, world_names
from paddock.simulation.worlds.world_spec import (
    Alias,
    Arc,
    Border,
    Box,
    Cylinder,
    Field,
    Floor,
    Light,
    MazeGrid,
    RobotPlacement,
    Sound,
    Start,
    Stroke,
    Wall,
    WorldSpec,
)

__all__ = [
    "Alias",
    "Arc",
    "Border",
    "Box",
    "Cylinder",
    "Field",
    "Floor",
    "Light",
    "MazeGrid",
    "RobotPlacement",
    "Sound",
    "Start",
    "Stroke",
    "ThingSpec",
    "Wall",
    "WorldSpec",
    "load_world",
    "make_room",
    "make_track",
    "save_world",
    "world_names",
]
