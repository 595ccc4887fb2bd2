"""`paddock serve`: its options and help text."""

from __future__ import annotations

import typer

from paddock.cli import options
from paddock.cli.run_command import refuse_both


def split_bridge(text: str) -> tuple[str, str]:
    """A bridge's name, and what is asked of it."""
    name, equals, asked = text.partition("=")
    if not (name and equals and asked):
        raise typer.BadParameter(f"--bridge {text}: expected NAME=ROBOT")
    return name, asked


def list_bridges(others: list[str] | None, **named: list[str] | None) -> list[tuple[str, str]]:
    """The name of a bridge and what is asked of it, for each that was asked for."""
    wanted = [(name.replace("_", "-"), asked) for name, texts in named.items() for asked in texts or ()]
    return wanted + [split_bridge(text) for text in others or ()]


def serve(
    world: options.World,
    host: options.Host = "127.0.0.1",
    port: options.ServerPort = 8642,
    speed: options.ServerSpeed = None,
    lock_step: options.LockStep = False,
    seed: options.Seed = 0,
    token: options.Token = None,
    allow_host: options.AllowHost = None,
    classroom: options.Classroom = None,
    score: options.Score = None,
    controller: options.Controller = None,
    policy: options.PolicyFile = None,
    epuck_serial: options.EPuckSerial = None,
    epuck2: options.EPuck2 = None,
    orders: options.Orders = None,
    overhead_camera: options.OverheadCamera = None,
    usarsim: options.UsarSim = None,
    vrep: options.Vrep = None,
    coppelia: options.Coppelia = None,
    bridge: options.Bridge = None,
    bridge_host: options.BridgeHost = "127.0.0.1",
    open_page: options.OpenPage = False,
) -> None:
    """Serve a world to programs and browsers, on this machine or on the network.

    paddock serve line-track --host 0.0.0.0 --classroom names.txt
    paddock serve line-crossing --epuck-serial red --epuck2 blue=1000
    paddock serve petri-dish --orders all --overhead-camera 8081
    paddock serve yellow-rooms --usarsim 3000
    paddock serve wall-loop --vrep 19997,19999 --coppelia 23000
    paddock serve clutter -c my_controller.py --lock-step --seed 7 --open
    """
    from paddock.cli.serve import serve_world
    from paddock.server import Settings

    refuse_both(controller, policy)
    named = {"epuck_serial": epuck_serial, "epuck2": epuck2, "orders": orders, "usarsim": usarsim}
    named |= {"overhead_camera": overhead_camera, "vrep": vrep, "coppelia": coppelia}
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
        bridges=list_bridges(bridge, **named),
        bridge_host=bridge_host,
        open_page=open_page,
    )
