"""`paddock serve`: options and help text."""

from __future__ import annotations

import typer

from paddock.cli import options
from paddock.cli.run_command import refuse_both, refuse_old_recording, refuse_unused
from paddock.core.terminal_text import visible

# Bridges that have their own option.
NAMED_BRIDGES = (
    *("epuck_serial", "epuck2", "orders", "usarsim", "overhead_camera", "vrep", "coppelia", "player"),
    *("ros2", "rosbridge"),
)
# Options that are allowed with real robots. Bridges are not, because they require no token.
SERVED_REAL = (
    *("world", "host", "port", "token", "allow_host", "classroom", "score", "referee", "controller", "policy"),
    "open_page",
)


def split_bridge(text: str) -> tuple[str, str]:
    """Split the value of --bridge into the bridge's name and its argument."""
    name, equals, asked = text.partition("=")
    if not (name and equals and asked):
        raise typer.BadParameter(f"--bridge {visible(text)}: expected NAME=ROBOT")
    return name, asked


def list_bridges(context: typer.Context) -> list[tuple[str, str]]:
    """Return the name and the argument of each requested bridge."""
    given = context.params
    wanted = [(name.replace("_", "-"), asked) for name in NAMED_BRIDGES for asked in given[name] or ()]
    return wanted + [split_bridge(text) for text in given["bridge"] or ()]


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


def serve(
    context: typer.Context,
    world: options.OptionalWorld = None,
    robot: options.RealRobots = None,
    host: options.Host = "127.0.0.1",
    port: options.ServerPort = 8642,
    speed: options.ServerSpeed = None,
    lock_step: options.LockStep = False,
    seed: options.Seed = 0,
    token: options.Token = None,
    allow_host: options.AllowHost = None,
    classroom: options.Classroom = None,
    score: options.Score = None,
    referee: options.RefereeName = None,
    heat_seconds: options.HeatSeconds = None,
    results: options.Results = None,
    controller: options.Controller = None,
    policy: options.PolicyFile = None,
    epuck_serial: options.EPuckSerial = None,
    epuck2: options.EPuck2 = None,
    orders: options.Orders = None,
    overhead_camera: options.OverheadCamera = None,
    usarsim: options.UsarSim = None,
    vrep: options.Vrep = None,
    coppelia: options.Coppelia = None,
    player: options.Player = None,
    ros2: options.Ros2 = None,
    rosbridge: options.Rosbridge = None,
    bridge: options.Bridge = None,
    bridge_host: options.BridgeHost = "127.0.0.1",
    record: options.Record = None,
    force: options.Force = False,
    open_page: options.OpenPage = False,
) -> None:
    """Serve a world to programs and browsers, on this machine or on the network.

    paddock serve line-track --host 0.0.0.0 --classroom names.txt
    paddock serve line-track --classroom names.txt --referee laps --heat-seconds 120 --results results
    paddock serve line-crossing --epuck-serial red --epuck2 blue=1000
    paddock serve petri-dish --orders all --overhead-camera 8081
    paddock serve yellow-rooms --usarsim 3000
    paddock serve wall-loop --vrep 19997,19999 --coppelia 23000
    paddock serve wall-loop --player 6665
    paddock serve clutter --record lesson.mcap
    paddock serve yellow-rooms --ros2 dds --rosbridge 9090
    paddock serve clutter -c my_controller.py --lock-step --seed 7 --open
    paddock serve --robot epuck:///dev/rfcomm0 --robot epuck2://192.168.1.20?name=blue
    """
    from paddock.cli.referee import choose_referee, plan_heats
    from paddock.cli.serve import serve_world
    from paddock.network.server import Settings

    check_served(context)
    pace, hosts = choose_speed(speed, lock_step=lock_step), tuple(allow_host or ())
    judged, heats = choose_referee(referee, score), plan_heats(heat_seconds, results)
    settings = Settings(host=host, port=port, speed=pace, lock_step=lock_step, token=token, allowed_hosts=hosts)
    serve_world(
        world, settings, robots=robot or (), seed=seed, classroom=classroom, referee=judged, heats=heats,
        controller=controller, policy=policy, bridges=list_bridges(context), bridge_host=bridge_host, record=record,
        open_page=open_page,
    )  # fmt: skip
