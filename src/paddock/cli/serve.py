"""`paddock serve`: options and help text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli import options
from paddock.cli.run import refuse_both, refuse_old_recording, refuse_unused
from paddock.core.terminal.shared_options import Force, Seed
from paddock.core.terminal_text import visible

# Options that are allowed with real robots. Bridges are not, because they require no token.
SERVED_REAL = (
    *("world", "host", "port", "token", "allow_host", "classroom", "referee", "controller", "policy", "open_page"),
)

RealRobots = Annotated[
    list[str] | None,
    typer.Option(
        help="Address of a real robot to serve; with ?name=, it starts where the world has that robot. Repeatable."
    ),
]
OpenToAll = Annotated[
    bool,
    typer.Option(
        "--open-bridges",
        rich_help_panel=options.NETWORK,
        help="Let anybody at --bridge-host drive robots.",
    ),
]
NamesOfStudents = Annotated[
    Path | None,
    typer.Option(rich_help_panel=options.NETWORK, help="Text file of students, who get robots and links."),
]


def serve(
    context: typer.Context,
    world: options.OptionalWorld = None,
    robot: RealRobots = None,
    bridge: options.Bridges = None,
    list_bridges: Annotated[bool, typer.Option("--bridges", help="List these bridges and their values.")] = False,
    seed: Seed = 0,
    speed: options.ServerSpeed = None,
    lock_step: Annotated[bool, typer.Option("--lock-step", help="Time advances only when every client asks.")] = False,
    open_page: options.OpenPage = False,
    host: options.Host = "127.0.0.1",
    port: options.ServerPort = None,
    token: options.Token = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=options.NETWORK, help="Further host name of this machine."),
    ] = None,
    bridge_host: Annotated[
        str, typer.Option(rich_help_panel=options.NETWORK, help="Address of bridges, which need no token.")
    ] = "127.0.0.1",
    open_bridges: OpenToAll = False,
    classroom: NamesOfStudents = None,
    controller: options.Controller = None,
    policy: options.PolicyFile = None,
    referee: options.RefereeName = None,
    heat_seconds: Annotated[
        float | None, typer.Option(rich_help_panel=options.SCORES, help="Longest heat in simulated seconds.")
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(rich_help_panel=options.SCORES, help="Folder for results and recordings."),
    ] = None,
    record: options.Record = None,
    force: Force = False,
) -> None:
    """Serve a world to programs and browsers, here or on the network.

    paddock serve clutter -c my_controller.py --lock-step --open
    paddock serve line-track --host 0.0.0.0 --classroom names.txt
    paddock serve line-crossing --bridge epuck-serial=red --bridge epuck2=blue
    paddock serve --robot epuck:///dev/rfcomm0 --robot epuck2://192.168.1.20
    """
    if list_bridges:
        print_bridges()
        return
    from paddock.cli.referee import choose_referee, plan_heats
    from paddock.cli.serve_world import serve_world
    from paddock.network.server import Settings

    check_served(context)
    pace, hosts = choose_speed(speed, lock_step=lock_step), tuple(allow_host or ())
    settings = Settings(host=host, port=port, speed=pace, lock_step=lock_step, token=token, allowed_hosts=hosts)
    serve_world(
        world, settings, robots=robot or (), seed=seed, classroom=classroom, referee=choose_referee(referee),
        heats=plan_heats(heat_seconds, results), controller=controller, policy=policy,
        bridges=[split_bridge(text) for text in bridge or ()], bridge_host=bridge_host,
        open_bridges=open_bridges, record=record, open_page=open_page,
    )  # fmt: skip


def print_bridges() -> None:
    """Print the registered bridges, each with its values."""
    from rich.padding import Padding
    from rich.text import Text

    from paddock.bridges.common.bridge import describe_bridges
    from paddock.core.terminal.console import Console

    console = Console(highlight=False)
    for bridge in describe_bridges():
        console.print(bridge.syntax, style="bold", markup=False)
        console.print(Padding(Text(bridge.meaning), (0, 0, 0, 4)))


def split_bridge(text: str) -> tuple[str, str]:
    """Split the value of --bridge into the bridge's name and its argument."""
    from paddock.bridges.common.bridge import BRIDGES, describe_bridges
    from paddock.core.user_code import is_path

    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise typer.BadParameter(f"--bridge {visible(text)}: expected NAME=VALUE, see paddock serve --bridges")
    if name not in BRIDGES and not is_path(name):
        known = "\n".join(f"  {bridge.syntax}" for bridge in describe_bridges())
        raise typer.BadParameter(f"--bridge: no bridge called {visible(name)!r}; the bridges are:\n{known}")
    return name, value


def check_served(context: typer.Context) -> None:
    """Check that there is a world or a robot, at most one kind of controller, and no option that is not used."""
    given = context.params
    if given["world"] is None and not given["robot"]:
        raise typer.BadParameter("expected a world, or --robot with the address of a real robot")
    if given["robot"]:
        refuse_unused(context, "robot", SERVED_REAL)
    refuse_both(given["controller"], given["policy"])
    refuse_old_recording(given)


def choose_speed(speed: float | None, *, lock_step: bool) -> float | None:
    """Return the simulated seconds per second; None for as fast as possible."""
    if speed is None:
        return None if lock_step else 1.0
    return speed or None
