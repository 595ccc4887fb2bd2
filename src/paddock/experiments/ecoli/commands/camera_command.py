"""`paddock camera`: commands, options and help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.core.terminal.shared_options import Force, Json, file_option, out_option

camera_app = typer.Typer(help="A camera above robots: markers, lens, poses.", no_args_is_help=True)

Address = Annotated[
    str, typer.Argument(help="Address of the camera's stream, http://HOST:PORT/stream.mjpg, or of single pictures.")
]
User = Annotated[str, typer.Option(help="User name, if the camera requires one (Basic or Digest).")]
Password = Annotated[str, typer.Option(envvar="PADDOCK_CAMERA_PASSWORD", help="Password of the user.")]
Square = Annotated[float, typer.Option(help="Side of the board's squares, in metres, as measured on paper.")]
BoardMarker = Annotated[float, typer.Option(help="Side of the board's markers, in metres.")]


@camera_app.command()
def markers(
    out: Annotated[Path, out_option("A .pdf with all pages, or a .png of the board.")],
    square: Square = 0.035,
    marker: BoardMarker = 0.026,
    robots: Annotated[int, typer.Option(min=0, max=46, help="Number of markers for robots.")] = 12,
    size: Annotated[float, typer.Option(help="Side of robots' markers, in metres.")] = 0.052,
    lid: Annotated[float, typer.Option(help="Diameter of the disc around a robot's marker, in metres.")] = 0.074,
    force: Force = False,
) -> None:
    """Write the calibration board, and markers for robots and floor, for printing at true size.

    paddock camera markers -o markers.pdf
    """
    from paddock.experiments.ecoli.commands.camera import print_board

    print_board(out, square=square, marker=marker, robots=robots, size=size, lid=lid, force=force)


@camera_app.command()
def lens(
    source: Annotated[str, typer.Argument(help="Address of a camera, or a folder with pictures of the board.")],
    out: Annotated[Path, out_option("File for the lens (TOML).")] = Path("lens.toml"),
    views: Annotated[int, typer.Option(min=8, help="With an address: number of different views to take.")] = 20,
    seconds: Annotated[float, typer.Option(help="With an address: stop taking views after this time.")] = 300.0,
    square: Square = 0.035,
    marker: BoardMarker = 0.026,
    chart: Annotated[Path | None, file_option("File for a map of the errors (PNG, SVG, PDF).")] = None,
    user: User = "",
    password: Password = "",
    force: Force = False,
) -> None:
    """Calibrate a lens with pictures of the board. Every fifth view is held out for validation.

    paddock camera lens pictures/ -o lens.toml --chart errors.png
    paddock camera lens http://192.168.1.20/stream.mjpg --user lab
    """
    from paddock.experiments.ecoli.commands.camera import calibrate_source

    calibrate_source(
        source,
        out,
        views=views,
        seconds=seconds,
        square=square,
        marker=marker,
        chart=chart,
        user=user,
        password=password,
        force=force,
    )


@camera_app.command()
def locate(
    url: Address,
    lens: Annotated[
        Path | None,
        typer.Option(
            help="Lens file, or the file of a simulated camera. Default: lens.toml; with a world, its camera."
        ),
    ] = None,
    site: Annotated[Path | None, typer.Option(help="TOML file with the markers on the floor and on robots.")] = None,
    world: Annotated[
        str | None, typer.Option(help="Instead of a site: the world that a simulated camera observes.")
    ] = None,
    pictures: Annotated[int, typer.Option(min=1, help="Number of pictures to evaluate.")] = 10,
    user: User = "",
    password: Password = "",
    json: Json = False,
) -> None:
    """Locate robots by the markers on their tops, and print their last poses.

    paddock camera locate http://HOST:8081/stream.mjpg --world line-crossing
    paddock camera locate http://192.168.1.20/stream.mjpg --site laboratory.toml
    """
    from paddock.experiments.ecoli.commands.camera import locate_robots

    locate_robots(url, lens, site=site, world=world, pictures=pictures, user=user, password=password, json_lines=json)
