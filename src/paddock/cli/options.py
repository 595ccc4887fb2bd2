"""Options that several commands share, or that would make their signatures long."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.core.argument_checks import HIGHEST_PORT

NEGATIVE_NUMBERS = {"ignore_unknown_options": True}  # for commands with coordinates: -1.5 is not an option

Seed = Annotated[int, typer.Option(help="Seed of all noise. Equal seeds give equal runs, to the last bit.")]
Speed = Annotated[
    float | None,
    typer.Option(
        min=0, help="Simulated seconds per second on the page; 0: as fast as possible. Default: 1, real time."
    ),
]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=HIGHEST_PORT, help="Port of the page. Default: 8642, or a free port if it is in use."),
]
Headless = Annotated[bool, typer.Option(help="Run without a page, as fast as possible, and report only at the end.")]
Picture = Annotated[Path | None, typer.Option(help="File for a picture of the world with the robots' trails (PNG).")]
Json = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON lines instead of a table.")]
Workers = Annotated[
    str | None,
    typer.Option(help="Number of processes, or ray for the cores of a cluster. Default: one process per core."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite existing files. A picture that you name is always replaced.")
]
Show = Annotated[str | None, typer.Option(help="Draw this one, by name or TOML file, as a PNG picture.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Output file. Default: NAME.png, NAME.yaml … in the current folder."),
]


def complete_world(start: str) -> list[str]:
    """List the shipped worlds whose names begin with `start`, for the shell's completion."""
    from paddock.simulation.worlds import world_names

    return [name for name in world_names() if name.startswith(start)]


def complete_scenario(start: str) -> list[str]:
    """List the shipped scenarios whose names begin with `start`, for the shell's completion."""
    from paddock.experiments.scenarios import scenario_names

    return [name for name in scenario_names() if name.startswith(start)]


_WORLD_HELP = "A shipped world (see: paddock worlds) or the path of a TOML file."
World = Annotated[str, typer.Argument(help=_WORLD_HELP, autocompletion=complete_world)]
OptionalWorld = Annotated[str | None, typer.Argument(help=_WORLD_HELP, autocompletion=complete_world)]
Seconds = Annotated[float, typer.Option(help="Simulated seconds to run for.")]
RunSeconds = Annotated[
    float | None, typer.Option(help="Simulated seconds to run for. Default: 30, or, with --robot, until Ctrl-C.")
]
Traceback = Annotated[
    bool,
    typer.Option("--traceback", help="Print the full traceback of a controller error, including Paddock's frames."),
]
Controller = Annotated[
    Path | None,
    typer.Option(
        "--controller",
        "-c",
        help="A Python file with act(observation), a class Controller, or a dict CONTROLLERS by robot name.",
    ),
]
PolicyFile = Annotated[
    Path | None, typer.Option(help="Network or program instead of a controller, such as an evolved champion.npz.")
]
Record = Annotated[
    Path | None,
    typer.Option(help="File for an MCAP recording, for Foxglove, PlotJuggler and `paddock replay`: run.mcap."),
]

# ---- of `paddock run`

Scenario = Annotated[
    str | None,
    typer.Option(
        help="Scenario (a list of tasks) instead of a world: a shipped one, or the path of a TOML file.",
        autocompletion=complete_scenario,
    ),
]
RobotAddress = Annotated[
    str | None,
    typer.Option(
        help="Address of a robot instead of a world: epuck:///dev/rfcomm0, epuck2://HOST or ws://HOST:8642?robot=NAME."
    ),
]
OptionalSeed = Annotated[int | None, typer.Option(help="Seed of all noise. Default: 0, or the scenario's seeds.")]
RunFolder = Annotated[
    Path | None, typer.Option(help="Folder for the run's files: log, trace.csv, summary.json and pictures.")
]
Report = Annotated[bool, typer.Option(help="Also write an HTML report; without --out, below runs/.")]
TraceFile = Annotated[Path | None, typer.Option(help="With --robot: file for its trace, .csv, .npz or .parquet.")]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="With --robot: take it over from the client that drives it on its server.")
]

# ---- of `paddock serve`

Host = Annotated[
    str, typer.Option(help="Address to listen on. 0.0.0.0: all addresses; clients then need the printed token.")
]
ServerPort = Annotated[int, typer.Option(min=0, max=HIGHEST_PORT, help="Port to listen on; 0 for any free port.")]
ServerSpeed = Annotated[
    float | None, typer.Option(help="Simulated seconds per second; 0: as fast as possible. Default: 1.")
]
LockStep = Annotated[
    bool,
    typer.Option("--lock-step", help="Advance time only when every client has requested it, as fast as possible."),
]
Token = Annotated[str | None, typer.Option(help="Token of supervisors. Default: a random one, if one is needed.")]
AllowHost = Annotated[list[str] | None, typer.Option(help="Additional host name that browsers use for this machine.")]
Classroom = Annotated[
    Path | None, typer.Option(help="Text file with one student per line; each gets a robot and a join link.")
]
RefereeName = Annotated[
    str | None,
    typer.Option(
        "--referee",
        help="Referee that scores the run: a name (laps, maze-race, …), file.py:Name, or a TOML file with options.",
    ),
]
Results = Annotated[
    Path | None, typer.Option(help="Folder for the results of heats (results.csv) and a recording of each.")
]
HeatSeconds = Annotated[float | None, typer.Option(help="Maximum length of a heat in simulated seconds.")]
Score = Annotated[
    Path | None, typer.Option(help="Python file with score(arena) → points by robot name, shown on the page.")
]
EPuckSerial = Annotated[
    list[str] | None,
    typer.Option(help="Robot that is emulated as an e-puck on a serial device. May be repeated."),
]
RealRobots = Annotated[
    list[str] | None,
    typer.Option(
        "--robot",
        help="Address of a real robot, epuck:///dev/rfcomm0, epuck://10:00:E8:AD:77:BB or epuck2://HOST, that is "
        "served instead of the world's robots. Its start pose is that of the world's robot with its ?name=. May be "
        "repeated.",
    ),
]
EPuck2 = Annotated[
    list[str] | None,
    typer.Option(
        help="Robot that is emulated as an e-puck2 on Wi-Fi: its name, or name=port (default 1000). With `,kind` "
        "appended, it sends only when polled, and stops when its client disconnects. May be repeated."
    ),
]
Orders = Annotated[
    list[str] | None,
    typer.Option(
        help="Robot that gets a serial device and drives to points on orders. NAME=legacy: without checked mode; "
        "NAME=planning (or another avoidance, also module:Name): selects the obstacle avoidance; 'all': all robots. "
        "May be repeated."
    ),
]
UsarSim = Annotated[
    list[str] | None,
    typer.Option(
        "--usarsim",
        help="Port for programs written for USARSim, usually 3000. Comma-separated options may follow: camera=PORT for "
        "the image server, usually 5003, and scan=clockwise for scanners that sweep clockwise.",
    ),
]
Coppelia = Annotated[
    list[str] | None,
    typer.Option(
        "--coppelia",
        help="Port for programs written for CoppeliaSim's ZeroMQ remote API, usually 23000. With ',stopped', the clock "
        "is stopped until sim.startSimulation.",
    ),
]
Vrep = Annotated[
    list[str] | None,
    typer.Option(
        "--vrep",
        help="Ports for programs written for V-REP's (CoppeliaSim's legacy) remote API, usually 19997,19999. With "
        "',stopped', the clock is stopped until simxStartSimulation.",
    ),
]
Player = Annotated[
    list[str] | None,
    typer.Option(
        "--player",
        help="Ports for programs written for Player and Stage, usually 6665: one port for all robots, or one per "
        "robot. With ',stepped', the clock waits for their reads; with ',world', poses are in the world frame.",
    ),
]
Ros2 = Annotated[
    list[str] | None,
    typer.Option(
        "--ros2",
        help="Publish robots to ROS 2 nodes over dds or zenoh. Comma-separated options may follow: "
        "domain=ROS_DOMAIN_ID, rate=50 (Hz), stop=0.5 (seconds without a command until the robot stops), "
        "router=ENDPOINT of zenoh, namespaces (also for a single robot), humble.",
    ),
]
Rosbridge = Annotated[
    list[str] | None,
    typer.Option(
        "--rosbridge",
        help="Port for rosbridge clients such as roslibpy and roslibjs, usually 9090. rate, stop and namespaces may "
        "follow, as for --ros2; ',any-origin' also accepts web pages of other hosts.",
    ),
]
OverheadCamera = Annotated[
    list[str] | None,
    typer.Option(
        help="Camera above the world, emulated as an IP camera: a port (0 for any free port), or the path of its TOML "
        "file. May be repeated."
    ),
]
Bridge = Annotated[
    list[str] | None,
    typer.Option(help="Bridge of another package, and a robot for it: NAME=ROBOT. May be repeated."),
]
BridgeHost = Annotated[
    str,
    typer.Option(
        help="Address for e-puck2s, cameras and bridges. They use no token: any client that reaches a port can drive "
        "its robot."
    ),
]
OpenPage = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]


def refuse_page_options(headless: bool, *, speed: float | None, port: int | None) -> None:
    """Raise an error if an option of the page is given for a run without a page."""
    for name, value in (("speed", speed), ("port", port)):
        if headless and value is not None:
            problem = f"--{name} is the {name} of a page; this run has none, because of --headless or --robot"
            raise typer.BadParameter(problem)
