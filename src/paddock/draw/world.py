"""Pictures of worlds and robots for people: floor, fields, walls, robots, sensors, with axes and a key."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from paddock.core.geometry import Disc, Point, Pose, Shape, placed
from paddock.core.spec import rgb
from paddock.draw.canvas import FAINT, FINER, INK, Canvas, Rect, darker, round_length, rows_of_key, tint
from paddock.draw.legend import BEGINNING, GOAL, GOALS, Entry, draw_beginning, draw_goal, draw_symbol
from paddock.draw.robot import draw_robot
from paddock.draw.symbols import (
    Sight,
    beams,
    draw_beams,
    draw_lamp,
    draw_robot_body,
    draw_sound,
    draw_start,
    front,
)
from paddock.robots.spec import RobotSpec
from paddock.worlds.fields import field_tint
from paddock.worlds.floor import draw_floor
from paddock.worlds.placement import robot_types, start_pose
from paddock.worlds.solids import solids
from paddock.worlds.spec import WorldSpec

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["draw_robot", "draw_world"]

LONGEST_BEAM = 1.5  # beams are drawn no longer than this [m],
LARGEST_SHARE = 0.3  # nor than this share of the world
FEW = 40  # more robots than this get no names and no beams
TALLEST = 1.4  # times the width


def draw_world(
    spec: WorldSpec,
    *,
    poses: Iterable[Iterable[float]] | None = None,
    trails: Mapping[str, Iterable[Point]] | None = None,
    rays: bool = True,
    about: str = "",
    key: Sequence[Entry] = (),
    size: int = 1000,
) -> Image:
    """A picture of a world, `size` pixels wide.

    Args:
        poses: x, y [m] and heading [rad] of every robot, in the world's order; None: where they start.
        trails: where robots have been, by name: points [m], drawn in the robot's colour, from the first on.
        rays: whether to show what the sensors can see, at most 1.5 m far.
        about: what the line below the title says, after the world's name and size; empty: how many robots there are.
        key: what else is drawn over the picture later on, and has to be explained.
        size: width of the picture [pixels]; its height follows from the world.
    """
    types = robot_types(spec)
    standing = [start_pose(spec, r) for r in spec.robots] if poses is None else [Pose(*map(float, p)) for p in poses]
    colors = [robot.color or kind.body.color for robot, kind in zip(spec.robots, types, strict=True)]
    few = len(types) <= FEW
    paths = {name: list(points) for name, points in (trails or {}).items()}
    entries = [*_key(spec, types if rays and few else []), *_key_of_paths(paths, colors), *key]
    plan = Plan(spec, size, entries, about)
    canvas = plan.canvas
    plan.draw_ground()
    pieces = [piece for piece in solids(spec) if piece.path != "border"]
    if rays and few:
        sight = Sight(pieces, spec.bounds)
        x0, y0, x1, y1 = spec.bounds
        most = min(LONGEST_BEAM, LARGEST_SHARE * max(x1 - x0, y1 - y0))
        for kind, pose in zip(types, standing, strict=True):
            for sensor in kind.sensors:
                draw_beams(canvas, sensor, pose, most, sight)
    for robot, color in zip(spec.robots, colors, strict=True):
        points = paths.get(robot.name, [])
        if len(points) > 1:
            canvas.line(points, tint("#ffffff", 0.7), 4.8 * plan.zoom)  # stands out from dark floors, too
            canvas.line(points, tint(color, 0.9), 3.0 * plan.zoom)
    bodies: list[Shape] = [placed(kind.body.shape, *pose) for kind, pose in zip(types, standing, strict=True)]
    canvas.shadows([piece.shape for piece in pieces] + bodies, plan.plot, 3.0 * plan.zoom)
    for piece in pieces:  # all outlines first, so that the pieces of a wall melt together
        _draw_thick(canvas, piece.shape, darker(piece.color), 1.2 * plan.zoom)
    for piece in pieces:
        _draw_thick(canvas, piece.shape, piece.color, 0.0)
    plan.draw_frame()
    for lamp in spec.lights:
        draw_lamp(canvas, canvas.at(lamp.at), lamp.color, 7 * plan.zoom)
    for sound in spec.sounds:
        draw_sound(canvas, canvas.at(sound.at), 7 * plan.zoom)
    plan.draw_starts(types, standing)
    for points in paths.values():
        if len(points) > 1:
            plan.draw_beginning(points[0], types, standing)
    for kind, pose, color in zip(types, standing, colors, strict=True):
        draw_robot_body(canvas, kind, pose, color)
    if few:
        plan.draw_names(types, standing)
    return canvas.finished()


def _draw_thick(canvas: Canvas, shape: Shape, color: str, around: float) -> None:
    """A filled shape, `around` pixels larger, and never so thin that it cannot be seen."""
    if isinstance(shape, Disc):
        canvas.disc((shape.x, shape.y), shape.radius + around / canvas.scale, tint(color))
        return
    canvas.polygon(shape, tint(color))
    canvas.line([*shape, shape[0], shape[1]], tint(color), 2 * around + 1.0)


def _key(spec: WorldSpec, types: Sequence[RobotSpec]) -> list[Entry]:
    """What the symbols mean; sensors by the names that programs call them, those of a colour together."""
    seen: dict[str, dict[str, None]] = {}
    for sensor in (sensor for kind in types for sensor in kind.sensors if next(beams(sensor), None)):
        seen.setdefault(sensor.look.color, {})[sensor.name] = None
    key = [Entry("cone", color, ", ".join(names)) for color, names in seen.items()]
    key += [Entry("field", field.color, f"{field.name} (field)") for field in spec.fields]
    if spec.lights:
        key.append(Entry("lamp", spec.lights[0].color, "lamp"))
    if spec.sounds:
        key.append(Entry("sound", INK, "sound"))
    key += [Entry("goal", GOAL, name) for name in GOALS if any(start.name == name for start in spec.starts)]
    if any(start.name not in GOALS for start in spec.starts):
        key.append(Entry("start", INK, "start pose"))
    return key


def _key_of_paths(paths: Mapping[str, Sequence[Point]], colors: Sequence[str]) -> list[Entry]:
    if not any(len(points) > 1 for points in paths.values()):
        return []
    color = colors[0] if len(colors) == 1 else FAINT
    return [Entry("beginning", INK, "start"), Entry("robot", color, "end")]


def standing_on(at: Point, types: Sequence[RobotSpec], poses: Sequence[Pose]) -> tuple[Pose, float] | None:
    """The pose of a robot that covers a point, and how far it reaches [m]."""
    for kind, pose in zip(types, poses, strict=True):
        reach = front(kind.body.shape)
        if math.dist(pose[:2], at) < reach:
            return pose, reach
    return None


def _metres(length: float) -> str:
    """A length with as many digits as say something."""
    return f"{length:.3g}" if length < 100 else f"{length:.0f}"


class Plan:
    """Where everything goes in the picture of a world."""

    def __init__(self, spec: WorldSpec, size: int, key: Sequence[Entry], about: str = "") -> None:
        self.spec, self.zoom, self.about = spec, size / 1000, about
        x0, y0, x1, y1 = spec.bounds
        z = self.zoom
        self.step = round_length(max(x1 - x0, y1 - y0) / 5)
        labels = [Canvas.measure(text, 14 * z)[0] for _, text in self._ticks(y0, y1)]
        self.title_height, side, axis = 78 * z, max(62 * z, max(labels, default=0.0) + 26 * z), 46 * z
        right = 30 * z
        scale = min((size - side - right) / (x1 - x0), TALLEST * size / (y1 - y0))
        wide, high = (x1 - x0) * scale, (y1 - y0) * scale
        left = side + (size - side - right - wide) / 2
        self.rows = rows_of_key(key, lambda entry: entry.text, size - side - right - 200 * z, z)
        bottom = self.title_height + high
        height = round(bottom + axis + max(1, len(self.rows)) * 24 * z + 20 * z)
        self.canvas = Canvas(size, height)
        self.canvas.view(x0, y0, left, bottom, scale)
        self.plot: Rect = (left, self.title_height, left + wide, bottom)
        self._below = bottom + axis

    def draw_ground(self) -> None:
        """The floor, the fields on it, and a faint grid."""
        from PIL import Image

        left, top, right, bottom = (round(part * FINER) for part in self.plot)
        picture, _ = draw_floor(self.spec)
        floor = Image.fromarray(picture).resize((right - left, bottom - top), Image.Resampling.BILINEAR)
        for i, field in enumerate(self.spec.fields):
            layer = field_tint(self.spec, i, round(self.plot[2] - self.plot[0]), round(self.plot[3] - self.plot[1]))
            mask = Image.fromarray(layer).resize(floor.size, Image.Resampling.BICUBIC)
            floor.paste(rgb(field.color), (0, 0), mask)
        self.canvas.image.paste(floor, (left, top))
        x0, y0, x1, y1 = self.spec.bounds
        for x, _ in self._ticks(x0, x1):
            self.canvas.line([(x, y0), (x, y1)], tint(INK, 0.07), 1.0)
        for y, _ in self._ticks(y0, y1):
            self.canvas.line([(x0, y), (x1, y)], tint(INK, 0.07), 1.0)

    def draw_frame(self) -> None:
        """The border, the axes, the title, the key and the scale bar."""
        canvas, z, spec = self.canvas, self.zoom, self.spec
        left, top, right, bottom = self.plot
        x0, y0, x1, y1 = spec.bounds
        wall = min(max(spec.border.thickness * canvas.scale, 4 * z), 10 * z)
        if spec.open:
            canvas.stroke([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], tint(FAINT), 1.0)
            wall = 0.0
        else:
            for rect in (
                (left - wall, top - wall, right + wall, top),
                (left - wall, bottom, right + wall, bottom + wall),
                (left - wall, top, left, bottom),
                (right, top, right + wall, bottom),
            ):
                canvas.block(rect, tint(spec.border.color))
        for x, text in self._ticks(x0, x1):
            px = canvas.at((x, y0))[0]
            canvas.stroke([(px, bottom + wall), (px, bottom + wall + 5 * z)], tint(FAINT), 1.0)
            canvas.text((px, bottom + wall + 15 * z), text, 14 * z, color=FAINT, anchor="middle")
        for y, text in self._ticks(y0, y1):
            py = canvas.at((x0, y))[1]
            canvas.stroke([(left - wall - 5 * z, py), (left - wall, py)], tint(FAINT), 1.0)
            canvas.text((left - wall - 9 * z, py), text, 14 * z, color=FAINT, anchor="right")
        self._draw_title()
        self._draw_key()
        self._draw_scale_bar()

    def _draw_title(self) -> None:
        spec, z, canvas = self.spec, self.zoom, self.canvas
        x0, y0, x1, y1 = spec.bounds
        title = spec.title or spec.name
        left = min(self.plot[0], 62 * z)
        room = canvas.width - left - 30 * z
        canvas.text((left, 28 * z), title, canvas.fitting(title, 26 * z, room))
        count = len(spec.robots)
        robots = "no robots" if count == 0 else "1 robot" if count == 1 else f"{count} robots"
        about = f"{spec.name} · {_metres(x1 - x0)} × {_metres(y1 - y0)} m · {self.about or robots}"
        canvas.text((left, 55 * z), about, canvas.fitting(about, 15 * z, room), color=FAINT)

    def _draw_key(self) -> None:
        z, canvas = self.zoom, self.canvas
        for i, row in enumerate(self.rows):
            x, y = 62 * z, self._below + (i * 24 + 10) * z
            for entry in row:
                draw_symbol(canvas, entry, (x, y), z)
                canvas.text((x + 24 * z, y), entry.text, 14 * z, color=INK)
                x += 24 * z + canvas.measure(entry.text, 14 * z)[0] + 20 * z

    def _draw_scale_bar(self) -> None:
        z, canvas = self.zoom, self.canvas
        length = round_length(130 * z / canvas.scale)
        right, y = canvas.width - 30 * z, self._below + 10 * z
        text = f"{length:g} m" if length >= 0.1 else f"{length * 100:g} cm"
        canvas.scale_bar((right, y), length, text, z)

    def draw_starts(self, types: list[RobotSpec], poses: list[Pose]) -> None:
        """Start poses and their names, around the robots that stand on them; goals as flags."""
        canvas, z = self.canvas, self.zoom
        for kind, pose in zip(types, poses, strict=True):
            (x, y), r = canvas.at((pose.x, pose.y)), front(kind.body.shape) * canvas.scale
            canvas.taken.append((x - r, y - r, x + r, y + r))
        for start in self.spec.starts:
            radius = 11 * z
            for kind, pose in zip(types, poses, strict=True):
                if math.dist(pose[:2], start.at) * canvas.scale < radius:
                    radius = max(radius, 1.35 * front(kind.body.shape) * canvas.scale)
            if start.name in GOALS:
                draw_goal(canvas, canvas.at(start.at), 11 * z)
            else:
                draw_start(canvas, Pose(*start.at, math.radians(start.heading_deg)), radius)
            canvas.label(canvas.at(start.at), radius + 3 * z, start.name, 14 * z, self.plot, color="#4a5568")

    def draw_beginning(self, at: Point, types: Sequence[RobotSpec], poses: Sequence[Pose]) -> None:
        """Where a path begins: a dot or, where a robot stands on it, a ring around the robot."""
        canvas, z = self.canvas, self.zoom
        robot = standing_on(at, types, poses)
        if robot is None:
            draw_beginning(canvas, canvas.at(at), z)
        else:
            pose, reach = robot
            canvas.ring(canvas.at((pose.x, pose.y)), reach * canvas.scale + 6 * z, tint(BEGINNING), 3.0 * z)

    def draw_names(self, types: list[RobotSpec], poses: list[Pose]) -> None:
        """Names of robots beside them."""
        canvas, z = self.canvas, self.zoom
        for robot, kind, pose in zip(self.spec.robots, types, poses, strict=True):
            away = front(kind.body.shape) * canvas.scale + 3 * z
            canvas.label(canvas.at((pose.x, pose.y)), away, robot.name, 15 * z, self.plot)

    def _ticks(self, low: float, high: float) -> list[tuple[float, str]]:
        """Round places along an axis and their labels; the last one names the unit."""
        first, last = math.ceil(low / self.step - 1e-9), math.floor(high / self.step + 1e-9)
        return [
            (i * self.step, f"{round(i * self.step, 6):g}{' m' if i == last else ''}") for i in range(first, last + 1)
        ]
