"""`paddock import`: worlds from floor plans and pictures."""

from __future__ import annotations

import math
from pathlib import Path

from rich.console import Console

from paddock.cli.files import checked_world_file, save_world_file
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point
from paddock.worlds.importers import import_world


def import_file(
    source: Path,
    *,
    output: Path | None,
    scale: float | None,
    threshold: float | None,
    height: float,
    robot: str,
    at: str | None,
    heading: float | None,
    force: bool,
) -> None:
    """Write the world of a file of another format, and tell what had no place in it."""
    path = checked_world_file(output or Path(source.stem + ".toml"), force=force)
    world, _, left_out = import_world(
        source,
        scale=scale,
        threshold=threshold,
        height=height,
        robot=None if robot in ("", "none") else robot,
        at=None if at is None else _place(at),
        heading_deg=heading,
    )
    x0, y0, x1, y1 = world.bounds
    count = len(world.walls) + len(world.boxes)
    save_world_file(
        world, path, f"{x1 - x0:.4g} × {y1 - y0:.4g} m, {count} obstacles, {'a' if world.robots else 'no'} robot"
    )
    console = Console()
    for what in left_out:
        console.print(f"left out: {what}", highlight=False, soft_wrap=True)
    console.print(
        f"Draw it:  paddock worlds --show {path}     Run it:  paddock run {path}", style="dim", soft_wrap=True
    )


def _place(text: str) -> Point:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise PaddockError(f"--at: expected x,y in metres such as 0.5,1.2, got {text!r}")
    return x, y
