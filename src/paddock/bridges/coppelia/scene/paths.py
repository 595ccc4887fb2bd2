"""Object paths such as `/PioneerP3DX/ultrasonicSensor[3]`, as in CoppeliaSim since version 4.3."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from paddock.bridges.coppelia.scene.objects import SceneObject

if TYPE_CHECKING:
    from paddock.bridges.coppelia.scene.scene import CoppeliaScene

LEVEL = re.compile(r"(?P<alias>[^\[\]{}/]+)(\[(?P<sibling>\d+)\]|\{(?P<number>\d+)\})?")


def find_path(scene: CoppeliaScene, path: str, start: SceneObject | None = None) -> SceneObject | None:
    """Return the first object at a path; None if there is none.

    Args:
        scene: the scene to search.
        path: levels separated by slashes, with `*`, `[i]` among siblings, `{i}` among all matches; levels may be
            omitted. `./` starts at `start`, `../` at its parent, `:/` at its robot, any other path at the top.
        start: the object denoted by `.`.
    """
    below: Sequence[SceneObject] = scene.roots
    levels = [level for level in path.split("/") if level]
    while levels and levels[0] in (".", "..", ":", "::"):
        if start is None:
            return None
        if levels[0].startswith(":"):
            start = _find_model(start)
        start = start if levels[0] in (".", ":") else start.parent
        below = scene.roots if start is None else start.children
        if not levels[1:]:
            return start
        levels = levels[1:]
    return next(_match(below, levels, set()), None) if levels else None


def _find_model(part: SceneObject) -> SceneObject:
    """Return the base of the robot that an object belongs to; the object itself if it belongs to none."""
    while part.part != "base" and part.robot is not None and part.parent is not None:
        part = part.parent
    return part


def find_named_path(scene: CoppeliaScene, levels: Sequence[str]) -> SceneObject | None:
    """Return the object at a path whose levels may also be other names of objects: `/red/camera`, `/ePuck/cam1`.

    Such a name in the last level must denote an object below the preceding levels.
    """
    found = find_path(scene, "/".join(levels))
    if found is not None or not levels:
        return found
    *above, last = levels
    if not above:
        return scene.get_named(last)
    top = find_named_path(scene, above)
    if top is None:
        return None
    return find_path(scene, f"./{last}", top) or next((part for part in top.tree if scene.is_named(part, last)), None)


def make_object_path(scene: CoppeliaScene, item: SceneObject) -> str:
    """Return the full path of an object, with indices where siblings have the same alias."""
    parts = []
    at: SceneObject | None = item
    while at is not None:
        siblings = scene.roots if at.parent is None else at.parent.children
        same = [other for other in siblings if other.alias == at.alias]
        parts.append(at.alias + (f"[{same.index(at)}]" if len(same) > 1 else ""))
        at = at.parent
    return "/" + "/".join(reversed(parts))


def _match(siblings: Sequence[SceneObject], levels: Sequence[str], seen: set[tuple[int, int]]) -> Iterator[SceneObject]:
    """Yield the objects at a path below some siblings; matches without omitted levels come first.

    `seen` contains the pairs of sibling list and number of remaining levels that were searched already.
    """
    if (id(siblings), len(levels)) in seen:
        return
    seen.add((id(siblings), len(levels)))
    parsed = LEVEL.fullmatch(levels[0])
    if parsed is None:
        return
    fitting = [sibling for sibling in siblings if fnmatch.fnmatchcase(sibling.alias, parsed["alias"])]
    if parsed["number"] is not None:
        everywhere = [found for root in siblings for found in root.tree]
        fitting = [found for found in everywhere if fnmatch.fnmatchcase(found.alias, parsed["alias"])]
        fitting = fitting[int(parsed["number"]) :][:1]
    elif parsed["sibling"] is not None:
        fitting = fitting[int(parsed["sibling"]) :][:1]
    for found in fitting:
        if len(levels) == 1:
            yield found
        else:
            yield from _match(found.children, levels[1:], seen)
    if parsed["number"] is None:
        for sibling in siblings:
            yield from _match(sibling.children, levels, seen)
