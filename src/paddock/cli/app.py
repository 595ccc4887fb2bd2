"""The root command. The module of a command is imported when the command is used, or listed by the help."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from paddock.core.registry import Registry

RANGE_OR_LIST = re.compile(r"(?<=<)(?:list\[)?(\w+)(?:\]| range)(?=>)")
VERBS = ("demo", "run", "serve", "doctor", "bench")
COMMANDS: Registry[Callable[..., Any]] = Registry(
    "command",
    group="paddock.commands",
    builtin={
        "demo": "paddock.cli.run:demo",
        "run": "paddock.cli.run:run",
        "serve": "paddock.cli.serve:serve",
        "doctor": "paddock.cli.doctor:doctor",
        "bench": "paddock.cli.bench:bench",
        "world": "paddock.cli.world:world_app",
        "robot": "paddock.cli.robot:robot_app",
        "map": "paddock.cli.map:map_app",
        "study": "paddock.cli.study:study_app",
        "exercise": "paddock.cli.exercise:exercise_app",
        "class": "paddock.cli.classroom:class_app",
        "record": "paddock.cli.record:record_app",
        "nodes": "paddock.cli.nodes:nodes_app",
    },
)
"""A `typer.Typer` with the verbs of a noun, or the function of a single command."""


class CommandTable(Mapping[str, Any]):
    """The commands by name, each imported on first access."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        return load_command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@functools.cache
def load_command(name: str) -> Any:
    """Import a command, and return it as the root lists it."""
    command_or_app = COMMANDS.get(name)
    if isinstance(command_or_app, typer.Typer):
        command: Any = get_group(command_or_app)
    else:
        alone = typer.Typer(add_completion=False)
        alone.command(name)(command_or_app)
        command = get_command(alone)
    command.name = name
    command.rich_help_panel = "Commands" if name in VERBS else "Nouns: paddock NOUN --help lists their verbs"
    shorten_help(command)
    return command


def shorten_help(command: Any) -> None:
    """Let the help leave out the types of switches and the ranges of numbers, so that its texts have room."""
    context = command.context_class(command)
    for parameter in command.get_params(context):
        if parameter.param_type_name == "option":
            parameter.min = parameter.max = None  # only displayed; values are checked by the type
            if parameter.is_flag:
                parameter.metavar = ""
            elif parameter.metavar is None:
                shown = parameter.display_type(context)
                parameter.metavar = RANGE_OR_LIST.sub(r"\1", shown)
    if not isinstance(command, RootGroup):  # whose commands are not loaded yet
        for each in getattr(command, "commands", {}).values():
            shorten_help(each)


class RootGroup(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = CommandTable()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)


app = typer.Typer(
    name="paddock",
    cls=RootGroup,
    help="A laboratory for mobile robots: simulation, sensors, control, measurement.",
    epilog="New here? Try: paddock demo · paddock world list · paddock run clutter",
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
