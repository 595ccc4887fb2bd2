"""Import worlds of Stage (`.world`, with `.inc` files and bitmaps), with their robots."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from paddock.bridges.player.importer.stage_robot import SENSING, make_robot, walk_parts
from paddock.bridges.player.importer.stage_shapes import StageUnits, find_color, fit, list_blocks, place, trace_bitmap
from paddock.bridges.player.importer.stage_text import StageEntity, choose, read_stage
from paddock.core.errors import SpecError, suggestion
from paddock.core.geometry import ORIGIN, Point, Pose, compose, rectangle
from paddock.simulation.worlds.importers.import_result import ImportedWorld, tidy, world_name
from paddock.simulation.worlds.importers.polygons import make_box, outline
from paddock.simulation.worlds.world_spec import WALL_COLOR, Box, RobotPlacement, Wall, WorldSpec

BOUNDARY = 0.01  # [m] thickness of the walls that `boundary 1` adds
MARGIN = 0.5  # [m] margin around all models
LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
ANGLES = {"degrees": math.radians(1.0), "radians": 1.0}
MODELS = ("model", "floorplan", "map")
LEFT_OUT = {
    "fiducial": "for Player's clients every robot has a fiducial finder with a range of 8 m",
    "blobfinder": "blobs are not supported",
    "gripper": "grippers are not supported",
    "camera": "add a camera to the robot's table instead",
    "actuator": "actuators are not supported",
    "lightindicator": "light indicators are not supported",
}
HINTS = {
    "localization_origin": "for poses in the world: `paddock serve WORLD --bridge player=6665,world`",
    "ctrl": "controllers are separate programs here",
    "odom_error": "for Player's clients position2d reports exact poses",
}


def stage_world(path: str | Path, *, height: float = 0.5) -> ImportedWorld:
    """Convert a Stage file to a world, with its robots.

    Args:
        path: path of the `.world` file; includes are searched in its folder.
        height: height of models without one [m].
    """
    try:
        return _StageWorld(Path(path), height).convert()
    except SpecError as error:
        raise error.within(file=Path(path).name) from None


class _StageWorld:
    """The models that have been converted so far."""

    def __init__(self, path: Path, height: float) -> None:
        self.path, self.height = path, height
        self.root = read_stage(path)
        self.units = StageUnits(
            choose(self.root, "unit_length", LENGTHS, "m"), choose(self.root, "unit_angle", ANGLES, "degrees")
        )
        self.boxes: list[Box] = []
        self.walls: list[Wall] = []
        self.robots: list[RobotPlacement] = []
        self.extent: list[Point] = []
        self.ground: list[Point] = []  # extent without robots
        self.left_out: dict[str, str] = {}  # message with the first location, by kind of omission
        self.places: list[str] = []  # locations of the robots in the file

    def convert(self) -> ImportedWorld:
        size = self.root.numbers("size", ())
        if len(size) >= 2:  # Stage 2: the size of the world
            self.ground += rectangle(size[0] * self.units.metres, size[1] * self.units.metres)
            self.extent += self.ground
        for entity in self.root.children:
            if entity.base != "window":
                self._add(entity, ORIGIN)
        if not self.extent:
            raise SpecError("expected models, found none", file=self.path.name)
        xs, ys = zip(*self.extent, strict=True)
        bounds = (min(xs) - MARGIN, min(ys) - MARGIN, max(xs) + MARGIN, max(ys) + MARGIN)
        world = WorldSpec(
            name=world_name(self.path),
            title=self.root.text("name", f"Imported from {self.path.name}"),
            bounds=(*tidy(*bounds[:2]), *tidy(*bounds[2:])),
            open=True,  # Stage's worlds have no border
            boxes=tuple(self.boxes),
            walls=tuple(self.walls),
            robots=tuple(self.robots),
        )
        return ImportedWorld(
            world, None, tuple(self.left_out.values()), (*list_problems(self.root), *self._list_robot_problems())
        )

    def _list_robot_problems(self) -> Iterator[str]:
        """Find robots outside the extent of all other models."""
        if not self.ground:
            return
        xs, ys = zip(*self.ground, strict=True)
        for robot, where in zip(self.robots, self.places, strict=True):
            assert robot.at is not None
            x, y = robot.at
            if not (min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys)):
                yield f"{where}: pose: {robot.name} is at {x:g}, {y:g}, outside all other models"

    def _add(self, entity: StageEntity, parent: Pose) -> None:
        pose = compose(parent, self.units.pose(entity))
        for key, hint in HINTS.items():
            if (found := entity.properties.get(key)) is not None:
                self._leave_out(f"property {key}", f"{found.file}:{found.line}", f"{key}: {hint}")
        if entity.base == "position":
            self._locate_mistakes(self._add_robot, entity, pose)
        elif entity.base in MODELS:
            self._locate_mistakes(self._add_obstacle, entity, pose)
            for child in entity.children:
                if child.base != "block":
                    self._add(child, pose)
        else:
            self._leave_out(entity.base, entity.place, self._explain(entity))

    def _locate_mistakes(self, add: Callable[[StageEntity, Pose], None], entity: StageEntity, pose: Pose) -> None:
        """Convert an entity; add its location to errors."""
        try:
            add(entity, pose)
        except SpecError as error:
            raise error if error.file else entity.problem(str(error)) from None

    def _explain(self, entity: StageEntity) -> str:
        return f"{entity.type}: {LEFT_OUT.get(entity.base, 'it is not supported')}"

    def _leave_out(self, what: str, where: str, text: str) -> None:
        self.left_out.setdefault(what, f"{where}: {text}")

    # ---- robots

    def _add_robot(self, entity: StageEntity, pose: Pose) -> None:
        for child, _ in walk_parts(entity, self.units):
            if child.base not in SENSING:
                text = (
                    f"{child.type}: it is not part of the body here" if child.base in MODELS else self._explain(child)
                )
                self._leave_out(f"part {child.base}", child.place, text)
        placed = RobotPlacement(
            name=self._name_robot(entity),
            type=make_robot(entity, self.units),
            at=tidy(pose.x, pose.y),
            heading_deg=round(math.degrees(pose.heading), 9),
            noise=False,
        )
        self.robots.append(placed)
        self.places.append(entity.locate("pose"))
        self.extent.append((pose.x, pose.y))

    def _name_robot(self, entity: StageEntity) -> str:
        taken = {robot.name for robot in self.robots}
        wanted = re.sub(r"[^\w-]", "-", entity.text("name", f"r{len(self.robots)}"))
        return next(n for n in (wanted, *(f"{wanted}-{k}" for k in range(2, len(taken) + 3))) if n not in taken)

    # ---- obstacles

    def _add_obstacle(self, entity: StageEntity, pose: Pose) -> None:
        if not entity.number("obstacle_return", 1):
            self._leave_out("free model", entity.place, f"{entity.type}: it is not an obstacle (obstacle_return 0)")
            return
        length, width, tall = self.units.size(entity)
        here = compose(pose, self.units.pose(entity, "origin"))
        if len(entity.numbers("size", ())) < 3:
            tall = self.height
        color = find_color(entity) or WALL_COLOR
        for polygon in self._list_shapes(entity, length, width):
            self._add_polygon(place(polygon, here), tall, color)
        if entity.number("boundary", 0):
            for x, y, long, wide in (
                (0.0, -width / 2, length, BOUNDARY),
                (0.0, width / 2, length, BOUNDARY),
                (-length / 2, 0.0, BOUNDARY, width),
                (length / 2, 0.0, BOUNDARY, width),
            ):
                self._add_polygon(place(rectangle(long, wide), compose(here, Pose(x, y, 0.0))), tall, color)

    def _list_shapes(self, entity: StageEntity, length: float, width: float) -> Sequence[Sequence[Point]]:
        if entity.text("bitmap", ""):
            return fit(trace_bitmap(entity, self.path.parent), length, width)
        if blocks := list_blocks(entity):
            return fit(blocks, length, width)
        return [] if entity.number("noblocks", 0) or entity.number("boundary", 0) else [rectangle(length, width)]

    def _add_polygon(self, corners: Sequence[Point], height: float, color: str) -> None:
        self.extent += corners
        self.ground += corners
        box = make_box(corners, height, color)
        if box is None:
            self.walls.append(outline([tidy(x, y) for x, y in corners], height, color))
        else:
            self.boxes.append(box)


# ---- possible mistakes in a world that can be read


def list_problems(world: StageEntity) -> list[str]:
    """Return the possible mistakes, each once, with file and line."""
    return list(dict.fromkeys((*_find_mistakes(world), *_find_same_names(world))))


def _find_mistakes(entity: StageEntity) -> Iterator[str]:
    if entity.text("color", "random") != "random" and find_color(entity) is None:  # random: Stage chooses one
        from PIL import ImageColor

        color = entity.text("color", "")
        yield f"{entity.locate('color')}: color: no colour called {color!r}{suggestion(color, ImageColor.colormap)}"
    if len(entity.numbers("pose", ())) == 3:
        yield f"{entity.locate('pose')}: pose: three numbers mean x, y and heading; [x y z heading] is unambiguous"
    for child in entity.children:
        yield from _find_mistakes(child)


def _find_same_names(world: StageEntity) -> Iterator[str]:
    """Find duplicate names of top-level models, which Player's configurations select by name."""
    seen: dict[str, str] = {}
    for entity in world.children:
        name = entity.text("name", "")
        if name and name in seen:
            also = f"{seen[name]} is also called {name!r}"
            yield f"{entity.locate('name')}: name: {also}; the robot is renamed"
        seen.setdefault(name, entity.locate("name"))
