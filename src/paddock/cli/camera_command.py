"""`paddock camera`: its commands, options and help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli.options import Force, Json

camera = typer.Typer(
    name="camera",
    help="Measure with a camera above the robots: print markers, calibrate the lens, find robots.",
    no_args_is_help=True,
)

Address = Annotated[str, typer.Argument(help="Of the camera: http://HOST:PORT/stream.mjpg, or of single pictures.")]
User = Annotated[str, typer.Option(help="If the camera asks for one (Basic or Digest).")]
Password = Annotated[str, typer.Option(envvar="PADDOCK_CAMERA_PASSWORD", help="Of the user.")]
Square = Annotated[float, typer.Option(help="Side of the board's squares, in metres, as measured on paper.")]
BoardMarker = Annotated[float, typer.Option(help="Side of the board's markers, in metres.")]


@camera.command()
def board(
    output: Annotated[Path, typer.Option("--output", "-o", help="A .pdf with all pages, or a .png of the board.")],
    square: Square = 0.035,
    marker: BoardMarker = 0.026,
    robots: Annotated[int, typer.Option(min=0, max=46, help="How many markers for robots.")] = 12,
    size: Annotated[float, typer.Option(help="Side of robots' markers, in metres.")] = 0.052,
    lid: Annotated[float, typer.Option(help="Diameter of the disc around a robot's marker, in metres.")] = 0.074,
    force: Force = False,
) -> None:
    """Print the calibration board, and markers for robots and floor, in their true sizes.

    paddock camera board -o markers.pdf
    """
    from paddock.cli.camera import print_board

    print_board(output, square=square, marker=marker, robots=robots, size=size, lid=lid, force=force)


@camera.command()
def calibrate(
    source: Annotated[str, typer.Argument(help="Address of a camera, or a folder with pictures of the board.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the lens (TOML).")] = Path("lens.toml"),
    views: Annotated[int, typer.Option(min=8, help="Of an address: take so many different views.")] = 20,
    seconds: Annotated[float, typer.Option(help="Of an address: give up after so long.")] = 300.0,
    square: Square = 0.035,
    marker: BoardMarker = 0.026,
    chart: Annotated[Path | None, typer.Option(help="Where to save a map of the errors (PNG).")] = None,
    user: User = "",
    password: Password = "",
    force: Force = False,
) -> None:
    """Calibrate a lens with pictures of the board. Every fifth view is held out, and tells how good it is.

    paddock camera calibrate pictures/ -o lens.toml --chart errors.png
    paddock camera calibrate http://192.168.1.20/stream.mjpg --user lab
    """
    from paddock.cli.camera import calibrate_source

    calibrate_source(
        source,
        output,
        views=views,
        seconds=seconds,
        square=square,
        marker=marker,
        chart=chart,
        user=user,
        password=password,
        force=force,
    )


@camera.command()
def locate(
    url: Address,
    lens: Annotated[
        Path | None,
        typer.Option(help="The lens, as `calibrate` writes it (TOML). Without: lens.toml, or the simulated camera's."),
    ] = None,
    site: Annotated[Path | None, typer.Option(help="Where markers are, and on which robots (TOML).")] = None,
    world: Annotated[str | None, typer.Option(help="Instead of a site: a world that a simulated camera shows.")] = None,
    pictures: Annotated[int, typer.Option(min=1, help="How many to look at.")] = 10,
    user: User = "",
    password: Password = "",
    json: Json = False,
) -> None:
    """Find robots by the markers on their lids: a table of their last places.

    paddock camera locate http://127.0.0.1:8081/stream.mjpg --world line-crossing
    paddock camera locate http://192.168.1.20/stream.mjpg --site laboratory.toml
    """
    from paddock.cli.camera import locate_robots

    locate_robots(url, lens, site=site, world=world, pictures=pictures, user=user, password=password, json_lines=json)
