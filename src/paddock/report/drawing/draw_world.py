"""Draw pictures of worlds as a list of layers (floor, walls, trails, robots, beams, names, legend), and of paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from paddock.arena.episodes import Trace
from paddock.arena.episodes.trace import Floats
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, format_value
from paddock.core.files import save_image
from paddock.core.geometry import Disc, Pose, place_shape
from paddock.report.drawing.canvas import Canvas, check_picture_size
from paddock.report.drawing.colours import ESTIMATE, FAINT, GOAL, INK, SOLUTION, field_colors
from paddock.report.drawing.draw_robot import beams, draw_robot, plot_robot
from paddock.report.drawing.layers import (
    axes_layer,
    border_layer,
    direction_layer,
    estimate_layer,
    floor_layer,
    grid_layer,
    has_length,
    legend_layer,
    longest_beam,
    name_layer,
    rays_layer,
    robot_layer,
    shadow_layer,
    source_layer,
    split_trail,
    start_layer,
    title_layer,
    trail_layer,
    trail_start_layer,
    wall_layer,
)
from paddock.report.drawing.layout import LegendEntry, PictureLayout, Trail, WorldPicture
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.worlds.mazes.maze import Maze
from paddock.simulation.worlds.mazes.maze_paths import solve_maze
from paddock.simulation.worlds.mazes.world import MAX_FLOOR, Layout
from paddock.simulation.worlds.placement import robot_types, start_pose
from paddock.simulation.worlds.solids import Solid, edges, solids
from paddock.simulation.worlds.world_spec import GOALS, Stroke, WorldSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image


__all__ = ["LAYERS", "draw_robot", "draw_world", "plot_robot", "plot_world", "save_drawing"]

FEW = 40  # maximum number of robots with names and beams
VECTORS = (".svg", ".pdf")
FINEST = 0.4  # shortest visible step of a path [pixels]

Layer = Callable[[WorldPicture], None]
# From the floor up.
LAYERS: tuple[Layer, ...] = (
    floor_layer,
    grid_layer,
    rays_layer,
    trail_layer,
    shadow_layer,
    wall_layer,
    border_layer,
    axes_layer,
    title_layer,
    legend_layer,
    source_layer,
    start_layer,
    estimate_layer,
    direction_layer,
    trail_start_layer,
    robot_layer,
    name_layer,
)
WAY_DETAIL = 400.0  # pixels per metre of the floor texture


def draw_world(
    spec: WorldSpec,
    *,
    poses: Iterable[Iterable[float]] | None = None,
    things: Iterable[Pose] | None = None,
    trails: Mapping[str, Iterable[Iterable[float]]] | None = None,
    estimates: Mapping[str, Iterable[Iterable[float]]] | None = None,
    directions: bool = False,
    rays: bool = True,
    about: str = "",
    layers: Sequence[Layer] = LAYERS,
    size: int = 1000,
) -> Image:
    """Draw a picture of a world, `size` pixels wide.

    Args:
        poses: x, y [m] and heading [rad] of every robot, in the world's order; None: start poses.
        things: the pose of every thing, in the world's order; None: start poses; empty: no things.
        trails: paths of robots, by name: points [m], drawn in the robot's colour. A row of NaN interrupts the line,
            where the robot was moved by hand.
        estimates: estimated paths of robots, by name, in the same form; drawn dashed.
        directions: whether to draw arrows along the trails that show the direction of travel.
        rays: whether to draw the beams of the sensors, at most 1.5 m and 30 % of the world long;
            the legend tells if that is shorter than a sensor's range.
        about: text below the title, after the world's name and size; empty: the number of robots.
        layers: layers to draw, from the floor up.
        size: width of the picture [pixels], 20 … 8000; its height depends on the world.
    """
    options: dict[str, Any] = {
        "poses": poses,
        "things": things,
        "trails": trails,
        "estimates": estimates,
        "directions": directions,
        "rays": rays,
    }
    return _draw(spec, Canvas, **options, about=about, layers=layers, size=size).to_image()


def plot_world(spec: WorldSpec, **options: Any) -> Axes:
    """Draw the picture of `draw_world`, with its options, as matplotlib axes, which can be saved as SVG and PDF."""
    from paddock.report.drawing.vector_canvas import VectorCanvas

    return _draw(spec, VectorCanvas, **options).axes


C = TypeVar("C", bound=Canvas)


def _draw(
    spec: WorldSpec,
    canvas: type[C],
    *,
    poses: Any = None,
    things: Any = None,
    trails: Any = None,
    estimates: Any = None,
    directions: bool = False,
    rays: bool = True,
    about: str = "",
    layers: Sequence[Layer] = LAYERS,
    size: int = 1000,
) -> C:
    """Draw a world on a canvas of a kind; the options are those of `draw_world`."""
    check_picture_size(size)
    types = robot_types(spec)
    standing = [start_pose(spec, robot) for robot in spec.robots] if poses is None else read_poses(spec, poses)
    colors = [robot.color or kind.body.color for robot, kind in zip(spec.robots, types, strict=True)]
    few = len(types) <= FEW
    finest = FINEST * size / 1000 / PictureLayout(spec, size).canvas.scale
    paths = {name: split_trail(points, finest) for name, points in (trails or {}).items()}
    guesses = {name: split_trail(points, 2 * finest) for name, points in (estimates or {}).items()}
    legend = [*world_legend(spec, types if rays and few else []), *trail_legend(paths, guesses, colors, directions)]
    picture = WorldPicture(
        layout=PictureLayout(spec, size, legend, canvas),
        spec=spec,
        types=types,
        poses=standing,
        colors=colors,
        pieces=[*(piece for piece in solids(spec) if piece.path != "border"), *_place_things(spec, things)],
        about=about,
        rays=rays and few,
        names=few,
        directions=directions,
        trails=paths,
        estimates=guesses,
    )
    for draw in layers:
        draw(picture)
    return cast(C, picture.canvas)


def _place_things(spec: WorldSpec, poses: Iterable[Pose] | None) -> list[Solid]:
    lying = [thing.pose for thing in spec.things] if poses is None else list(poses)
    placed = []
    for i, (thing, pose) in enumerate(zip(spec.things if lying else (), lying, strict=True)):
        shape = place_shape(thing.shape, *pose)
        sides = () if isinstance(shape, Disc) else tuple(edges(shape))
        placed.append(Solid(shape, sides, thing.height, thing.color, f"things[{i}]"))
    return placed


def read_poses(spec: WorldSpec, poses: Iterable[Iterable[float]]) -> list[Pose]:
    """Return the poses of all robots; raise an error if a robot has none."""
    rows = [tuple(map(float, row)) for row in poses]
    if len(rows) != len(spec.robots) or not all(len(row) == 3 and all_finite(*row) for row in rows):
        raise PaddockError(
            f"poses: expected finite x, y [m] and heading [rad] of each robot ({len(spec.robots)}), "
            f"got {format_value(rows)}"
        )
    return [Pose(*row) for row in rows]


def world_legend(spec: WorldSpec, types: Sequence[RobotSpec]) -> list[LegendEntry]:
    """Return the legend of the symbols. Sensors are listed by their device names, grouped by colour."""
    names: dict[str, dict[str, None]] = {}
    for sensor in (sensor for kind in types for sensor in kind.sensors if next(beams(sensor), None)):
        names.setdefault(sensor.look.color, {})[sensor.name] = None
    legend = [LegendEntry("cone", color, ", ".join(found)) for color, found in names.items()]
    most = longest_beam(spec)
    if any(beam.reach > most for kind in types for sensor in kind.sensors for beam in beams(sensor)):
        length = f"{most:.3g} m" if most >= 0.5 else f"{most * 100:.3g} cm"
        legend.append(LegendEntry("cut", FAINT, f"beams are drawn up to {length}"))
    colors = field_colors(spec.fields)
    legend += [
        LegendEntry("field", color, f"{field.name} (field)") for field, color in zip(spec.fields, colors, strict=True)
    ]
    if spec.lights:
        legend.append(LegendEntry("lamp", spec.lights[0].color, "lamp"))
    if spec.sounds:
        legend.append(LegendEntry("sound", INK, "sound"))
    legend += [LegendEntry("goal", GOAL, name) for name in GOALS if any(start.name == name for start in spec.starts)]
    if any(start.name not in GOALS for start in spec.starts):
        legend.append(LegendEntry("start", INK, "start pose"))
    return legend


def trail_legend(
    trails: Mapping[str, Trail], estimates: Mapping[str, Trail], colors: Sequence[str], directions: bool
) -> list[LegendEntry]:
    """Return the legend of the marks along the trails."""
    legend = []
    if any(map(has_length, trails.values())):
        color = colors[0] if len(colors) == 1 else FAINT
        legend += [LegendEntry("trail start", INK, "start"), LegendEntry("robot", color, "end")]
        if directions:
            legend.append(LegendEntry("direction", INK, "direction"))
    if any(map(has_length, estimates.values())):
        legend.append(LegendEntry("estimate", ESTIMATE, "estimated path"))
    return legend


def add_solution(maze: Maze, world: WorldSpec, layout: Layout) -> WorldSpec:
    """Return the world of a maze with the path from the start to the exit on its floor."""
    way = Stroke(
        points=tuple(layout.centre(cell) for cell in solve_maze(maze)), width=0.08 * layout.corridor, color=SOLUTION
    )
    detail = min(WAY_DETAIL, MAX_FLOOR / max(layout.size(maze)))
    return replace(world, floor=replace(world.floor, strokes=(*world.floor.strokes, way), pixels_per_metre=detail))


def save_drawing(spec: WorldSpec | RobotSpec, path: str | Path, **options: Any) -> None:
    """Write the picture of a world or a robot, by file name extension: PNG, JPEG, WebP, or SVG and PDF with vectors.

    Args:
        spec: the world or the robot.
        path: the file.
        options: options of `draw_world` or `draw_robot`.
    """
    from paddock.report.chart_style import save_figure

    draw: Any
    plot: Any
    draw, plot = (draw_robot, plot_robot) if isinstance(spec, RobotSpec) else (draw_world, plot_world)
    if Path(path).suffix.lower() in VECTORS:
        save_figure(plot(spec, **options), path)
    else:
        save_image(draw(spec, **options), Path(path))


def draw_paths(
    traces: Sequence[Trace], world: WorldSpec, *, title: str = "", about: str = "", size: int = 1000
) -> Image:
    """Draw the world with the path of every trace, `size` pixels wide, and the robots at their final poses."""
    z = size / 1000
    ends = {trace.robot: _last_pose(trace) for trace in traces}
    return draw_world(
        replace(world, title=Canvas.shorten(title, 26 * z, 900 * z) or world.title),
        poses=[ends.get(robot.name) or start_pose(world, robot) for robot in world.robots],
        trails={trace.robot: trace.path() for trace in traces},
        estimates={trace.robot: _known_poses(trace.estimated_pose) for trace in traces},
        directions=True,
        rays=False,
        about=about,
        size=size,
    )


def _last_pose(trace: Trace) -> Pose | None:
    known = _known_poses(trace.pose)
    return Pose(*known[-1].tolist()) if len(known) else None


def _known_poses(poses: Floats) -> Floats:
    found: Floats = poses[np.isfinite(poses).all(axis=1)]
    return found
