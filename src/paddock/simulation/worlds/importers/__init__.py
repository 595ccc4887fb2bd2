"""Import worlds from other formats: worlds of Stage, floor plans of Rossum's Playhouse, and images with dark walls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from paddock.core.errors import SpecError
from paddock.core.files import refuse_special_file
from paddock.core.geometry import Point
from paddock.core.registry import Registry
from paddock.simulation.worlds.importers.bitmap import SCALE, THRESHOLD, bitmap_world
from paddock.simulation.worlds.importers.import_result import ImportedWorld, read_text
from paddock.simulation.worlds.importers.rossum import rossum_world
from paddock.simulation.worlds.placement import check_placement, robot_types
from paddock.simulation.worlds.world_spec import RobotPlacement

__all__ = [
    "HEIGHT",
    "IMPORTERS",
    "MAPS",
    "PICTURES",
    "SCALE",
    "THRESHOLD",
    "ImportedWorld",
    "bitmap_world",
    "import_world",
    "place_robot",
    "rossum_world",
]

IMPORTERS: Registry[Callable[..., ImportedWorld]] = Registry("importer", group="paddock.importers")
"""Functions that read a world file of another simulator, by the suffix of its name: `read(path, height=…)`."""
MAPS = (".yaml", ".yml")  # files of map_server, which `paddock.perception.mapping.import_map` reads
PICTURES = (".png", ".pgm", ".pbm", ".bmp", ".gif", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
HEIGHT = 0.5  # [m] plans and images have no heights; walls of this height block every sensor of the shipped robots


def import_world(
    path: str | Path,
    *,
    scale: float | None = None,
    threshold: float | None = None,
    height: float = HEIGHT,
    robot: str | None = "scout",
    at: Point | None = None,
    heading_deg: float | None = None,
) -> ImportedWorld:
    """Import a world from an image or a world of Stage (by the suffix of its name), or from a floor plan (any other).

    Args:
        scale: metres per pixel of an image; None: 0.01. Floor plans have their own units.
        threshold: pixels of an image that are darker than this are walls, 0 black … 1 white; None: 0.5.
        height: height of all obstacles [m]; in a world of Stage, of models without a height.
        robot: type of the robot to add; None: no robot. Without `at`, it starts at the plan's first placement,
            or where an image has the most free space. Worlds of Stage have their own robots.
        at, heading_deg: position [m] and heading of the robot.
    """
    path = Path(path)
    refuse_special_file(path)
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
                raise SpecError(f"expected none: {path.name} is not a picture, and only pictures have it", path=name)
        if path.suffix.lower() in IMPORTERS:
            found = IMPORTERS.get(path.suffix.lower())(path, height=height)
        else:
            found = rossum_world(read_text(path), file=path.name, height=height)
    return place_robot(found, path, robot=robot, at=at, heading_deg=heading_deg)


def place_robot(
    imported: ImportedWorld, path: Path, *, robot: str | None, at: Point | None = None, heading_deg: float | None = None
) -> ImportedWorld:
    """Add a robot to an imported world, unless it has its own; for the arguments see `import_world`."""
    if imported.world.robots:
        if at is not None:
            raise SpecError(f"expected none: {path.name} has its own robots", path="at")
        check_placement(replace(imported.world, file=path.name), robot_types(imported.world))
        return imported
    if robot is None:
        return imported
    if at is None and imported.start is None:
        return imported._replace(left_out=(*imported.left_out, "no robot: the plan has no placement for it"))
    placed = RobotPlacement(
        name="robot", type=robot, at=at, start=imported.start if at is None else None, heading_deg=heading_deg
    )
    world = imported.world.with_robots(placed)
    types = robot_types(world)
    try:
        check_placement(replace(world, file=path.name), types)
    except SpecError:
        if at is not None or path.suffix.lower() not in (*PICTURES, *MAPS):
            raise
        problem = f"even where there is most room, the {types[0].name} does not fit"
        raise SpecError(f"{problem}: choose a larger scale or a smaller robot", file=path.name) from None
    return imported._replace(world=world)
