"""Worlds as data: the spec, the library of shipped worlds, and their compilation into a Model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from paddock.core import library
from paddock.core.errors import SpecError
from paddock.core.spec import read_toml_file, spec_from_table
from paddock.worlds.spec import WorldSpec

__all__ = ["WorldSpec", "load_world", "save_world", "world_names"]


def world_names() -> list[str]:
    """The shipped worlds."""
    return library.names(__name__)


def load_world(name_or_path: str | Path) -> WorldSpec:
    """A shipped world by name, or a world from a TOML file, with its includes; placement is checked too."""
    from paddock.worlds.placement import check_placement, robot_types

    path = library.find(__name__, "world", name_or_path)
    spec = spec_from_table(WorldSpec, _with_includes(path, ()), file=path.name)
    spec = replace(spec, folder=str(path.parent), file=path.name)
    check_placement(spec, robot_types(spec))
    return spec


def save_world(spec: WorldSpec, path: str | Path) -> None:
    """Write a world so that `load_world` reads an equal one; named files keep being found."""
    path = Path(path)
    table = spec.to_table()
    here = path.resolve().parent

    def relocate(holder: dict[str, Any], key: str) -> None:
        if isinstance(holder.get(key), str):
            place = spec.path_of(holder[key]).resolve()
            holder[key] = place.relative_to(here).as_posix() if place.is_relative_to(here) else place.as_posix()

    relocate(table.get("floor", {}), "image")
    for field in table.get("fields", []):
        relocate(field, "image")
    for robot in table.get("robots", []):
        if str(robot["type"]).endswith(library.SUFFIX):
            relocate(robot, "type")
    import tomli_w

    path.write_text(tomli_w.dumps(table), encoding="utf-8")


def _with_includes(path: Path, within: tuple[Path, ...]) -> dict[str, Any]:
    """The table of a file, with the lists of the files that it includes put in front of its own."""
    table = read_toml_file(path)
    included = table.pop("include", [])
    if not isinstance(included, list) or not all(isinstance(name, str) for name in included):
        raise SpecError(f"expected a list of file names, got {included!r}", path="include", file=path.name)
    merged: dict[str, Any] = {}
    for i, name in enumerate(included):
        other = path.parent / name
        if other.resolve() in [p.resolve() for p in (*within, path)]:
            raise SpecError(f"{name!r} includes itself", path=f"include[{i}]", file=path.name)
        if not other.exists():
            raise SpecError(f"no file {name!r} beside it", path=f"include[{i}]", file=path.name)
        for key, value in _with_includes(other, (*within, path)).items():
            merged[key] = merged.get(key, []) + value if isinstance(value, list) and key != "bounds" else value
    for key, value in table.items():
        lists = isinstance(value, list) and isinstance(merged.get(key), list) and key != "bounds"
        merged[key] = merged[key] + value if lists else value
    return merged
