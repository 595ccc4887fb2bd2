"""`paddock class serve`, and the commands that control a running class."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.cli import class_folder, options
from paddock.cli.class_folder import open_class, print_link_warning
from paddock.core.argument_checks import HIGHEST_PORT

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena

LESSON = "The running class"
lesson_app = typer.Typer()
Who = Annotated[
    str, typer.Argument(help="Name of a student, or of a client as in the lists of robots and of the clock.")
]
Factor = Annotated[float, typer.Argument(min=0, max=1000, help="Simulated seconds per second; 0: as fast as possible.")]
NewSeed = Annotated[int | None, typer.Option("--seed", min=0, help="New seed. Default: the current one.")]
HEAT_ANSWERS = {
    "prepare": "the robots are at their starts",
    "start": "the heat has started",
    "stop": "the heat is stopped",
}
HeatAction = Annotated[str, typer.Argument(help="prepare, start or stop.")]
ClassHost = Annotated[str | None, typer.Option("--host", help="Address to listen on. Default: the one in class.toml.")]
ClassPort = Annotated[
    int | None,
    typer.Option("--port", min=0, max=HIGHEST_PORT, help="Port to listen on. Default: the one in class.toml."),
]


@lesson_app.command("serve", rich_help_panel=LESSON)
def serve(
    folder: class_folder.ClassPath,
    host: ClassHost = None,
    port: ClassPort = None,
    speed: options.ServerSpeed = None,
    referee: options.RefereeName = None,
    open_page: options.OpenPage = False,
) -> None:
    """Serve a class; students join with their links.

    paddock class serve robotics-101
    paddock class serve robotics-101 --host 127.0.0.1 --open
    """
    from dataclasses import replace

    from paddock.cli.class_serve import make_settings, serve_class
    from paddock.cli.referee import choose_referee

    found = open_class(folder)
    settings = make_settings(found)
    settings = replace(
        settings,
        host=settings.host if host is None else host,
        port=settings.port if port is None else port,
        speed=settings.speed if speed is None else speed or None,
    )
    serve_class(found, settings, referee=choose_referee(referee), open_page=open_page)


def control(folder: Path, action: Callable[[RemoteArena], object], done: str) -> None:
    """Connect to the running class as its supervisor, call a function with the connection, and print what was done."""
    from paddock.cli.class_serve import supervise_class
    from paddock.core.terminal_text import visible

    with supervise_class(folder) as arena:
        action(arena)
    typer.echo(visible(done))


@lesson_app.command("open", rich_help_panel=LESSON)
def open_lesson(
    folder: class_folder.ClassPath,
    world: class_folder.ClassWorld = "",
    exercise: class_folder.ClassExercise = "",
    seed: NewSeed = None,
) -> None:
    """Switch to another world or exercise.

    Students keep their links, robots and running programs.

    paddock class open robotics-101 --exercise line-following
    paddock class open robotics-101 --exercise week-3/   # copies your folder
    paddock class open robotics-101 --world clutter --seed 7
    """
    from paddock.network.protocol import messages as m
    from paddock.teaching.classroom.create import import_exercise

    if bool(world) == bool(exercise):
        raise typer.BadParameter("expected either --world or --exercise")
    found = open_class(folder)
    name = import_exercise(found, exercise) if exercise else ""
    control(
        folder,
        lambda arena: arena.ask(m.OpenWorld(id=arena.number(), world=world, exercise=name, seed=seed), m.Done),
        f"the class is now in the {f'exercise {name}' if name else f'world {world}'}"
        + ("" if seed is None else f", with seed {seed}"),
    )
    print_link_warning(found)


@lesson_app.command("pause", rich_help_panel=LESSON)
def pause(folder: class_folder.ClassPath) -> None:
    """Stop the clock of the running class."""
    control(folder, lambda arena: arena.pause(), "the clock is stopped")


@lesson_app.command("play", rich_help_panel=LESSON)
def play(folder: class_folder.ClassPath) -> None:
    """Start the clock of the running class."""
    control(folder, lambda arena: arena.play(), "the clock is running")


@lesson_app.command("speed", rich_help_panel=LESSON)
def set_speed(folder: class_folder.ClassPath, factor: Factor) -> None:
    """Set the speed of the clock of the running class.

    paddock class speed robotics-101 5
    """
    pace = f"{factor:g} × real time" if factor else "as fast as possible"
    control(folder, lambda arena: arena.set_speed(factor or None), f"the clock now runs at {pace}")


@lesson_app.command("reset", rich_help_panel=LESSON)
def reset(folder: class_folder.ClassPath, seed: NewSeed = None) -> None:
    """Reset the running class to its start."""
    control(folder, lambda arena: arena.reset(seed), f"reset{'' if seed is None else f' with seed {seed}'}")


@lesson_app.command("release", rich_help_panel=LESSON)
def release(folder: class_folder.ClassPath, who: Who) -> None:
    """Stop waiting for a client, and stop its robots.

    paddock class release robotics-101 "Zoë M."
    """
    from paddock.network.protocol import messages as m

    control(folder, lambda arena: arena.ask(m.Release(id=arena.number(), client=who), m.Done), f"released {who}")


@lesson_app.command("disconnect", rich_help_panel=LESSON)
def disconnect(folder: class_folder.ClassPath, who: Who) -> None:
    """Disconnect a student or client.

    Both may reconnect unless locked out.

    paddock class disconnect robotics-101 "Zoë M."
    """
    from paddock.network.protocol import messages as m

    control(folder, lambda arena: arena.ask(m.Disconnect(id=arena.number(), client=who), m.Done), f"disconnected {who}")


@lesson_app.command("heat", rich_help_panel=LESSON)
def set_heat(folder: class_folder.ClassPath, action: HeatAction) -> None:
    """Place all robots for a heat, start or stop it.

    paddock class heat robotics-101 prepare
    paddock class heat robotics-101 start
    """
    from paddock.network.protocol import messages as m

    control(
        folder,
        lambda arena: arena.ask(m.SetHeat(id=arena.number(), action=action), m.Done),
        HEAT_ANSWERS.get(action, ""),
    )
