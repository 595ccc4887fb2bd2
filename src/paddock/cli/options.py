"""Options that commands share, or that would make their signatures long."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NEGATIVE_NUMBERS = {"ignore_unknown_options": True}  # of commands with coordinates: -1.5 is no option

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
Workers = Annotated[
    str | None, typer.Option(help="Processes, or ray for the cores of a cluster. Default: one for every core.")
]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite files that are there. A picture that you name is always replaced.")
]
Show = Annotated[str | None, typer.Option(help="Draw this one, or a TOML file of yours, as a PNG picture.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File for it. Default: NAME.png, NAME.yaml … here.")
]
World = Annotated[str, typer.Argument(help="A shipped world (see: paddock worlds) or the path of a TOML file.")]
OptionalWorld = Annotated[
    str | None, typer.Argument(help="A shipped world (see: paddock worlds) or the path of a TOML file.")
]
Seconds = Annotated[float, typer.Option(help="Simulated seconds to run for.")]
RunSeconds = Annotated[
    float | None, typer.Option(help="Simulated seconds to run for. Not given: 30, or, with --robot, until Ctrl-C.")
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="When a controller fails: all of the traceback, Paddock's part too.")
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
    Path | None, typer.Option(help="Instead of a controller: a network or program, such as an evolved champion.npz.")
]
Record = Annotated[
    Path | None,
    typer.Option(help="Record it as an MCAP file, for Foxglove, PlotJuggler and `paddock replay`: run.mcap."),
]

# ---- of `paddock run`

Scenario = Annotated[
    str | None,
    typer.Option(help="Instead of a world: a shipped scenario or the path of its TOML file, a list of tasks."),
]
RobotAddress = Annotated[
    str | None,
    typer.Option(
        help="Instead of a world: the address of a robot, epuck:///dev/rfcomm0, epuck2://HOST or "
        "ws://HOST:8642?robot=NAME."
    ),
]
OptionalSeed = Annotated[int | None, typer.Option(help="Decides all noise. Not given: 0, or the scenario's own.")]
RunFolder = Annotated[
    Path | None, typer.Option(help="Folder for the run's files: log, trace.csv, summary.json and pictures.")
]
Report = Annotated[bool, typer.Option(help="One HTML page of it all, too; without --out, below runs/.")]
TraceFile = Annotated[Path | None, typer.Option(help="With --robot: write its trace, as .csv, .npz or .parquet.")]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="With --robot: take it from whoever drives it on its server.")
]

# ---- of `paddock serve`

Host = Annotated[
    str, typer.Option(help="Address to listen on. 0.0.0.0: any; then clients need the token that is printed.")
]
ServerPort = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any that is free.")]
ServerSpeed = Annotated[float | None, typer.Option(help="Simulated seconds per second; 0 for flat out. Default: 1.")]
LockStep = Annotated[
    bool, typer.Option("--lock-step", help="Time passes only when every client has asked for it (flat out).")
]
Token = Annotated[str | None, typer.Option(help="The supervisors' token. Not given: made up where one is needed.")]
AllowHost = Annotated[list[str] | None, typer.Option(help="Another name under which browsers reach this machine.")]
Classroom = Annotated[
    Path | None, typer.Option(help="A text file with a student per line: a robot and a join link for each.")
]
RefereeName = Annotated[
    str | None,
    typer.Option(
        "--referee",
        help="Who counts: a referee's name (laps, maze-race, …), file.py:Name, or a TOML file with options.",
    ),
]
Results = Annotated[
    Path | None, typer.Option(help="Folder for the results of heats (results.csv) and a recording of each.")
]
HeatSeconds = Annotated[float | None, typer.Option(help="Simulated seconds of a heat, unless the referee ends it.")]
Score = Annotated[
    Path | None, typer.Option(help="A Python file with score(arena) → points by robot name, for the page.")
]
EPuckSerial = Annotated[
    list[str] | None,
    typer.Option(help="A robot that gets a serial device, as a real e-puck would. May be repeated."),
]
RealRobots = Annotated[
    list[str] | None,
    typer.Option(
        "--robot",
        help="The address of a real robot, epuck:///dev/rfcomm0, epuck://10:00:E8:AD:77:BB or epuck2://HOST: it is "
        "served instead of the world's own. It starts where the world has the robot of its ?name=. May be repeated.",
    ),
]
EPuck2 = Annotated[
    list[str] | None,
    typer.Option(
        help="A robot that is an e-puck2 on Wi-Fi: its name, or name=port (default 1000); `,kind` behind it for one "
        "that speaks only when it is asked, and stands when its client hangs up. May be repeated."
    ),
]
Orders = Annotated[
    list[str] | None,
    typer.Option(
        help="A robot that gets a serial device and drives to points on orders; NAME=legacy for one that knows no "
        "checked mode, NAME=planning (or another avoidance, also module:Name) for how it passes obstacles, 'all' for "
        "all robots. May be repeated."
    ),
]
UsarSim = Annotated[
    list[str] | None,
    typer.Option(
        "--usarsim",
        help="A port, usually 3000, at which programs written for USARSim find their robot; behind it, with commas, "
        "camera=PORT for the image server, usually 5003, and scan=clockwise for scanners that sweep that way.",
    ),
]
Coppelia = Annotated[
    list[str] | None,
    typer.Option(
        "--coppelia",
        help="A port, usually 23000, at which programs written for CoppeliaSim's ZeroMQ remote API find their robots; "
        "with ',stopped' time stands still until sim.startSimulation.",
    ),
]
Vrep = Annotated[
    list[str] | None,
    typer.Option(
        "--vrep",
        help="Ports, usually 19997,19999, at which programs written for V-REP's (CoppeliaSim's legacy) remote API find "
        "their robots; with ',stopped' time stands still until simxStartSimulation.",
    ),
]
Player = Annotated[
    list[str] | None,
    typer.Option(
        "--player",
        help="Ports, usually 6665, at which programs written for Player and Stage find their robots: all at one port, "
        "or one at each; with ',stepped' time waits for their reads; with ',world' poses are those in the world.",
    ),
]
Ros2 = Annotated[
    list[str] | None,
    typer.Option(
        "--ros2",
        help="Show robots to nodes of ROS 2: by dds or by zenoh; behind it, with commas, domain=ROS_DOMAIN_ID, "
        "rate=50 (Hz), stop=0.5 (seconds without a command), router=ENDPOINT of zenoh, namespaces for a robot that is "
        "alone, humble.",
    ),
]
Rosbridge = Annotated[
    list[str] | None,
    typer.Option(
        "--rosbridge",
        help="A port, usually 9090, at which roslibpy, roslibjs and pages find robots as ROS 2; rate, stop and "
        "namespaces behind it as above; with ',any-origin' for pages of other hosts, too.",
    ),
]
OverheadCamera = Annotated[
    list[str] | None,
    typer.Option(
        help="A camera above the world, as an IP camera: a port (0 for any that is free), or the path of its TOML "
        "file. May be repeated."
    ),
]
Bridge = Annotated[
    list[str] | None,
    typer.Option(help="A bridge of another package, and a robot for it: NAME=ROBOT. May be repeated."),
]
BridgeHost = Annotated[
    str,
    typer.Option(
        help="Address of e-puck2s, cameras and bridges. They have no token: who reaches a port drives its robot."
    ),
]
OpenPage = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]
