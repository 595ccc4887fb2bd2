"""Lists and pictures of the shipped worlds and robots."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from paddock.cli.console import Console
from paddock.cli.files import check_new, check_picture, print_written, save_picture
from paddock.cli.tables import new_table
from paddock.core.files import write_text
from paddock.simulation.robots import describe_as_urdf, load_robot, robot_names
from paddock.simulation.worlds import load_world, world_names

WIDE = 120  # minimum terminal width for the names of all sensors


def list_worlds() -> None:
    """Print a table of the shipped worlds."""
    table = new_table("Shipped worlds", "name", "size [m]", "obstacles", "robots", "description", right=("obstacles",))
    for name in world_names():
        spec = load_world(name)
        x0, y0, x1, y1 = spec.bounds
        kinds = Counter(robot.type if isinstance(robot.type, str) else robot.type.name for robot in spec.robots)
        table.add_row(
            f"[bold]{name}[/]",
            f"{x1 - x0:g} × {y1 - y0:g}",
            str(len(spec.walls) + len(spec.boxes) + len(spec.cylinders) + len(spec.arcs)),
            ", ".join(f"{count} × {kind}" for kind, count in kinds.items()) or "none",
            spec.title,
        )
    console = Console()
    console.print(table)
    console.print("Draw one:  paddock worlds --show NAME     Run one:  paddock run NAME", style="dim")


def list_robots() -> None:
    """Print a table of the shipped robots."""
    console = Console()
    table = new_table("Shipped robots", "name", "body [cm]", "top speed [m/s]", "sensors", "description")
    for name in robot_names():
        spec = load_robot(name)
        if spec.body.radius is not None:
            body = f"⌀ {200 * spec.body.radius:.1f}"
        else:
            xs, ys = zip(*(spec.body.outline or ()), strict=True)
            body = f"{100 * (max(xs) - min(xs)):.0f} × {100 * (max(ys) - min(ys)):.0f}"
        sensors = ", ".join(f"{s.name} ({s.channels})" if s.channels > 1 else s.name for s in spec.sensors)
        if console.width < WIDE:
            sensors = str(len(spec.sensors))
        table.add_row(f"[bold]{name}[/]", body, f"{spec.drive.max_speed:.3g}", sensors, spec.title)
    console.print(table)
    console.print("Draw one with its sensor rays:  paddock robots --show NAME", style="dim")


def show_world(name: str, output: Path | None, *, force: bool) -> None:
    """Draw a world as a PNG, by default NAME.png if this file does not exist."""
    from paddock.report.drawing.draw_world import draw_world

    spec = load_world(name)
    save_picture(draw_world(spec), _picture_path(spec.name, output, force))


def show_robot(name: str, output: Path | None, *, force: bool) -> None:
    """Draw a robot as a PNG, by default NAME.png if this file does not exist."""
    from paddock.report.drawing.draw_world import draw_robot

    spec = load_robot(name)
    save_picture(draw_robot(spec), _picture_path(spec.name, output, force))


def write_world_map(name: str, output: Path | None, *, force: bool) -> None:
    """Write a world as an image and a YAML file for the ROS map_server."""
    from paddock.perception.mapping import draw_map, save_map

    spec = load_world(name)
    path = check_new(output or Path(f"{spec.name}.yaml"), ".yaml", force=force)
    grid = draw_map(spec)
    save_map(grid, path)
    print_written(path, f" and {path.with_suffix('.pgm')} ({grid.frame.columns} × {grid.frame.rows} cells)")


def write_urdf(name: str, output: Path | None, *, force: bool) -> None:
    """Write a robot as URDF, or print it."""
    text = describe_as_urdf(load_robot(name))
    if output is None:
        sys.stdout.write(text)
        return
    write_text(check_new(output, force=force), text)
    print_written(output)


def _picture_path(name: str, output: Path | None, force: bool) -> Path:
    return check_picture(output) or check_new(Path(f"{name}.png"), force=force)
