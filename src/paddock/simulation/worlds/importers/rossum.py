"""Import floor plans of Rossum's Playhouse (RP1, a Java simulator of 1999 to 2005) as worlds.

RP1 is two-dimensional: every obstacle blocks every sensor. A unit applies to the statements that follow it. An
orientation rotates around the plan's origin, then the offset is applied. Names are unique among all objects.
"""

from __future__ import annotations

import math
from collections import Counter

from paddock.core.errors import SpecError, format_value, suggestion
from paddock.core.geometry import Point
from paddock.simulation.worlds.importers.declaration_fields import UNITS, Fields
from paddock.simulation.worlds.importers.import_result import FLOOR_DETAIL, MAX_FLOOR, ImportedWorld, tidy, world_name
from paddock.simulation.worlds.importers.polygons import make_box, move_corners, outline, paint_area, regular
from paddock.simulation.worlds.importers.statements import Declaration, StatementEntry, problem_at, statements
from paddock.simulation.worlds.world_spec import (
    OBSTACLE_COLOR,
    WALL_COLOR,
    Box,
    Floor,
    Light,
    Start,
    Stroke,
    Wall,
    WorldSpec,
)

KEYS = {
    "wall": ("geometry", "constraint"),
    "obstacle": ("geometry", "polygon", "offset", "orientation"),
    "paint": ("geometry", "polygon", "offset", "orientation", "region"),
    "target": ("geometry", "lineWidth"),
    "placement": ("geometry", "lineWidth"),
    "node": ("geometry",),
    "link": ("nodes",),
}
SKIPPED = "doorway"
PAINT_COLOR, LIGHT_COLOR = "#101010", "#fff2cc"
LEAST_RADIUS, MAX_RADIUS = 0.005, 10_000.0  # limits of a polygon's radius [m]
MARGIN = 0.05  # margin around the plan, relative to its size
REASONS = {
    "link": "nodes are imported as starts, but a world has no graph",
    "doorway": "they have no effect in RP1 either",
    "region of paint": "ground sensors measure the colour of paint, not its number",
    "wall without length": "RP1 ignores them too",
}


def rossum_world(text: str, *, file: str = "plan.txt", height: float = 0.5) -> ImportedWorld:
    """Convert a floor plan to a world without a robot; all obstacles are `height` [m] high."""
    plan = _Plan(height)
    try:
        for statement in statements(text):
            plan.add(statement)
        return plan.world(world_name(file))
    except SpecError as error:
        raise error.within(file=file) from None


class _Plan:
    """The objects that have been read so far."""

    def __init__(self, height: float) -> None:
        self.height, self.unit, self.caption = height, 1.0, ""
        self.walls: list[Wall] = []
        self.boxes: list[Box] = []
        self.strokes: list[Stroke] = []
        self.lights: list[Light] = []
        self.starts: dict[str, list[Start]] = {"placement": [], "target": [], "node": []}
        self.keywords: dict[str, str] = {}  # keyword by name of the object
        self.extent: list[Point] = []
        self.left_out: Counter[str] = Counter()

    def add(self, statement: StatementEntry | Declaration) -> None:
        """Add a statement."""
        if isinstance(statement, StatementEntry):
            self._specify(statement)
            return
        keyword = statement.keyword
        if keyword not in (*KEYS, SKIPPED):
            raise problem_at(statement.line, f"unknown keyword {keyword!r}{suggestion(keyword, [*KEYS, SKIPPED])}")
        if statement.name in self.keywords:
            raise problem_at(statement.line, f"expected different names, got {statement.name!r} twice")
        name = statement.name or self._new_name(keyword)
        self.keywords[name] = keyword
        if keyword == SKIPPED:
            self.left_out[SKIPPED] += 1
            return
        fields = Fields(statement, KEYS[keyword], self.unit)
        try:
            getattr(self, f"_{keyword}")(name, fields)
        except SpecError as error:
            if error.path.startswith("line "):
                raise
            raise fields.problem(str(error)) from None  # errors of the world's classes have no line

    def world(self, name: str) -> ImportedWorld:
        """Return the world with a margin around all objects."""
        if not self.extent:
            raise SpecError("expected at least one object, such as: wall a { geometry: 0, 0, 2, 0, 0.1; }")
        xs, ys = zip(*self.extent, strict=True)
        size = max(max(xs) - min(xs), max(ys) - min(ys))
        around = round(MARGIN * (size or 1.0), 3)
        bounds = (min(xs) - around, min(ys) - around, max(xs) + around, max(ys) + around)
        floor = Floor(strokes=tuple(self.strokes), pixels_per_metre=min(FLOOR_DETAIL, MAX_FLOOR / (size + 2 * around)))
        world = WorldSpec(
            name=name,
            title=" ".join(self.caption.split()),
            bounds=tuple(round(edge, 9) for edge in bounds),  # type: ignore[arg-type]
            open=True,
            walls=tuple(self.walls),
            boxes=tuple(self.boxes),
            floor=floor if self.strokes else Floor(),
            lights=tuple(self.lights),
            starts=tuple(start for starts in self.starts.values() for start in starts),
        )
        first = next((start.name for start in self.starts["placement"]), None)
        left_out = (f"{count} × {what}: {REASONS[what]}" for what, count in sorted(self.left_out.items()))
        return ImportedWorld(world, first, tuple(left_out))

    def _specify(self, entry: StatementEntry) -> None:
        values = [word.text if word.kind == "word" else word.value for word in entry.values]
        if entry.key == "units":
            if len(values) != 1 or values[0] not in UNITS:
                written = ", ".join(word.text for word in entry.values)
                raise problem_at(entry.line, f"units: expected {' or '.join(UNITS)}, got {written}")
            self.unit = UNITS[str(values[0])]
        elif entry.key == "caption":
            if [word.kind for word in entry.values] != ["text"]:
                raise problem_at(entry.line, f"caption: expected one string in quotes, got {format_value(values[0])}")
            self.caption = str(values[0])
        else:
            raise problem_at(entry.line, f"unknown keyword {entry.key!r}{suggestion(entry.key, ['units', 'caption'])}")

    def _new_name(self, keyword: str) -> str:
        number = 1
        while f"{keyword}{number}" in self.keywords:
            number += 1
        return f"{keyword}{number}"

    def _wall(self, name: str, fields: Fields) -> None:
        x0, y0, x1, y1, thickness = fields.lengths("geometry", "x0, y0, x1, y1, thickness")
        if "constraint" in fields:
            fields.words("constraint", "one name")
        if math.hypot(x1 - x0, y1 - y0) < 1e-9:
            self.left_out["wall without length"] += 1
            return
        if thickness <= 0:
            raise fields.problem(f"geometry: expected a thickness > 0, got {thickness / self.unit:g}")
        points = (tidy(x0, y0), tidy(x1, y1))
        color = fields.color(WALL_COLOR)
        self.walls.append(Wall(points=points, thickness=round(thickness, 9), height=self.height, color=color))
        for x, y in points:
            self._reach(x, y, thickness / 2)

    def _obstacle(self, name: str, fields: Fields) -> None:
        corners, color = self._corners(fields), fields.color(OBSTACLE_COLOR)
        box = make_box(corners, self.height, color)
        if box is not None:
            self.boxes.append(box)
        else:  # worlds have no other polygons: use a closed thin wall, and paint its inside for viewers
            self.walls.append(outline(corners, self.height, color))
            self.strokes.append(paint_area(corners, color))

    def _paint(self, name: str, fields: Fields) -> None:
        if "region" in fields:
            fields.whole("region", 0, 2**31 - 1)
            self.left_out["region of paint"] += 1
        self.strokes.append(paint_area(self._corners(fields), fields.color(PAINT_COLOR)))

    def _target(self, name: str, fields: Fields) -> None:
        x, y, radius = fields.lengths("geometry", "x, y, radius")
        self._mark("target", name, (x, y), 0.0, radius)
        # Below the tops of the walls, so that walls cast shadows.
        self.lights.append(Light(at=tidy(x, y), height=self.height / 2, color=fields.color(LIGHT_COLOR)))

    def _placement(self, name: str, fields: Fields) -> None:
        x, y, heading, radius = fields.numbers("geometry", "x, y, heading in degrees, radius")
        self._mark("placement", name, (x * self.unit, y * self.unit), heading, radius * self.unit)

    def _node(self, name: str, fields: Fields) -> None:
        x, y = fields.lengths("geometry", "x, y")
        self._mark("node", name, (x, y), 0.0, 0.0)

    def _link(self, name: str, fields: Fields) -> None:
        nodes = [known for known, keyword in self.keywords.items() if keyword == "node"]
        for node in fields.words("nodes", "the names of two nodes", count=2):
            if node not in nodes:
                raise fields.problem(
                    f"nodes: no node called {node!r} above{suggestion(node, nodes)}", fields.entries["nodes"]
                )
        self.left_out["link"] += 1

    def _mark(self, keyword: str, name: str, at: Point, heading_deg: float, radius: float) -> None:
        self.starts[keyword].append(Start(name=name, at=tidy(*at), heading_deg=heading_deg))
        self._reach(*at, abs(radius))

    def _corners(self, fields: Fields) -> list[Point]:
        if ("polygon" in fields) == ("geometry" in fields):
            got = "both" if "polygon" in fields else "neither"
            raise fields.problem(f"expected either geometry or polygon, got {got}")
        if "polygon" in fields:
            sides, radius = fields.numbers("polygon", "number of sides, radius")
            radius *= self.unit
            if not sides.is_integer() or not 3 <= sides <= 256:
                raise fields.problem(f"polygon: expected 3 to 256 sides, got {sides:g}", fields.entries["polygon"])
            if not LEAST_RADIUS <= radius <= MAX_RADIUS:
                raise fields.problem(
                    f"polygon: expected a radius from {LEAST_RADIUS / self.unit:g} to {MAX_RADIUS / self.unit:g}, "
                    f"got {radius / self.unit:g}",
                    fields.entries["polygon"],
                )
            corners = regular(int(sides), radius)
        else:
            corners = fields.points("geometry")
        dx, dy = fields.lengths("offset", "dx, dy") if "offset" in fields else (0.0, 0.0)
        (turn,) = fields.numbers("orientation", "degrees") if "orientation" in fields else (0.0,)
        corners = move_corners(corners, math.radians(turn), (dx, dy))
        for x, y in corners:
            self._reach(x, y, 0.0)
        return corners

    def _reach(self, x: float, y: float, radius: float) -> None:
        self.extent += [(x - radius, y - radius), (x + radius, y + radius)]
