"""Worlds from other formats: of Stage, floor plans of Rossum's Playhouse, and pictures whose dark parts are walls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from paddock.core.errors import SpecError
from paddock.core.geometry import Point
from paddock.worlds.importers.bitmap import SCALE, THRESHOLD, bitmap_world
from paddock.worlds.importers.result import Imported, read_text
from paddock.worlds.importers.rossum import rossum_world
from paddock.worlds.importers.stage import stage_world
from paddock.worlds.placement import check_placement, robot_types
from paddock.worlds.spec import Placed

__all__ = [
    "HEIGHT",
    "MAPS",
    "PICTURES",
    "SCALE",
    "STAGE",
    "THRESHOLD",
    "Imported",
    "bitmap_world",
    "import_world",
    "place_robot",
    "rossum_world",
    "stage_world",
]

STAGE = (".world", ".inc")
MAPS = (".yaml", ".yml")  # of map_server, which `paddock.mapping.import_map` reads
PICTURES = (".png", ".pgm", ".pbm", ".bmp", ".gif", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
HEIGHT = 0.5  # [m] plans and pictures are flat: so high, walls are in the way of every sensor of the shipped robots


def import_world(
    path: str | Path,
    *,
    scale: float | None = None,
    threshold: float | None = None,
    height: float = HEIGHT,
    robot: str | None = "scout",
    at: Point | None = None,
    heading_deg: float | None = None,
) -> Imported:
    """A world from a picture or a world of Stage (by the ending of its name), or from a floor plan (any other).

    Args:
        scale: metres per pixel of a picture; None: 0.01. Floor plans have units of their own.
        threshold: what is darker than this in a picture is a wall, 0 black … 1 white; None: 0.5.
        height: of everything that stands on the floor [m]; in a world of Stage, of what tells none.
        robot: type of the robot to put in; None: none. It stands on the plan's first placement,
            or where a picture has most room, unless `at` says where. Worlds of Stage have their own.
        at, heading_deg: the robot's place [m] and heading.
    """
    path = Path(path)
    if path.suffix.lower() in PICTURES:
        found = bitmap_world(
            path,
            scale=SCALE if scale is None else scale,
            threshold=THRESHOLD if threshold is None else threshold,
            height=height,
        )
    else:
        for name, value in (("scale", scale), ("threshold", threshold)):
            if value is not None:
                raise SpecError(f"expected none: {path.name} is no picture, only pictures have it", path=name)
        if path.suffix.lower() in STAGE:
            found = stage_world(path, height=height)
        else:
            found = rossum_world(read_text(path), file=path.name, height=height)
    return place_robot(found, path, robot=robot, at=at, heading_deg=heading_deg)


def place_robot(
    found: Imported, path: Path, *, robot: str | None, at: Point | None = None, heading_deg: float | None = None
) -> Imported:
    """Put a robot into a world that was read from a file, unless it has its own; the arguments are as above."""
    if found.world.robots:
        if at is not None:
            raise SpecError(f"expected none: {path.name} has robots of its own", path="at")
        check_placement(replace(found.world, file=path.name), robot_types(found.world))
        return found
    if robot is None:
        return found
    if at is None and found.start is None:
        return found._replace(left_out=(*found.left_out, "no robot: the plan has no placement to put it on"))
    placed = Placed(name="robot", type=robot, at=at, start=found.start if at is None else None, heading_deg=heading_deg)
    world = found.world.with_robots(placed)
    types = robot_types(world)
    try:
        check_placement(replace(world, file=path.name), types)
    except SpecError:
        if at is not None or path.suffix.lower() not in (*PICTURES, *MAPS):
            raise
        problem = f"even where there is most room, there is none for the {types[0].name}"
        raise SpecError(f"{problem}: choose a larger scale or a smaller robot", file=path.name) from None
    return found._replace(world=world)
