"""`paddock exercise`: commands, options and help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli import options
from paddock.core.terminal.shared_options import Force, Json, out_option

exercise_app = typer.Typer(help="Exercises: list, try and check them, write your own.", no_args_is_help=True)

Program = Annotated[
    Path, typer.Argument(help="Your Python file with act(observation), or a folder with controller.py.")
]


@exercise_app.command("list")
def list_all() -> None:
    """List the shipped exercises."""
    from paddock.cli.exercise_view import list_exercises

    list_exercises()


@exercise_app.command()
def show(name: options.ExerciseName) -> None:
    """Print the text of an exercise and its checks.

    paddock exercise show line-following
    """
    from paddock.cli.exercise_view import show_exercise

    show_exercise(name)


@exercise_app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="The folder to create.")],
    template: Annotated[str, typer.Option("--from", help="The exercise to copy.")] = "line-following",
) -> None:
    """Create your own exercise: a folder with copies of all files of another exercise, for editing.

    paddock exercise new week-3 --from maze
    paddock exercise verify week-3
    """
    from paddock.cli.exercise_view import begin_exercise

    begin_exercise(folder, template)


@exercise_app.command()
def start(
    name: options.ExerciseName,
    out: Annotated[
        Path | None, out_option("Folder to create. Default: NAME, or my-NAME if the exercise is there.")
    ] = None,
) -> None:
    """Begin an exercise: create your folder with the starter code and the task.

    paddock exercise start line-following
    """
    from paddock.cli.exercise_view import start_work

    start_work(name, out)


@exercise_app.command("try")
def try_out(
    name: options.ExerciseName,
    controller: Annotated[
        Path | None,
        typer.Option("--controller", "-c", help="Python file with the controller. Default: the exercise's starter.py."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the run. Default: the first public seed.")] = None,
    speed: options.Speed = None,
    headless: options.Headless = False,
    port: options.Port = None,
) -> None:
    """Run and watch a program in an exercise, with one seed, and print its points.

    The page shows the devices that the exercise allows.

    paddock exercise try line-following -c mine.py --seed 3
    """
    options.refuse_page_options(headless, speed=speed, port=port)
    from paddock.cli.exercise_view import try_exercise

    if not try_exercise(name, controller, seed=seed, speed=speed, headless=headless, port=port):
        raise typer.Exit(1)


@exercise_app.command()
def check(
    name: options.ExerciseName,
    file: Program,
    seed: Annotated[
        list[int] | None, typer.Option(help="Use only this seed. May be repeated. Default: all public seeds.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Folder for an HTML page with the paths of all runs.")] = None,
    json: Json = False,
) -> None:
    """Check a program as in grading, with the public seeds. The exit status is 0 only if it earns all points.

    paddock exercise check line-following mine.py
    paddock exercise check line-following mine.py --report checked
    """
    from paddock.cli.exercise_view import check_file

    if not check_file(name, file, seeds=seed, report=report, json_lines=json):
        raise typer.Exit(1)


@exercise_app.command()
def handout(
    name: options.ExerciseName,
    out: Annotated[Path | None, out_option("Folder or .zip file. Default: NAME.zip.")] = None,
    force: Force = False,
) -> None:
    """Write the files for students: all except the solution, the hidden seeds and the wrong programs.

    paddock exercise handout week-3 -o week-3.zip
    """
    from paddock.cli.exercise_view import hand_out

    hand_out(name, out, force)


@exercise_app.command()
def verify(name: options.ExerciseName) -> None:
    """Verify an exercise before use: its solution must earn all points, and its wrong programs must not.

    paddock exercise verify week-3
    """
    from paddock.cli.exercise_view import verify

    if not verify(name):
        raise typer.Exit(1)
