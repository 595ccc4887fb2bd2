"""`paddock ecoli host`: the host of robots that drive to way-points by orders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.terminal.ending import INTERRUPTED
from paddock.core.terminal.shared_options import Force, Json

if TYPE_CHECKING:
    from paddock.experiments.ecoli.commands.orders.program import HostProgram

HOST = "Host program"  # title of the help's panel
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", rich_help_panel=HOST, help="Configuration file (TOML). Default: orders.toml in this folder."
    ),
]
Language = Annotated[
    str | None,
    typer.Option("--language", rich_help_panel=HOST, help="en, es, de, or a .po file. Default: as configured."),
]
LogFile = Annotated[
    Path | None,
    typer.Option("--log", rich_help_panel=HOST, help="Log file to which all lines are appended, with time stamps."),
]
RobotName = Annotated[str, typer.Argument(help="Name of the robot in the configuration.")]

host_app = typer.Typer(help="Drive robots to way-points by orders, from a menu or by commands.", no_args_is_help=True)


def run(context: typer.Context, work: Callable[[HostProgram], object]) -> None:
    """Run a command with its options; False gives exit status 1."""
    from paddock.core.errors import PaddockError
    from paddock.experiments.ecoli.commands.orders.language import translate
    from paddock.experiments.ecoli.commands.orders.program import HostProgram

    given = context.params
    config, log = (given[name] and Path(given[name]) for name in ("config", "log"))
    program = HostProgram(config=config, language=given["language"], log=log, as_json=given.get("json", False))
    try:
        done = work(program)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except PaddockError as error:
        raise PaddockError(translate(error)) from error
    if done is False:
        raise typer.Exit(1)


@host_app.command()
def menu(context: typer.Context, config: Config = None, language: Language = None, log: LogFile = None) -> None:
    """Open the menu of the host program.

    paddock ecoli host init
    paddock ecoli host menu --log walk.log
    """
    from paddock.experiments.ecoli.commands.orders.menu import run_menu

    run(context, run_menu)


@host_app.command()
def init(
    file: Annotated[Path, typer.Argument(help="The configuration file to create.")] = Path("orders.toml"),
    served: Annotated[
        Path | None,
        typer.Option(
            help="File with the output of `paddock serve … --bridge orders=…`, to use its robots; - for stdin."
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Write an initial configuration with comments.

    paddock ecoli host init
    paddock serve petri-dish --bridge orders=all > served.txt &
    paddock ecoli host init --served served.txt
    """
    from paddock.experiments.ecoli.commands.orders.example import write_example

    count = write_example(file, served=served, force=force)
    typer.echo(f"wrote {file} ({count} robots)")


@host_app.command()
def texts(
    file: Annotated[Path, typer.Argument(help="The file to create, such as ca.po.")],
    force: Force = False,
) -> None:
    """Write all texts into a file, for a translation into another language.

    paddock ecoli host texts ca.po
    paddock ecoli host menu --language ca.po
    """
    from paddock.experiments.ecoli.commands.orders.language import write_template

    typer.echo(f"wrote {file} ({write_template(file, force=force)} texts)")


@host_app.command()
def find(
    context: typer.Context, config: Config = None, language: Language = None, log: LogFile = None, json: Json = False
) -> None:
    """Search all serial devices for robots. The exit status is 0 if a robot answers.

    paddock ecoli host find
    """
    from paddock.experiments.ecoli.commands.orders.find import find as work

    run(context, work)


@host_app.command()
def thresholds(
    context: typer.Context,
    robots: Annotated[list[str] | None, typer.Argument(help="Names of robots. Default: all.")] = None,
    lamp: Annotated[str, typer.Option(help="Description of the light, stored in the configuration.")] = "",
    verify: Annotated[
        bool, typer.Option("--verify", help="Test each threshold with a hand in front of the robot.")
    ] = False,
    config: Config = None,
    language: Language = None,
    log: LogFile = None,
    json: Json = False,
) -> None:
    """Turn robots once around in open space, and write their proximity thresholds into the configuration.

    paddock ecoli host thresholds --lamp "ceiling light, curtains closed"
    paddock ecoli host thresholds e-puck_2479 --verify
    """
    from paddock.experiments.ecoli.commands.orders.calibrate import calibrate as work

    run(context, lambda program: work(program, robots or (), lamp=lamp, verify=verify))


@host_app.command()
def walk(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="File of way-points: a line name;x;y in centimetres for each.")],
    avoid: Annotated[bool, typer.Option("--avoid", help="Avoid obstacles.")] = False,
    camera: Annotated[
        bool, typer.Option("--camera", help="Correct the poses after each drive with the camera of the configuration.")
    ] = False,
    page: Annotated[bool, typer.Option("--page", help="Also show the walk on a page.")] = False,
    port: Annotated[int, typer.Option(min=0, max=HIGHEST_PORT, help="Port of the page; 0 for any free port.")] = 0,
    config: Config = None,
    language: Language = None,
    log: LogFile = None,
    json: Json = False,
) -> None:
    """Drive all robots to their way-points at the same time. Ctrl-C stops them.

    The exit status is 0 only if every order was executed.

      paddock ecoli host walk waypoints.txt
      paddock ecoli host walk waypoints.txt --avoid --log walk.log
      paddock ecoli host walk waypoints.txt --camera --page
    """
    from paddock.experiments.ecoli.commands.orders.walk import walk as work

    if port and not page:
        raise typer.BadParameter("--port is the port of the page: add --page")
    run(context, lambda program: work(program, file, avoiding=avoid, camera=camera, page=port if page else None))


@host_app.command()
def send(
    context: typer.Context,
    robot: RobotName,
    orders: Annotated[list[str], typer.Argument(help="Orders such as D, P22.50;14.36 or O39.00;95.00.")],
    config: Config = None,
    language: Language = None,
    log: LogFile = None,
    json: Json = False,
) -> None:
    """Send orders to a robot, and print its replies.

    paddock ecoli host send e-puck_2479 D
    paddock ecoli host send e-puck_2479 "P4.00;3.50" A0.00 "O39.00;95.00" T U
    """
    from paddock.experiments.ecoli.commands.orders.send import send as work

    run(context, lambda program: work(program, robot, orders))


@host_app.command()
def odometry(
    context: typer.Context,
    robot: RobotName,
    motions: Annotated[
        str | None,
        typer.Option(
            help="Turns in degrees and distances in cm: 'b90 c20'. Default: turns to both sides, and a drive there and "
            "back."
        ),
    ] = None,
    served: Annotated[
        str | None,
        typer.Option(help="Address of the robot's served world, which measures. Default: measure by hand."),
    ] = None,
    camera: Annotated[bool, typer.Option("--camera", help="Measure with the camera of the configuration.")] = False,
    config: Config = None,
    language: Language = None,
    log: LogFile = None,
    json: Json = False,
) -> None:
    """Measure the turns and distances of a robot, and compare them with its orders.

    paddock ecoli host odometry e-puck_2479
    paddock ecoli host odometry e-puck_2479 --motions "b360 c50" --camera
    """
    from paddock.experiments.ecoli.commands.orders.odometry import MOTIONS, measure_odometry

    if served and camera:
        raise typer.BadParameter("expected either --served or --camera")

    run(
        context,
        lambda program: measure_odometry(program, robot, motions=motions or MOTIONS, served=served, camera=camera),
    )
