"""`paddock nodes`: a robot's controller as processes that exchange messages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paddock.core.terminal.shared_options import Json, out_option

if TYPE_CHECKING:
    from paddock.network.nodes import ModulesSpec

nodes_app = typer.Typer(help="A robot's controller as processes that exchange messages.", no_args_is_help=True)
Config = Annotated[
    str, typer.Argument(help="A shipped configuration (explore, navigate, wander), or the path of its TOML file.")
]
BusUrl = Annotated[str | None, typer.Option(help="Bus instead of the configuration's: zenoh://HOST:PORT, lines://….")]

ArenaUrl = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="PADDOCK_ARENA_URL",  # the same name as in `modules.process`
        help="Drive the robot of a server, such as http://127.0.0.1:8642/.",
    ),
]
Seconds = Annotated[float | None, typer.Option(min=0.1, help="Simulated seconds, instead of the configuration's.")]

LockStep = Annotated[
    bool | None,
    typer.Option(
        "--lock-step/--free",
        help="Advance time when all modules have answered, or with the clock. Default: as in the file.",
    ),
]


@nodes_app.command()
def up(
    config: Config,
    only: Annotated[
        str | None, typer.Option(help="Start only these modules, others run elsewhere: sensor,reflex.")
    ] = None,
    together: Annotated[bool, typer.Option(help="Run the modules as threads of one process.")] = False,
    seconds: Seconds = None,
    lock_step: LockStep = None,
    bus: BusUrl = None,
    url: ArenaUrl = None,
    out: Annotated[
        Path | None,
        out_option("Folder for the map, its pictures and the trajectory."),
    ] = None,
    json: Json = False,
) -> None:
    """Start the modules of a configuration, restart those that crash, and show their state.

    paddock nodes up explore
    paddock nodes up explore --out runs
    paddock nodes up explore.toml --together --seconds 60
    """
    from paddock.cli.nodes_view import run_modules

    spec = _load(config, bus, seconds, lock_step, url)
    spec.refuse_gaps()
    run_modules(config, spec, only=only, together=together, out=out, json_lines=json)


@nodes_app.command()
def run(
    name: Annotated[str, typer.Argument(help="Name of the module in the configuration.")],
    config: Annotated[str, typer.Option(help="A shipped configuration, or the path of its TOML file.")],
    bus: BusUrl = None,
    seconds: Seconds = None,
    lock_step: LockStep = None,
    url: ArenaUrl = None,
    fresh: Annotated[
        bool, typer.Option(help="Start again instead of resuming from the state of a killed module.")
    ] = False,
) -> None:
    """Run one module of a configuration until the end of the run.

    paddock nodes run reflex --config explore.toml --bus zenoh://127.0.0.1:7447
    """
    from paddock.network.nodes.process import run_module

    run_module(name, _load(config, bus, seconds, lock_step, url), fresh=fresh)


@nodes_app.command()
def bench(
    config: Config = "explore",
    seconds: Annotated[float, typer.Option(min=20.0, help="Simulated seconds of each run.")] = 60.0,
    bus: BusUrl = None,
    json: Json = False,
) -> None:
    """Measure the speed of modules in lock-step, and the latency from a measurement to the motor with a free clock.

    paddock nodes bench explore --seconds 60
    """
    from paddock.cli.nodes_view import run_bench

    run_bench(config, _load(config, bus, seconds, None), json_lines=json)


@nodes_app.command()
def teleop(
    config: Config,
    bus: Annotated[str, typer.Option(help="Bus of the modules: zenoh://HOST:PORT, lines://HOST:PORT.")],
    speed: Annotated[float, typer.Option(min=0.01, help="Linear speed, in m/s.")] = 0.3,
    turn: Annotated[float, typer.Option(min=0.01, help="Angular speed, in rad/s.")] = 0.8,
) -> None:
    """Drive with the keyboard (w a s d or arrows, q ends). This overrides the planner; the reflex stays active.

    paddock nodes teleop explore --bus zenoh://127.0.0.1:7447
    """
    from paddock.cli.nodes_teleop import drive_by_keys, read_keys

    drive_by_keys(_load(config, bus, None, None), read_keys(), speed=speed, turn=turn)


@nodes_app.command()
def schema() -> None:
    """Print the JSON Schema of all messages."""
    from json import dumps

    from paddock.network.nodes import message_schema

    typer.echo(dumps(message_schema(), indent=2))


@nodes_app.command()
def router(
    listen: Annotated[list[str] | None, typer.Option(help="Address to listen on, HOST:PORT; may be repeated.")] = None,
) -> None:
    """Route messages between modules on several hosts, until Ctrl-C. Any client that reaches it can drive the robot.

    paddock nodes router --listen 10.0.0.1:7447 --listen 10.0.1.1:7447
    """
    import time

    from paddock.network.nodes.transports.zenoh import ZenohRouter

    places = listen or ["127.0.0.1:7447"]
    with ZenohRouter(*(f"tcp/{place}" for place in places)):
        typer.echo(f"routing at {', '.join(places)}; Ctrl-C ends it")
        try:
            while True:  # a wait without end would miss a signal that arrives in a thread of zenoh
                time.sleep(0.5)
        except KeyboardInterrupt:
            typer.echo("ended")


@nodes_app.command()
def replay(
    recording: Annotated[Path, typer.Argument(help="A recording: messages as lines of JSON.")],
    bus: Annotated[str, typer.Option(help="Bus to send them to: zenoh://HOST:PORT, lines://HOST:PORT.")],
    source: Annotated[list[str] | None, typer.Option(help="Module whose messages to send; may be repeated.")] = None,
) -> None:
    """Send recorded messages of modules again. Default: the messages of the sensor module.

    paddock nodes replay run.jsonl --bus lines://127.0.0.1:5000 --source SENSOR
    """
    from paddock.network.nodes import open_bus, read_recording
    from paddock.network.nodes.bus_recorder import replay as replay_messages
    from paddock.network.nodes.goals import ANSWER
    from paddock.network.nodes.node_messages import REPLAY

    for _ in read_recording(recording):  # errors are reported before the bus is opened, which may wait for its hub
        pass
    with open_bus(bus, REPLAY, timeout=ANSWER) as line:
        typer.echo(f"{replay_messages(recording, line, source or ['SENSOR'])} messages")


def _load(
    config: str, bus: str | None, seconds: float | None, lock_step: bool | None, url: str | None = None
) -> ModulesSpec:
    from dataclasses import replace

    from paddock.network.nodes import load_modules

    given = {"bus": bus, "seconds": seconds, "lock_step": lock_step, "url": url}
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    return replace(load_modules(config), **changes)
