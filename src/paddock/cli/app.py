"""All commands and their help texts; the work is done elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from paddock.cli.evolve_options import evolve

app = typer.Typer(
    name="paddock",
    help="A laboratory for mobile robots: simulate them, sense, control, measure.",
    epilog="New here? Try: paddock demo · paddock worlds · paddock run clutter --seconds 30",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

Seed = Annotated[int, typer.Option(help="Decides all noise. Equal seeds give equal runs, to the last bit.")]
Speed = Annotated[
    float | None,
    typer.Option(min=0, help="Simulated seconds per second on the page; 0 for flat out. Default: 1, real time."),
]
Port = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Port of the page. Default: 8642, or any free one if it is in use.")
]
Headless = Annotated[bool, typer.Option(help="Without a page, as fast as possible, and only report at the end.")]
Picture = Annotated[
    Path | None, typer.Option(help="Where to save a picture of the world with the robots' trails (PNG).")
]
Json = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON lines instead of a table.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]
Show = Annotated[str | None, typer.Option(help="Draw this one, or a TOML file of yours, as a PNG picture.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File for the picture. Default: NAME.png here.")]


# Instead of a world, `paddock run` takes one of these, which use only some of the options that a world uses.
MODES = {
    "scenario": ("robot", "seed", "speed", "out", "report", "headless", "port", "traceback"),
    "robot": ("scenario", "controller", "policy", "seconds", "trace", "headless", "traceback"),
}


@app.callback(invoke_without_command=True)
def about(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        import paddock

        typer.echo(f"paddock {paddock.__version__}")
        raise typer.Exit


@app.command()
def demo(
    seconds: Annotated[float, typer.Option(help="Simulated seconds to run for.")] = 60.0,
    speed: Annotated[float, typer.Option(min=0, help="Simulated seconds per second; 0 for flat out.")] = 3.0,
    seed: Seed = 1,
    picture: Picture = Path("demo.png"),
    headless: Headless = False,
    port: Port = None,
) -> None:
    """Two e-pucks drive towards each other on a line with obstacles on it, and pass each other.

    Opens the page (its address is printed) and starts when you see it. At the end it prints a summary and saves a
    picture of the trails; the page stays, to run it again, until Ctrl-C.

      paddock demo
      paddock demo --headless --seconds 20
    """
    from paddock.cli.run import run_world

    run_world(
        "line-crossing",
        None,
        seconds=seconds,
        speed=speed,
        seed=seed,
        picture=picture,
        headless=headless,
        port=port,
        needs_viewer=True,
    )


@app.command()
def run(
    context: typer.Context,
    world: Annotated[
        str | None, typer.Argument(help="A shipped world (see: paddock worlds) or the path of a TOML file.")
    ] = None,
    controller: Annotated[
        Path | None,
        typer.Option(
            "--controller",
            "-c",
            help="A Python file with act(observation), a class Controller, or a dict CONTROLLERS by robot name.",
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(help="Instead of a controller: a network or program, such as an evolved champion.npz."),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(help="Instead of a world: a shipped scenario or the path of its TOML file, a list of tasks."),
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option(
            help="Instead of a world: the address of a robot, epuck:///dev/rfcomm0, epuck2://HOST or "
            "ws://HOST:8642?robot=NAME."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(help="Simulated seconds to run for.")] = 30.0,
    speed: Speed = None,
    seed: Annotated[int | None, typer.Option(help="Decides all noise. Not given: 0, or the scenario's own.")] = None,
    picture: Picture = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the run's files: log, trace.csv, summary.json and pictures.")
    ] = None,
    report: Annotated[bool, typer.Option(help="One HTML page of it all, too; without --out, below runs/.")] = False,
    trace: Annotated[
        Path | None, typer.Option(help="With --robot: write its trace, as .csv, .npz or .parquet.")
    ] = None,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="When a controller fails: all of the traceback, Paddock's part too.")
    ] = False,
    headless: Headless = False,
    port: Port = None,
) -> None:
    """Run a world with a controller of yours, or with a built-in one.

    A controller is a Python file like this; it is called once per tick for every robot:

      def act(observation):
          left, middle, right = observation.ground
          return 0.10, 0.05 if right < 0.5 else 0.10     # m/s at the rims

      paddock run clutter --seconds 120 --picture trails.png
      paddock run line-track -c my_controller.py --speed 1
      paddock run clutter --out runs --report
      paddock run runs/maze/world.toml --policy runs/maze/champion.npz
      paddock run --scenario paper-loop --seed 3 --out runs --report
      paddock run -c my_controller.py --robot epuck:///dev/rfcomm0
    """
    if (world is None) == (scenario is None and robot is None):
        raise typer.BadParameter("expected either a world or --scenario or --robot")
    mode = next((mode for mode in MODES if context.params[mode] is not None), None)
    if mode is not None:
        refuse_unused(context, mode, MODES[mode])
    if report and out is None:
        out = Path("runs")
    refuse_both(controller, policy)
    if robot is not None and scenario is None:
        from paddock.cli.run_robot import run_robot

        if controller is None and policy is None:
            raise typer.BadParameter("--robot: expected --controller or --policy to drive it")
        run_robot(
            robot, controller, policy=policy, seconds=seconds, headless=headless, trace=trace, traceback=traceback
        )
        return
    if scenario is not None:
        from paddock.cli.scenario import run_scenario_file

        if not run_scenario_file(
            scenario,
            seed=seed,
            speed=speed,
            out=out,
            report=report,
            headless=headless,
            port=port,
            robot=robot,
            traceback=traceback,
        ):
            raise typer.Exit(1)
        return
    from paddock.cli.run import run_world

    assert world is not None
    run_world(
        world,
        controller,
        policy=policy,
        seconds=seconds,
        speed=speed,
        seed=seed or 0,
        picture=picture,
        headless=headless,
        out=out,
        html=report,
        port=port,
        traceback=traceback,
    )


def refuse_unused(context: typer.Context, mode: str, used: Iterable[str]) -> None:
    """Refuse options that were given, but that a mode would ignore."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in (mode, *used) and source is not None and source.name != "DEFAULT":
            others = ", ".join(f"--{option}" for option in used)
            raise typer.BadParameter(f"--{name} means nothing to --{mode}, which takes {others}")


def refuse_both(controller: Path | None, policy: Path | None) -> None:
    """Robots are driven by a file or by a policy."""
    if controller is not None and policy is not None:
        raise typer.BadParameter("expected either --controller or --policy")


@app.command()
def serve(
    world: Annotated[str, typer.Argument(help="A shipped world (see: paddock worlds) or the path of a TOML file.")],
    host: Annotated[
        str, typer.Option(help="Address to listen on. 0.0.0.0: any; then clients need the token that is printed.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any that is free.")] = 8642,
    speed: Annotated[
        float | None, typer.Option(help="Simulated seconds per second; 0 for flat out. Default: 1.")
    ] = None,
    lock_step: Annotated[
        bool, typer.Option("--lock-step", help="Time passes only when every client has asked for it (flat out).")
    ] = False,
    seed: Seed = 0,
    token: Annotated[
        str | None, typer.Option(help="The supervisors' token. Not given: made up where one is needed.")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name under which browsers reach this machine.")
    ] = None,
    classroom: Annotated[
        Path | None, typer.Option(help="A text file with a student per line: a robot and a join link for each.")
    ] = None,
    score: Annotated[
        Path | None, typer.Option(help="A Python file with score(arena) → points by robot name, for the page.")
    ] = None,
    controller: Annotated[
        Path | None,
        typer.Option("--controller", "-c", help="A Python file as for `paddock run`: drives robots from the start."),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="Instead of a controller: a network or program, for all robots.")
    ] = None,
    epuck_serial: Annotated[
        list[str] | None,
        typer.Option(help="A robot that gets a serial device, as a real e-puck would. May be repeated."),
    ] = None,
    epuck2: Annotated[
        list[str] | None,
        typer.Option(
            help="A robot that is an e-puck2 on Wi-Fi: its name, or name=port. Default: 1000. May be repeated."
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Serve a world to programs and browsers, on this machine or on the network.

    paddock serve clutter
    paddock serve clutter --lock-step --seed 7
    paddock serve line-track --host 0.0.0.0 --classroom names.txt
    paddock serve line-crossing --epuck-serial red --epuck2 blue=1000
    paddock serve clutter -c my_controller.py --open
    """
    from paddock.cli.serve import serve_world
    from paddock.server import Settings

    refuse_both(controller, policy)
    flat_out = speed == 0 or (lock_step and speed is None)
    settings = Settings(
        host=host,
        port=port,
        speed=None if flat_out else 1.0 if speed is None else speed,
        lock_step=lock_step,
        token=token,
        allowed_hosts=tuple(allow_host or ()),
    )
    serve_world(
        world,
        settings,
        seed=seed,
        classroom=classroom,
        score=score,
        controller=controller,
        policy=policy,
        serial_twins=tuple(epuck_serial or ()),
        wifi_twins=tuple(epuck2 or ()),
        open_page=open_page,
    )


app.command()(evolve)


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
