"""`paddock apartment`: generate rooms, doors and furniture from a seed, as a world file or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli.options import Force
from paddock.core.errors import PaddockError

Size = Annotated[str, typer.Option(help="Width and depth in metres: from 2.6x6.8 to 200x200.")]
Loops = Annotated[
    float | None, typer.Option(help="Share of additional doors, 0 … 1. Default: 0 if symmetric, else 0.25.")
]
OdometryError = Annotated[float, typer.Option(help="Maximum relative error of the wheels, such as 0.01.")]


def apartment(
    seed: Annotated[int, typer.Option(help="Equal seeds give equal apartments.")] = 0,
    kind: Annotated[str, typer.Option(help="rooms, corridor, or symmetric (identical rooms).")] = "corridor",
    size: Size = "11x9",
    door: Annotated[float, typer.Option(help="Clear width of doors, in metres.")] = 1.0,
    loops: Loops = None,
    furniture: Annotated[float, typer.Option(help="Average number of pieces per room.")] = 1.0,
    odometry_error: OdometryError = 0.0,
    robot: Annotated[
        str, typer.Option(help="Type of the robot: shipped (see: paddock robots) or a TOML file.")
    ] = "pioneer-p2dx",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File for the world (TOML).")] = None,
    png: Annotated[Path | None, typer.Option("--png", help="File for a picture.")] = None,
    force: Force = False,
) -> None:
    """Generate an apartment in which a robot can reach every room.

    paddock apartment --seed 3 -o home.toml --png home.png
    paddock apartment --kind symmetric --size 50x9 -o corridor.toml
    """
    from paddock.cli.files import check_new, check_picture, save_picture, save_world_file
    from paddock.simulation.worlds.apartments import make_apartment
    from paddock.simulation.worlds.importers.import_result import world_name

    if output is None and png is None:
        raise PaddockError("expected a file for the world, -o home.toml, or for a picture, --png home.png")
    if output is not None:
        check_new(output, ".toml", force=force)
    picture = check_picture(png)
    width, depth = _read_size(size)
    world = make_apartment(
        seed,
        kind=kind,
        width=width,
        depth=depth,
        door=door,
        loops=loops,
        furniture=furniture,
        odometry_error=odometry_error,
        robot=robot,
        name=world_name(output) if output else "apartment",
    )
    if output is not None:
        save_world_file(world, output, world.title)
    if picture is not None:
        from paddock.report.drawing.draw_world import draw_world

        save_picture(draw_world(world), picture)


def _read_size(text: str) -> tuple[float, float]:
    try:
        width, depth = (float(part) for part in text.replace("×", "x").split("x"))
    except ValueError:
        raise PaddockError(f"--size: expected metres such as 11x9, got {text!r}") from None
    return width, depth
