"""All commands and their help texts; other modules implement them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli import class_control  # noqa: F401 adds its commands to `paddock class`
from paddock.cli.apartment import apartment
from paddock.cli.class_commands import class_app, submit
from paddock.cli.contest import contest_app
from paddock.cli.evolve_options import evolve
from paddock.cli.exercise_command import exercise
from paddock.cli.explore_command import explore, go
from paddock.cli.goal import goal
from paddock.cli.grade import grade
from paddock.cli.importing import import_world_file
from paddock.cli.maze import maze
from paddock.cli.modules import module, modules_app
from paddock.cli.options import NEGATIVE_NUMBERS, Force, Json, OptionalWorld, Output, Seed, Show, Workers
from paddock.cli.replay import export, replay
from paddock.cli.run_command import demo, run
from paddock.cli.serve_command import serve
from paddock.cli.slam import slam
from paddock.experiments.ecoli.commands.camera_command import camera
from paddock.experiments.ecoli.commands.ecoli import ecoli
from paddock.experiments.ecoli.commands.orders.commands import orders_app

app = typer.Typer(
    name="paddock",
    help="A laboratory for mobile robots: simulation, sensors, control and measurement.",
    epilog="New here? Try: paddock demo · paddock worlds · paddock run clutter --seconds 30",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def about(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        import paddock

        typer.echo(f"paddock {paddock.__version__}")
        raise typer.Exit


RUN, MAPS, WORLDS, STUDIES, TEACHING, TOOLS = (
    "Run, watch and serve",
    "Maps, localisation and several processes",
    "Worlds and robots",
    "Evolution and experiments",
    "Teaching",
    "This installation",
)
for panel, commands in {
    RUN: (demo, run, serve, goal, replay, export),
    MAPS: (explore, go, slam, module),
    WORLDS: (maze, apartment),
    STUDIES: (evolve,),
    TEACHING: (grade, submit),
}.items():
    for command in commands:
        settings = NEGATIVE_NUMBERS if command in (go, goal) else None
        app.command(context_settings=settings, rich_help_panel=panel)(command)
app.command("import", rich_help_panel=WORLDS)(import_world_file)
for group, panel in {
    modules_app: MAPS,
    camera: MAPS,
    orders_app: RUN,
    ecoli: STUDIES,
    exercise: TEACHING,
    class_app: TEACHING,
    contest_app: TEACHING,
}.items():
    app.add_typer(group, rich_help_panel=panel)


@app.command(rich_help_panel=STUDIES)
def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of the published experiment: wall-follower, epuck-framework, rossum, ecoli-walk, ap2dx, or all."
        ),
    ],
    json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the report. Finished runs in it are not repeated."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of seeds. Default: as many as the claims need.")
    ] = None,
    workers: Workers = None,
) -> None:
    """Repeat a published experiment, and print the published numbers next to Paddock's.

    The exit status is 0 unless a claim fails. Claims that need more seeds than --seeds say so and do not fail.
    To resume a reproduction that was stopped or killed, run the same command with --out again.

      paddock reproduce wall-follower
      paddock reproduce wall-follower --json --seeds 2
      paddock reproduce epuck-framework --out report
      paddock reproduce rossum --out reports/rossum
      paddock reproduce ecoli-walk --seeds 2 --out report
      paddock reproduce ap2dx --seeds 1 --out report
    """
    from paddock.cli.reproduce import reproduce as run
    from paddock.core.jobs import parse_workers

    if not run(name, json_lines=json, out=out, seeds=seeds, workers=parse_workers(workers)):
        raise typer.Exit(1)


@app.command(rich_help_panel=STUDIES)
def sweep(
    file: Annotated[Path, typer.Argument(help="The TOML file of the sweep.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for tables, charts and report. Default: runs/NAME, the sweep's name.")
    ] = None,
    workers: Workers = None,
    run: Annotated[
        int | None, typer.Option(min=1, help="Execute only the run with this number, without writing files.")
    ] = None,
    json: Json = False,
) -> None:
    """Run worlds × robots × controllers × parameters × seeds, and write one table with confidence intervals.

    To resume a sweep that was stopped or killed, run the same command again; finished runs are not repeated. Failed
    runs are listed, each with the command that repeats it. The exit status is then 1.

      paddock sweep sweep.toml
      paddock sweep sweep.toml --workers ray --out runs/avoid
      paddock sweep sweep.toml --run 17
    """
    if run is not None and out is not None:
        raise typer.BadParameter("--out: leave it out: --run executes a single run without writing files")
    from paddock.cli.sweep import run_sweep
    from paddock.core.jobs import parse_workers

    if not run_sweep(file, out=out, workers=parse_workers(workers), run=run, json_lines=json):
        raise typer.Exit(1)


@app.command(rich_help_panel=WORLDS)
def worlds(
    show: Show = None,
    map: Annotated[
        str | None, typer.Option(help="Write this world, by name or TOML file, as a map for the ROS map_server.")
    ] = None,
    output: Output = None,
    force: Force = False,
) -> None:
    """List the shipped worlds, draw a world, or write its map.

    paddock worlds
    paddock worlds --show wall-loop
    paddock worlds --show my_world.toml -o my_world.png
    paddock worlds --map yellow-rooms -o map.yaml
    """
    from paddock.cli.catalogue import list_worlds, show_world, write_world_map

    _refuse_together({"--show": show, "--map": map}, output)
    if show:
        show_world(show, output, force=force)
    elif map:
        write_world_map(map, output, force=force)
    else:
        list_worlds()


@app.command(rich_help_panel=WORLDS)
def robots(
    show: Show = None,
    urdf: Annotated[
        str | None, typer.Option(help="Write this robot, by name or TOML file, as URDF; without -o, print it.")
    ] = None,
    output: Output = None,
    force: Force = False,
) -> None:
    """List the shipped robots, draw a robot with its sensor rays, or write its URDF for ROS.

    paddock robots
    paddock robots --show e-puck
    paddock robots --urdf pioneer-p3dx -o pioneer.urdf
    """
    from paddock.cli.catalogue import list_robots, show_robot, write_urdf

    _refuse_together({"--show": show, "--urdf": urdf}, output)
    if show:
        show_robot(show, output, force=force)
    elif urdf:
        write_urdf(urdf, output, force=force)
    else:
        list_robots()


def _refuse_together(choices: dict[str, str | None], output: Path | None) -> None:
    """Raise an error if there are two choices, or an output file without a choice."""
    given = [name for name, value in choices.items() if value is not None]
    if len(given) > 1:
        raise typer.BadParameter(f"expected one of {' and '.join(given)}")
    if output is not None and not given:
        raise typer.BadParameter(f"--output {output}: expected {' or '.join(choices)}, too")


@app.command(rich_help_panel=MAPS)
def calibrate(
    world: OptionalWorld = None,
    robot: Annotated[
        str | None,
        typer.Option(
            help="Name of a robot in the world, or the address of a real robot: epuck:///dev/rfcomm0, epuck2://HOST."
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="umbmark: uses the end poses of squares; fit: least squares over all corners.")
    ] = "umbmark",
    camera: Annotated[
        str | None,
        typer.Option(help="Address of a camera above the robot that measures poses: http://HOST/stream.mjpg."),
    ] = None,
    lens: Annotated[
        Path | None, typer.Option(help="Lens file of the camera, written by `paddock camera calibrate`.")
    ] = None,
    site: Annotated[Path | None, typer.Option(help="TOML file with the markers on the floor and on robots.")] = None,
    side: Annotated[float, typer.Option(help="Side of the square, in metres.")] = 0.6,
    runs: Annotated[int, typer.Option(min=1, help="Number of squares in each direction.")] = 5,
    rounds: Annotated[
        int, typer.Option(min=1, help="Number of rounds; each uses the wheels of the previous round.")
    ] = 1,
    straight: Annotated[
        float | None,
        typer.Option(min=0, help="Length of the straight run of umbmark, in metres; 0 for none. Default: 0.6."),
    ] = None,
    check: Annotated[bool, typer.Option(help="Drive the squares again with the result.")] = True,
    seed: Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for the robot (TOML). Default: NAME.toml in the current folder."),
    ] = None,
    chart: Annotated[Path | None, typer.Option(help="File for a chart of the return errors (PNG, SVG or PDF).")] = None,
    force: Force = False,
) -> None:
    """Calibrate a robot's wheels by driving squares, and write a file for this individual robot.

    A simulated robot is measured automatically. A real robot is measured by a camera, or you enter its position.

    paddock calibrate empty --chart squares.png -o mine.toml
    paddock calibrate empty --method fit -o mine.toml
    paddock calibrate --robot epuck:///dev/rfcomm0 --side 0.4 -o e-puck_2479.toml
    paddock calibrate --robot epuck:///dev/rfcomm0 --method fit --camera URL --lens lens.toml --site site.toml
    """
    from paddock.cli.calibrate import calibrate as run
    from paddock.cli.calibrate import find_camera, plan_calibration

    plan = plan_calibration(method, side=side, runs=runs, straight=straight, rounds=rounds, check=check, seed=seed)
    poses = find_camera(camera, lens, site)
    run(world, robot=robot, plan=plan, camera=poses, output=output, chart=chart, force=force)


@app.command(rich_help_panel=TOOLS)
def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Names of benchmarks. Default: all.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurements; the median is printed.")] = 3,
    json: Json = False,
) -> None:
    """Measure the simulation speed of this machine, with collisions and with sensor readings.

    paddock bench
    paddock bench single swarm --json
    """
    from paddock.cli.bench_command import run_benches

    run_benches(names or [], rounds=rounds, json_lines=json)


@app.command(rich_help_panel=TOOLS)
def doctor(json: Json = False) -> None:
    """Check this installation: versions, compiler cache, a short simulation, optional packages."""
    from paddock.cli.doctor import examine

    if not examine(json_lines=json):
        raise typer.Exit(1)
