"""World descriptions: the spec, the library of shipped worlds, and their compilation into a Model."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

from paddock.core import library
from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.core.files import write_text
from paddock.core.spec import spec_from_table
from paddock.core.terminal_text import shell_word
from paddock.core.toml import toml_text
from paddock.core.user_code import code_beside
from paddock.simulation.worlds.rooms import make_room, make_track
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
    "Wall",
    "WorldSpec",
    "load_world",
    "make_room",
    "make_track",
    "save_world",
    "world_names",
]


def world_names() -> list[str]:
    """Return the names of the shipped worlds."""
    return library.names(__name__)


def load_world(name_or_path: str | Path) -> WorldSpec:
    """Load a shipped world by name, or a world from a TOML file with its includes; check the robots' placement.

    Shipped files are read once.
    """
    path = _find_file(name_or_path)
    return _read_shipped(path) if library.is_shipped(path, __name__) else _read_file(path)


@functools.cache
def _read_shipped(path: Path) -> WorldSpec:
    return _read_file(path)


def _read_file(path: Path) -> WorldSpec:
    from paddock.simulation.worlds.placement import check_placement, robot_types
    from paddock.simulation.worlds.world_files import WorldFile

    with code_beside(path.parent):
        file = WorldFile(path)
        try:
            spec = spec_from_table(WorldSpec, file.table, file=path.name)
            spec = replace(spec, folder=str(path.parent), file=path.name)
            check_placement(spec, robot_types(spec))
        except SpecError as error:
            raise file.locate(error) from None
    return spec


def _find_file(name_or_path: str | Path) -> Path:
    try:
        return library.find(__name__, "world", name_or_path)
    except UnknownName:
        from paddock.simulation.worlds.importers import IMPORTERS, PICTURES

        path = Path(str(name_or_path))
        if name_or_path in library.registry("paddock.experiments.scenarios"):
            how = f"run it with `paddock run --scenario {name_or_path}`"
            raise PaddockError(f"{name_or_path!r} is a scenario, not a world: {how}") from None
        if path.suffix.lower() not in (*IMPORTERS, *PICTURES):
            raise
        command = f"paddock world import {shell_word(path)} -o {shell_word(f'{path.stem}.toml')}"
        problem = f"this is not a world file: convert it with `{command}`"
        raise SpecError(problem, file=path.name) from None


def save_world(spec: WorldSpec, path: str | Path) -> None:
    """Write a world so that `load_world` reads an equal one; paths of files are adapted to the new folder."""
    from paddock.simulation.worlds.world_files import relocate

    path = Path(path)
    table = relocate(spec.to_table(), Path(spec.folder), path.parent)
    write_text(path, toml_text(table))
