"""Options that several commands of Paddock share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.files import TOKEN_VARIABLE, read_secret
from paddock.core.terminal.shared_options import file_option

NEGATIVE_NUMBERS = {"ignore_unknown_options": True}  # for commands with coordinates: -1.5 is not an option
CONTROL, PAGE, NETWORK, SCORES = "Controllers", "Page", "Network", "Scores and heats"


def complete(list_names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return a function that completes a name in the shell."""

    def complete_name(incomplete: str) -> list[str]:
        return [name for name in list_names() if name.startswith(incomplete)]

    return complete_name


def list_worlds() -> Iterable[str]:
    from paddock.simulation.worlds import world_names

    return world_names()


def list_robots() -> Iterable[str]:
    from paddock.simulation.robots import robot_names

    return robot_names()


def list_scenarios() -> Iterable[str]:
    from paddock.experiments.scenarios import scenario_names

    return scenario_names()


def list_exercises() -> Iterable[str]:
    from paddock.teaching.exercises import exercise_names

    return exercise_names()


def list_bridges() -> Iterable[str]:
    from paddock.bridges.common.bridge import BRIDGES

    return (f"{name}=" for name in BRIDGES)


_WORLD_HELP = "A shipped world (paddock world list), or a TOML file."
World = Annotated[str, typer.Argument(help=_WORLD_HELP, autocompletion=complete(list_worlds))]
OptionalWorld = Annotated[str | None, typer.Argument(help=_WORLD_HELP, autocompletion=complete(list_worlds))]
WorldName = World
_ROBOT_HELP = "A shipped type of robot (paddock robot list), or a TOML file."
RobotName = Annotated[str, typer.Argument(help=_ROBOT_HELP, autocompletion=complete(list_robots))]
RobotType = Annotated[
    str, typer.Option(help="Type of the robot: shipped, or a TOML file.", autocompletion=complete(list_robots))
]
ExerciseName = Annotated[
    str,
    typer.Argument(
        help="A shipped exercise (paddock exercise list), or a folder.", autocompletion=complete(list_exercises)
    ),
]
Seconds = Annotated[float, typer.Option(help="Simulated seconds to run for.")]

# ---- controllers

Controller = Annotated[
    Path | None,
    typer.Option(
        "--controller",
        "-c",
        rich_help_panel=CONTROL,
        help="Python file with act(observation), a class Controller, or a dict CONTROLLERS.",
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=CONTROL, help="Network or program, as champion.npz, or a name such as run-and-tumble."
    ),
]
RefereeName = Annotated[
    str | None,
    typer.Option(
        "--referee",
        rich_help_panel=SCORES,
        help="laps …, file.py:Name, FILE.toml, or file.py with score().",
    ),
]

# ---- the page

Speed = Annotated[
    float | None,
    typer.Option(min=0, rich_help_panel=PAGE, help="Times real time; 0: flat out. Default: 1."),
]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=HIGHEST_PORT, rich_help_panel=PAGE, help="Its port. Default: 8642, or a free one."),
]
Headless = Annotated[bool, typer.Option("--headless", rich_help_panel=PAGE, help="No page; run as fast as possible.")]

# ---- files

Picture = Annotated[
    Path | None, file_option("File for a picture with trails (PNG, SVG, PDF), or an animation (GIF, MP4).")
]
Record = Annotated[Path | None, file_option("Recording for `paddock record`: run.mcap.")]

# ---- servers

Host = Annotated[
    str,
    typer.Option(rich_help_panel=NETWORK, help="Address to listen on; 0.0.0.0: all of them."),
]
ServerPort = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=HIGHEST_PORT,
        rich_help_panel=NETWORK,
        help="Port. Default: 8642, or a free one.",
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=NETWORK,
        envvar=TOKEN_VARIABLE,
        callback=lambda text: text and read_secret(text),
        help="Supervisors' token, or @FILE with it. Default: random.",
    ),
]
ServerSpeed = Annotated[float | None, typer.Option(help="Times real time; 0: as fast as possible. Default: 1.")]
OpenPage = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]
Bridges = Annotated[
    list[str] | None,
    typer.Option(
        "--bridge",
        metavar="NAME=VALUE",
        autocompletion=complete(list_bridges),
        help="Serve the programs of another simulator. Repeatable.",
    ),
]


def refuse_page_options(headless: bool, *, speed: float | None, port: int | None) -> None:
    """Raise an error if an option of the page is given for a run without a page."""
    for name, value in (("speed", speed), ("port", port)):
        if headless and value is not None:
            problem = f"--{name} is the {name} of a page; this run has none, because of --headless or --robot"
            raise typer.BadParameter(problem)
