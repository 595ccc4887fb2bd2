"""Notebook displays of worlds, robots, arenas, episodes and traces: a picture or chart and a small table."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.arena.episodes import Episode, Trace
from paddock.core.errors import PaddockError
from paddock.report.chart_style import new_axes, style_axes
from paddock.report.charts import add_legend
from paddock.report.document import render_template
from paddock.report.drawing.colours import LINES
from paddock.report.drawing.draw_world import draw_paths, draw_robot, draw_world
from paddock.report.run_charts import draw_error, draw_wheels
from paddock.report.tables import Table, format_number
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

SIZE = 520  # width of a picture [pixels]
DPI = 72  # of a chart; low, to limit the size of notebook files
COLORS = 128  # number of colours of a stored picture
FEW = 12  # maximum number of robots in a table


def display_world(world: WorldSpec) -> str:
    """Display a world from above, with its contents."""
    counted = ("walls", "boxes", "cylinders", "arcs", "lights", "sounds", "fields", "starts")
    there = {name: len(getattr(world, name, ())) for name in counted}
    return render_display(
        f"World {world.name}",
        world.title,
        [draw_world(world, size=SIZE, rays=False)],
        _pairs(
            {
                "size": _size(world),
                "tick": f"{world.dt:g} s",
                **{name: str(count) for name, count in there.items() if count},
                "robots": ", ".join(placed.name for placed in world.robots[:FEW]) or "none",
            }
        ),
    )


def display_robot_spec(spec: RobotSpec) -> str:
    """Display a robot type from above with its sensors, and its drive."""
    return render_display(
        f"Robot {spec.name}", spec.title, [draw_robot(spec, size=SIZE)], _pairs(_describe_drive(spec))
    )


def display_robot(robot: Any) -> str:
    """Display a robot of an arena from above, with its current state."""
    now = {"type": robot.spec.name}
    with suppress(PaddockError):  # only supervisors may read true poses
        now["pose"] = _format_pose(robot.pose)
    left, right = robot.wheels.speeds
    now["wheels"] = f"{left:.3f}, {right:.3f} m/s"
    now["enabled"] = ", ".join(name for name, device in robot.devices.items() if device.enabled) or "no device"
    about = f"in {robot.arena!r}"
    return render_display(f"Robot {robot.name}", about, [draw_robot(robot.spec, size=SIZE)], _pairs(now))


def display_arena(arena: Any) -> str:
    """Display the current state of the world, with the paths of the last run, and the poses of the robots."""
    poses = {name: robot.pose for name, robot in arena.robots.items()}
    last = arena.episode.robots if arena.episode is not None else {}
    trails = {name: record.trace.path() for name, record in last.items() if name in poses}
    now = {"poses": list(poses.values()), "things": arena.thing_poses}
    picture = draw_world(arena.world, **now, trails=trails, rays=not trails, size=SIZE)
    rows = [(name, arena[name].spec.name, _format_pose(pose)) for name, pose in list(poses.items())[:FEW]]
    about = f"{arena.time:g} s, seed {arena.seed}, {len(poses)} robot{'' if len(poses) == 1 else 's'}"
    return render_display(f"Arena {arena.world.name}", about, [picture], Table(("robot", "type", "pose"), tuple(rows)))


def display_episode(episode: Episode) -> str:
    """Display the paths of all robots, their metrics, and the reason for the end."""
    names = tuple(dict.fromkeys(name for record in episode.robots.values() for name in record.metrics))
    rows = [
        (robot, *(format_number(record.metrics.get(name, math.nan)) for name in names))
        for robot, record in list(episode.robots.items())[:FEW]
    ]
    traces = [record.trace for record in episode.robots.values() if len(record.trace)]
    charts = [_draw_episode(traces, episode.world)] if traces else []
    about = f"{episode.seconds:g} s, ended: {episode.reason}"
    table = Table(("robot", *names), tuple(rows) if names else ())
    return render_display("Episode", about, charts, table.transpose() if len(names) > len(rows) > 0 else table)


def display_trace(trace: Trace) -> str:
    """Display the error of a trace if it has one, else its wheel speeds, with an overview of its contents."""
    chart = draw_error if np.isfinite(trace.errors).any() else draw_wheels
    facts = {"rows": str(len(trace)), "tick": f"{trace.dt:g} s"}
    if len(trace):
        facts |= {"time": f"{trace.time[0]:g} … {trace.time[-1]:g} s", "end": _format_pose(trace.pose[-1])}
    facts["devices"] = ", ".join(trace.readings) or "none"
    return render_display(f"Trace of {trace.robot}", "", [chart(trace)] if len(trace) else [], _pairs(facts))


def display_recording(recording: Any) -> str:
    """Display the world at the end with the paths of all robots, and the contents of the file."""
    facts = {
        "robots": ", ".join(recording.robots),
        "time": f"{recording.start:g} … {recording.end:g} s",
        "file": f"{recording.path.name}, {recording.path.stat().st_size / 1e6:.2g} MB",
        "events": str(len(recording.events)),
    }
    about = "" if recording.is_whole else "truncated: the program that wrote it did not end normally"
    return render_display(f"Recording {recording.path.stem}", about, [recording.picture()], _pairs(facts))


def _draw_episode(traces: Sequence[Trace], world: WorldSpec | None) -> Image | Axes:
    """Draw the paths in their world, in the robots' colours, or without a world if it is not known."""
    if world is None:
        return plot_paths(traces)
    there = {robot.name for robot in world.robots}
    return draw_paths([trace for trace in traces if trace.robot in there], world, size=SIZE)


def plot_paths(traces: Sequence[Trace]) -> Axes:
    """Draw the paths of robots in the x-y plane [m], with a dot at each start."""
    ax = new_axes(width=6.0, height=5.0)
    for number, trace in enumerate(traces):
        way, color = trace.path(), LINES[number % len(LINES)]
        ax.plot(way[:, 0], way[:, 1], color=color, linewidth=1.4, label=trace.robot)
        ax.plot(way[:1, 0], way[:1, 1], "o", color=color, label="_")
    ax.set_aspect("equal", adjustable="datalim")
    style_axes(ax, title="", about="", x_name="x [m]", y_name="y [m]")
    add_legend(ax, [], grow=True)
    return ax


def render_display(title: str, about: str, pictures: Sequence[Image | Axes], *tables: Table) -> str:
    """Render a title, pictures and tables as an HTML fragment."""
    images = [base64.b64encode(_encode(picture)).decode() for picture in pictures]
    return render_template("display.html", title=title, about=about, pictures=images, tables=tables)


def _encode(picture: Any) -> bytes:
    """Encode a small PNG, with the same bytes every time."""
    from PIL import Image as Pillow

    data = io.BytesIO()
    if hasattr(picture, "figure"):
        picture.figure.savefig(data, format="png", dpi=DPI, metadata={"Software": None})
        picture = Pillow.open(data)
        data = io.BytesIO()
    picture.convert("RGB").quantize(COLORS).save(data, "PNG", optimize=True)
    return data.getvalue()


def _pairs(facts: Mapping[str, str]) -> Table:
    return Table((), tuple(facts.items()))


def _describe_drive(spec: RobotSpec) -> dict[str, str]:
    drive = spec.drive
    return {
        "wheel separation": f"{100 * drive.wheel_separation:g} cm",
        "wheel diameter": f"{100 * drive.wheel_diameter:g} cm",
        "top speed": f"{drive.max_speed:g} m/s",
    }


def _size(world: WorldSpec) -> str:
    x0, y0, x1, y1 = world.bounds
    return f"{x1 - x0:g} × {y1 - y0:g} m"


def _format_pose(pose: Sequence[float]) -> str:
    x, y, heading = pose
    return f"{x:.2f}, {y:.2f} m, {math.degrees(heading):.0f}°"
