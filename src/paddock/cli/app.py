"""All commands and their help texts; the work is done elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli.evolve_options import evolve
from paddock.cli.options import Force, Json, Output, Show
from paddock.cli.orders.commands import orders_app
from paddock.cli.run_command import demo, run
from paddock.cli.serve_command import serve

app = typer.Typer(
    name="paddock",
    help="A laboratory for mobile robots: simulate them, sense, control, measure.",
    epilog="New here? Try: paddock demo · paddock worlds · paddock run clutter --seconds 30",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def about(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        import paddock

        typer.echo(f"paddock {paddock.__version__}")
        raise typer.Exit


for command in (demo, run, serve, evolve):
    app.command()(command)
app.add_typer(orders_app)


@app.command()
def reproduce(
    name: Annotated[
        str, typer.Argument(help="Which published experiment: wall-follower, epuck-framework, rossum, or all.")
    ],
    json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the report: Markdown, HTML and figures.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Fewer or more seeds than the claims ask for.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: one for every core.")] = None,
) -> None:
    """Run a published experiment again, and print the paper's numbers beside ours.

    The exit status is 0 only if every claim holds.

      paddock reproduce wall-follower
      paddock reproduce wall-follower --json --seeds 2
      paddock reproduce epuck-framework --out report
      paddock reproduce rossum --out reports/rossum
    """
    from paddock.cli.reproduce import reproduce as run

    if not run(name, json_lines=json, out=out, seeds=seeds, workers=workers):
        raise typer.Exit(1)


@app.command()
def worlds(show: Show = None, output: Output = None, force: Force = False) -> None:
    """List the shipped worlds, or draw one.

    paddock worlds
    paddock worlds --show wall-loop
    paddock worlds --show my_world.toml -o my_world.png
    """
    from paddock.cli.catalogue import list_worlds, show_world

    show_world(show, output, force=force) if show else list_worlds()


@app.command()
def robots(show: Show = None, output: Output = None, force: Force = False) -> None:
    """List the shipped robots, or draw one with its sensor rays.

    paddock robots
    paddock robots --show e-puck
    """
    from paddock.cli.catalogue import list_robots, show_robot

    show_robot(show, output, force=force) if show else list_robots()


@app.command()
def maze(
    picture: Annotated[
        Path | None, typer.Argument(help="With --png: file for the picture. Default: beside the world, or maze.png.")
    ] = None,
    size: Annotated[str, typer.Option(help="Columns and rows.")] = "8x8",
    kind: Annotated[str, typer.Option(help="backtracker, kruskal, wilson, braided (no dead ends) or rooms.")] = (
        "backtracker"
    ),
    seed: Annotated[int, typer.Option(help="Equal seeds give equal mazes.")] = 0,
    loops: Annotated[
        float | None,
        typer.Option(help="Share of the dead ends to open, 0 … 1. Default: 1 for braided, 0 for all others."),
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="Column,row of the robot, from the lower left. Default: 0,0.")
    ] = None,
    exit: Annotated[str | None, typer.Option(help="Column,row of the exit. Default: upper right.")] = None,
    corridor: Annotated[float, typer.Option(help="Clear width between walls, in metres.")] = 0.2,
    thickness: Annotated[float, typer.Option(help="Of walls, in metres.")] = 0.01,
    height: Annotated[float, typer.Option(help="Of walls, in metres.")] = 0.1,
    robot: Annotated[str, typer.Option(help="A shipped type (see: paddock robots) or a TOML file.")] = "scout",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File for the world (TOML).")] = None,
    png: Annotated[bool, typer.Option("--png", help="Draw it, too.")] = False,
    solution: Annotated[bool, typer.Option("--solution", help="Show the shortest way.")] = False,
    force: Force = False,
) -> None:
    """Make a maze; every cell of it can be reached. Without -o and --png it is printed.

    paddock maze --size 8x8 --seed 3 -o my.toml --png
    paddock maze --size 12x6 --kind wilson --loops 0.3 --png my.png --solution
    """
    from paddock.cli.maze import show_maze

    show_maze(
        size=size,
        kind=kind,
        seed=seed,
        loops=loops,
        start=start,
        exit=exit,
        corridor=corridor,
        thickness=thickness,
        height=height,
        robot=robot,
        output=output,
        png=png,
        picture=picture,
        solved=solution,
        force=force,
    )


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A picture (PNG, PGM …), or a floor plan of Rossum's Playhouse.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File for the world. Default: FILE's name with .toml, here.")
    ] = None,
    scale: Annotated[float | None, typer.Option(help="Of pictures: metres per pixel. Default: 0.01.")] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Of pictures: what is darker is a wall, 0 black … 1 white. Default: 0.5.")
    ] = None,
    height: Annotated[float, typer.Option(help="Of walls and obstacles, in metres.")] = 0.5,
    robot: Annotated[str, typer.Option(help="Type of the robot to put in, or none.")] = "scout",
    at: Annotated[
        str | None,
        typer.Option(
            help="Its place x,y in metres. Default: the plan's first placement, or where a picture has most room."
        ),
    ] = None,
    heading: Annotated[float | None, typer.Option(help="Its heading in degrees.")] = None,
    force: Force = False,
) -> None:
    """Make a world from a picture, whose dark parts become walls, or from a Rossum floor plan.

    paddock import office.png --scale 0.02
    paddock import trinity.txt -o trinity.toml --robot e-puck
    """
    from paddock.cli.importing import import_file

    import_file(
        file,
        output=output,
        scale=scale,
        threshold=threshold,
        height=height,
        robot=robot,
        at=at,
        heading=heading,
        force=force,
    )


@app.command()
def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Which benchmarks to run. Default: all.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Measure this often and take the median.")] = 3,
    json: Json = False,
) -> None:
    """Measure how fast this machine simulates, with collisions on and sensors really read.

    paddock bench
    paddock bench single swarm --json
    """
    from paddock.cli.bench import run_benches

    run_benches(names or [], rounds=rounds, json_lines=json)


@app.command()
def doctor(json: Json = False) -> None:
    """Check this installation: versions, compiler cache, a short simulation, optional packages."""
    from paddock.cli.doctor import examine

    if not examine(json_lines=json):
        raise typer.Exit(1)
