"""World files, shipped or own. A file may include other files, and name images and robots relative to its folder."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value
from paddock.core.files import write_text
from paddock.core.registry import (
    SUFFIX,
    find_neighbour,
    find_spec_file,
    get_spec_files,
    is_shipped_file,
    list_spec_names,
)
from paddock.core.spec import spec_from_table
from paddock.core.terminal_text import shell_word
from paddock.core.toml import TomlName, is_list_of_tables, overlay, read_toml_file, toml_text
from paddock.core.user_code import code_beside, describe_code
from paddock.simulation.worlds.placement import check_placement, robot_types
from paddock.simulation.worlds.world_spec import WorldSpec

NO_COPIES: Mapping[Path, Path] = MappingProxyType({})
PACKAGE = "paddock.simulation.worlds"  # its folder `library` has the shipped worlds


def world_names() -> list[str]:
    """Return the names of the shipped worlds."""
    return list_spec_names(PACKAGE)


def load_world(name_or_path: str | Path) -> WorldSpec:
    """Load a shipped world by name, or a world from a TOML file with its includes; check the robots' placement.

    Shipped files are read once.
    """
    path = _find_world(name_or_path)
    return _read_shipped(path) if is_shipped_file(path, PACKAGE) else _read_world(path)


@functools.cache
def _read_shipped(path: Path) -> WorldSpec:
    return _read_world(path)


def _read_world(path: Path) -> WorldSpec:
    with code_beside(path.parent):
        file = WorldFile(path)
        try:
            spec = spec_from_table(WorldSpec, file.table, file=TomlName(path))
            spec = replace(spec, folder=str(path.parent), file=TomlName(path))
            check_placement(spec, robot_types(spec))
        except SpecError as error:
            raise file.locate(error) from None
    return spec


def _find_world(name_or_path: str | Path) -> Path:
    try:
        return find_spec_file(PACKAGE, "world", name_or_path)
    except UnknownName:
        from paddock.simulation.worlds.importers import IMPORTERS, PICTURES

        path = Path(str(name_or_path))
        if name_or_path in get_spec_files("paddock.experiments.scenarios"):
            how = f"run it with `paddock run --scenario {name_or_path}`"
            raise PaddockError(f"{name_or_path!r} is a scenario, not a world: {how}") from None
        if path.suffix.lower() not in (*IMPORTERS, *PICTURES):
            raise
        command = f"paddock world import {shell_word(path)} -o {shell_word(f'{path.stem}.toml')}"
        problem = f"this is not a world file: convert it with `{command}`"
        raise SpecError(problem, file=TomlName(path)) from None


def save_world(spec: WorldSpec, path: str | Path, copies: Mapping[Path, Path] = NO_COPIES) -> None:
    """Write a world so that `load_world` reads an equal one; paths of files are adapted to the new folder.

    Args:
        spec: the world.
        path: TOML file to write.
        copies: copies by the absolute path of the original, which the new file names instead of the originals.
    """
    path = Path(path)
    table = relocate(spec.to_table(), Path(spec.folder), path.parent, copies)
    write_text(path, toml_text(table))


class WorldFile:
    """A world's file and its included files, merged into one table; each file is checked separately."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._parts: list[tuple[str, dict[str, int]]] = []  # files in the order of merging; lengths of their lists
        self.table = _read(path, path.parent, (), set(), self._parts)

    def locate(self, error: SpecError) -> SpecError:
        """Convert an error about the merged table to one that names the original file and location."""
        place = re.match(r"(\w+)\[(\d+)\](.*)", error.path)
        if place is None or error.file not in ("", self.path.name):
            return error
        key, index = place[1], int(place[2])
        for file, lengths in self._parts:
            if index < lengths.get(key, 0):
                return SpecError(error.problem, path=f"{key}[{index}]{place[3]}", file=file)
            index -= lengths.get(key, 0)
        return error


def _read(
    path: Path, home: Path, within: tuple[Path, ...], done: set[Path], parts: list[tuple[str, dict[str, int]]]
) -> dict[str, Any]:
    """Return the table of one file and its includes, with paths relative to `home`. Skip files in `done`."""
    table = read_toml_file(path)
    within = (*within, path.resolve())
    merged: dict[str, Any] = {}
    try:
        if "bounds" not in table and ("tasks" in table or "team" in table):
            raise SpecError(f"this is a scenario, not a world: run it with `paddock run --scenario {shell_word(path)}`")
        includes = _includes(table)
        for i, name in enumerate(includes):
            other = _find_include(path, name, i, within)
            if other.resolve() not in done:
                merged = overlay(merged, _read(other, home, within, done, parts), append=True)
        _find_bases(table, path.parent)
        if includes or len(within) > 1:  # else the part is the whole, which is checked next
            WorldSpec.check_part(table)
    except SpecError as error:
        raise error.within(file=TomlName(path)) from None
    done.add(path.resolve())
    parts.append((TomlName(path), {key: len(value) for key, value in table.items() if is_list_of_tables(value)}))
    return overlay(merged, relocate(table, path.parent, home), append=True)


def _includes(table: dict[str, Any]) -> list[str]:
    names = table.pop("include", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SpecError(f"expected a list of file names, got {format_value(names)}", path="include")
    return names


def _find_include(path: Path, name: str, number: int, within: tuple[Path, ...]) -> Path:
    try:
        other = find_neighbour(path.parent, name)
    except SpecError as error:
        raise error.within(f"include[{number}]") from None
    if other.resolve() in within:
        raise SpecError(f"{name!r} includes itself", path=f"include[{number}]")
    return other


def _find_bases(table: dict[str, Any], folder: Path) -> None:
    """Make the paths of base files of inline robots absolute."""
    robots = table.get("robots")
    for i, robot in enumerate(robots if isinstance(robots, list) else []):
        kind: Any = robot.get("type") if isinstance(robot, dict) else None
        base = kind.get("base") if isinstance(kind, dict) else None
        if isinstance(base, str) and base.endswith(SUFFIX):
            try:
                kind["base"] = str(find_neighbour(folder, base).absolute())
            except SpecError as error:
                raise error.within(f"robots[{i}].type.base") from None


def relocate(table: dict[str, Any], old: Path, new: Path, copies: Mapping[Path, Path] = NO_COPIES) -> dict[str, Any]:
    """Adapt the relative paths in a valid world's table to a file in another folder, and to copies of the files."""

    def move_path(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
        name = holder.get(key)
        if not isinstance(name, str):
            return dict(holder)
        file = (old / name).resolve()
        return {**holder, key: _path_from(new, copies.get(file, file))}

    if old.resolve() == new.resolve() and not copies:
        return table
    table = dict(table)
    if "floor" in table:
        table["floor"] = move_path(table["floor"], "image")
    if "fields" in table:
        table["fields"] = [move_path(field, "image") for field in table["fields"]]
    if "robots" in table:
        table["robots"] = [
            move_path(robot, "type") if str(robot["type"]).endswith(SUFFIX) else robot for robot in table["robots"]
        ]
    return table


def _path_from(folder: Path, file: Path) -> str:
    try:
        return Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return file.resolve().as_posix()


def fingerprint_world(world: WorldSpec) -> str:
    """Return the SHA-256 of a world, its robots' types, their code and its images, wherever the files are."""
    content = {
        "world": _without_paths(world.to_table()),
        "robots": [_describe_robot(robot.to_table()) for robot in robot_types(world)],
        "pictures": hash_pictures(world),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def _without_paths(table: dict[str, Any]) -> dict[str, Any]:
    """Return a world's table without the names of files, whose contents are compared instead."""
    for holder, key in (
        *((robot, "type") for robot in table.get("robots", ())),
        *((field, "image") for field in table.get("fields", ())),
        (table.get("floor", {}), "image"),
    ):
        holder.pop(key, None)
    return table


def _describe_robot(table: dict[str, Any]) -> dict[str, Any]:
    """Return a robot's table, with the hash of the code of kinds of sensors from files."""
    sensors = [{**sensor, "kind": describe_code(sensor["kind"])} for sensor in table.get("sensors", ())]
    return {**table, "sensors": sensors}


def hash_pictures(world: WorldSpec) -> list[str]:
    """Return the SHA-256 of each existing image of the floor and the fields."""
    names = [world.floor.image, *(field.image for field in world.fields)]
    files = [world.resolve_path(name) for name in names if name is not None]
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()]
