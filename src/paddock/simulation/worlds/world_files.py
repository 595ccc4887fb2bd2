"""World files: a file may include other files, and name images and robots relative to its folder."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paddock.core import library
from paddock.core.errors import SpecError, format_value
from paddock.core.spec import read_toml_file
from paddock.core.tables import is_list_of_tables, overlay
from paddock.core.terminal_text import shell_word
from paddock.simulation.worlds.world_spec import WorldSpec


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
        raise error.within(file=path.name) from None
    done.add(path.resolve())
    parts.append((path.name, {key: len(value) for key, value in table.items() if is_list_of_tables(value)}))
    return overlay(merged, relocate(table, path.parent, home), append=True)


def _includes(table: dict[str, Any]) -> list[str]:
    names = table.pop("include", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SpecError(f"expected a list of file names, got {format_value(names)}", path="include")
    return names


def _find_include(path: Path, name: str, number: int, within: tuple[Path, ...]) -> Path:
    try:
        other = library.neighbour(path.parent, name)
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
        if isinstance(base, str) and base.endswith(library.SUFFIX):
            try:
                kind["base"] = str(library.neighbour(folder, base).absolute())
            except SpecError as error:
                raise error.within(f"robots[{i}].type.base") from None


def relocate(table: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """Adapt the relative paths in a valid world's table to a file in another folder."""

    def move_path(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
        name = holder.get(key)
        return {**holder, key: _path_from(new, old / name)} if isinstance(name, str) else dict(holder)

    if old.resolve() == new.resolve():
        return table
    table = dict(table)
    if "floor" in table:
        table["floor"] = move_path(table["floor"], "image")
    if "fields" in table:
        table["fields"] = [move_path(field, "image") for field in table["fields"]]
    if "robots" in table:
        table["robots"] = [
            move_path(robot, "type") if str(robot["type"]).endswith(library.SUFFIX) else robot
            for robot in table["robots"]
        ]
    return table


def _path_from(folder: Path, file: Path) -> str:
    try:
        return Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return file.resolve().as_posix()
