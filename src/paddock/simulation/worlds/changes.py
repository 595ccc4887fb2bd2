"""Worlds and robots given as changes of others, such as `{base = "wall-loop", dt = 0.05}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from paddock.core.errors import SpecError, UnknownName, suggestion
from paddock.core.registry import SUFFIX, find_neighbour, find_spec_file
from paddock.core.spec import Spec
from paddock.core.toml import overlay
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.placement import check_placement, robot_types
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec


class Changes(dict[str, Any]):
    """Keys that replace those of a spec that is loaded later."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorldChange(Spec):
    """A world that is based on another: `{base = "wall-loop", dt = 0.05}`."""

    base: str
    changes: Changes = field(default_factory=Changes)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        if not isinstance(table.get("base"), str):
            raise SpecError("missing: the name of a world, or a TOML file", path="base")
        return cls(base=table["base"], changes=Changes({k: v for k, v in table.items() if k != "base"}))

    def to_table(self) -> dict[str, Any]:
        return {"base": self.base, **self.changes}


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotChange(Spec):
    """A robot of the world with changed properties: `{name = "pioneer", at = [2, 2], type = {base = …}}`."""

    name: str
    changes: Changes = field(default_factory=Changes)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        if not isinstance(table.get("name"), str):
            raise SpecError("missing: the name of a robot in the world", path="name")
        return cls(name=table["name"], changes=Changes({k: v for k, v in table.items() if k != "name"}))

    def to_table(self) -> dict[str, Any]:
        return {"name": self.name, **self.changes}


def load_changed_world(world: str | WorldChange, folder: str) -> WorldSpec:
    """Load a world by name, from a file in a folder, or as the change of another one; errors have the key `world`."""
    base = world.base if isinstance(world, WorldChange) else world
    path = "world.base" if isinstance(world, WorldChange) else "world"
    try:
        loaded = load_world(find_spec_file("paddock.simulation.worlds", "world", base, relative_to=folder))
    except UnknownName as error:
        raise SpecError(str(error), path=path) from None
    except SpecError as error:
        raise error if error.file else error.within(path) from None
    if not isinstance(world, WorldChange):
        return loaded
    table = overlay(loaded.to_table(), world.changes)
    try:
        changed = replace(WorldSpec.from_table(table), folder=loaded.folder)
        check_placement(changed, robot_types(changed))
    except SpecError as error:
        raise error.within("world") from None
    return replace(changed, file=loaded.file)


def find_robot_in(world: WorldSpec, robot: str | RobotChange | None) -> int:
    """Return the index of a robot in a world: that of a name, or that of the only robot."""
    names = [placed.name for placed in world.robots]
    if robot is None:
        if len(names) != 1:
            raise SpecError(f"missing: the name of a robot{suggestion('', names)}", path="robot")
        return 0
    name, path = (robot.name, "robot.name") if isinstance(robot, RobotChange) else (robot, "robot")
    if name not in names:
        raise SpecError(str(UnknownName("robot", name, names)), path=path)
    return names.index(name)


def change_robot(world: WorldSpec, robot: RobotChange, folder: str) -> WorldSpec:
    """Return the world with one robot changed; files that the changes name are searched in a folder."""
    index, changes = find_robot_in(world, robot), robot.changes
    table = world.robots[index].to_table()
    for key, other in (("at", "start"), ("start", "at")):
        if key in changes:
            table.pop(other, None)
    try:
        placed = RobotPlacement.from_table({**table, **changes, **_find_type(changes.get("type"), folder)})
        robots = (*world.robots[:index], placed, *world.robots[index + 1 :])
        changed = replace(world, robots=robots, file="")
        check_placement(changed, robot_types(changed))
    except SpecError as error:
        mine = f"robots[{index}]."
        path = "" if error.path.startswith("robots[") and not error.path.startswith(mine) else error.path
        raise SpecError(error.problem, path=path.removeprefix(mine), file=error.file).within("robot") from None
    return replace(changed, file=world.file)


def _find_type(kind: Any, folder: str) -> dict[str, Any]:
    """Return a robot's type with the absolute path of its file, or an empty table if it names no file."""
    file = kind.get("base") if isinstance(kind, Mapping) else kind
    if not isinstance(file, str) or not file.endswith(SUFFIX):
        return {}
    try:
        place = str(find_neighbour(folder, file).absolute())
    except SpecError as error:
        raise error.within("type.base" if isinstance(kind, Mapping) else "type") from None
    return {"type": {**kind, "base": place} if isinstance(kind, Mapping) else place}
