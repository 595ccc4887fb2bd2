"""`paddock robot`: shipped types of robots, calibration of an individual robot, goals for running robots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli.options import NEGATIVE_NUMBERS, OptionalWorld, RobotName
from paddock.core.terminal.shared_options import Force, Output, Seed, file_option, out_option

robot_app = typer.Typer(help="List, draw and calibrate robots, and send them to goals.", no_args_is_help=True)
WIDE = 120  # minimum terminal width for the names of all sensors
DRIVE, CAMERA = "The squares", "Measurement by a camera above the robot"


@robot_app.command("list")
def list_robots() -> None:
    """List the shipped types of robots."""
    from paddock.core.terminal.console import Console, new_table
    from paddock.simulation.robots import load_robot, robot_names

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
    console.print("Draw one with its sensor rays:  paddock robot show NAME", style="dim")


@robot_app.command("show")
def show_robot(name: RobotName, out: Output = None, force: Force = False) -> None:
    """Draw a robot with its sensor rays.

    paddock robot show e-puck -o e-puck.svg
    """
    from paddock.core.terminal.output_files import choose_picture, print_written
    from paddock.report.drawing import save_drawing
    from paddock.simulation.robots import load_robot

    spec = load_robot(name)
    save_drawing(spec, path := choose_picture(out, spec.name, force=force))
    print_written(path)


@robot_app.command("urdf")
def write_urdf(
    name: RobotName,
    out: Annotated[Path | None, out_option("Output file. Default: print.")] = None,
    force: Force = False,
) -> None:
    """Write a robot as URDF for ROS.

    paddock robot urdf pioneer-p3dx -o pioneer.urdf
    """
    from paddock.core.files import write_text
    from paddock.core.terminal.output_files import check_new, print_written
    from paddock.simulation.robots import describe_as_urdf, load_robot

    text = describe_as_urdf(load_robot(name))
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text(check_new(out, force=force), text)
    print_written(out)


@robot_app.command("calibrate")
def calibrate(
    world: OptionalWorld = None,
    robot: Annotated[
        str | None,
        typer.Option(help="A robot of the world, or the address of a real one: epuck:///dev/rfcomm0, epuck2://HOST."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="umbmark: end poses of squares; fit: least squares over all corners.")
    ] = "umbmark",
    side: Annotated[float, typer.Option(rich_help_panel=DRIVE, help="Side of the square in metres.")] = 0.6,
    runs: Annotated[int, typer.Option(min=1, rich_help_panel=DRIVE, help="Squares in each direction.")] = 5,
    rounds: Annotated[
        int, typer.Option(min=1, rich_help_panel=DRIVE, help="Rounds, each with the wheels of the previous one.")
    ] = 1,
    straight: Annotated[
        float | None,
        typer.Option(min=0, rich_help_panel=DRIVE, help="umbmark: straight run in metres, 0 for none. Default: 0.6."),
    ] = None,
    check: Annotated[
        bool, typer.Option(" /--no-check", rich_help_panel=DRIVE, help="Do not drive the squares again at the end.")
    ] = True,
    seed: Seed = 0,
    camera: Annotated[
        str | None, typer.Option(rich_help_panel=CAMERA, help="Its address: http://HOST/stream.mjpg.")
    ] = None,
    lens: Annotated[
        Path | None, typer.Option(rich_help_panel=CAMERA, help="Lens file, written by `paddock camera lens`.")
    ] = None,
    site: Annotated[
        Path | None, typer.Option(rich_help_panel=CAMERA, help="TOML file with the markers on floor and robots.")
    ] = None,
    out: Annotated[
        Path | None,
        out_option("File for the robot (TOML). Default: NAME.toml."),
    ] = None,
    chart: Annotated[Path | None, file_option("File for a chart of the errors (PNG, SVG, PDF).")] = None,
    force: Force = False,
) -> None:
    """Calibrate a robot's wheels by driving squares, and write a file for this individual robot.

    A simulated robot is measured automatically. A real robot is measured by a
    camera, or you enter its position.

      paddock robot calibrate empty --chart squares.png -o mine.toml
      paddock robot calibrate --robot epuck:///dev/rfcomm0 --side 0.4
    """
    from paddock.cli.robot_calibration import calibrate_robot, find_camera, plan_calibration

    plan = plan_calibration(method, side=side, runs=runs, straight=straight, rounds=rounds, check=check, seed=seed)
    read_pose = find_camera(camera, lens, site)
    calibrate_robot(world, robot=robot, plan=plan, read_pose=read_pose, out=out, chart=chart, force=force)


@robot_app.command("goal", context_settings=NEGATIVE_NUMBERS)
def send_goal(
    url: Annotated[str, typer.Argument(help="A server, with ?robot=NAME if it has several robots; or a bus of nodes.")],
    x: Annotated[float, typer.Argument(help="x of the goal, in metres.")],
    y: Annotated[float, typer.Argument(help="y of the goal, in metres.")],
) -> None:
    """Send a running robot to a goal, as a click on the page does. Its controller must accept goals.

    The goal is in the frame of the controller's map, whose origin may be the
    start pose of the robot: x ahead, y to its left.

      paddock robot goal http://127.0.0.1:8642/?robot=rover 2.5 -1
      paddock robot goal zenoh://127.0.0.1:7447 3.5 0
    """
    from urllib.parse import urlsplit

    from paddock.core.errors import PaddockError
    from paddock.network.client import SERVERS

    if urlsplit(url).scheme.lower() in SERVERS:
        import paddock
        from paddock.cli.run_robot import choose_robot
        from paddock.network.client.remote import RemoteArena

        with paddock.connect(url, lock_step=False) as arena:
            assert isinstance(arena, RemoteArena)
            name = choose_robot(arena, url).name
            arena.send_goal(name, x, y)
    else:
        from paddock.network.nodes.goals import send_goal_to_planner

        name = "the robot"
        if reason := send_goal_to_planner(url, x, y):
            raise PaddockError(f"refused: {reason}")
    typer.echo(f"{name} drives to ({x:g}, {y:g})")
