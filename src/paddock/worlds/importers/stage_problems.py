"""Find possible mistakes in a world of Stage that can be read."""

from __future__ import annotations

from collections.abc import Iterator

from paddock.core.errors import suggestion
from paddock.worlds.importers.stage_shapes import find_color
from paddock.worlds.importers.stage_text import StageEntity


def list_problems(world: StageEntity) -> list[str]:
    """Return the possible mistakes, each once, with file and line."""
    return list(dict.fromkeys((*_walk(world), *_find_same_names(world))))


def _walk(entity: StageEntity) -> Iterator[str]:
    if entity.text("color", "random") != "random" and find_color(entity) is None:  # random: Stage chooses one
        from PIL import ImageColor

        color = entity.text("color", "")
        yield f"{entity.locate('color')}: color: no colour called {color!r}{suggestion(color, ImageColor.colormap)}"
    if len(entity.numbers("pose", ())) == 3:
        yield f"{entity.locate('pose')}: pose: three numbers mean x, y and heading; [x y z heading] is unambiguous"
    for child in entity.children:
        yield from _walk(child)


def _find_same_names(world: StageEntity) -> Iterator[str]:
    """Find duplicate names of top-level models, which Player's configurations select by name."""
    seen: dict[str, str] = {}
    for entity in world.children:
        name = entity.text("name", "")
        if name and name in seen:
            also = f"{seen[name]} is also called {name!r}"
            yield f"{entity.locate('name')}: name: {also}; the robot is renamed"
        seen.setdefault(name, entity.locate("name"))
