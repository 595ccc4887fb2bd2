"""Arguments and options of `paddock class`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ClassPath = Annotated[Path, typer.Argument(help="The class folder.")]
NewClassPath = Annotated[Path, typer.Argument(help="The folder to make; its name should be short.")]
StudentName = Annotated[str, typer.Argument(help="A student's name, or the name of the robot.")]
StudentNames = Annotated[list[str], typer.Argument(help="Names, as people write them; quote those with spaces.")]
NewName = Annotated[str, typer.Argument(help="How the name is written from now on.")]
NamesFile = Annotated[
    Path | None, typer.Option("--names", help="A text file with a student per line, or a CSV file with a column name.")
]
Title = Annotated[str, typer.Option(help="What the class is called. Default: the folder's name.")]
ClassWorld = Annotated[str, typer.Option(help="A shipped world, or a TOML file in the class folder.")]
ClassExercise = Annotated[
    str, typer.Option(help="Instead of a world: an exercise, by name or folder, which brings one.")
]
ClassRobot = Annotated[str, typer.Option(help="What the students' robots are. Default: as the world has them.")]
Address = Annotated[
    str, typer.Option(help="Where the class is served, http://HOST:PORT. Default: as class.toml tells.")
]
LinksFile = Annotated[Path | None, typer.Option("--out", help="Default: links.csv in the class folder.")]
SheetFile = Annotated[Path | None, typer.Option("--out", help="Default: sheet.html in the class folder.")]
Exercise = Annotated[str, typer.Argument(help="The exercise's name.")]
CollectFolder = Annotated[
    Path | None, typer.Option("--out", help="Folder for the files. Default: collected/EXERCISE in the class folder.")
]
Off = Annotated[bool, typer.Option("--off", help="Let the student in again.")]
SubmittedFile = Annotated[Path, typer.Argument(help="The Python file to hand in.")]
Link = Annotated[str, typer.Option("--link", help="Your join link.", envvar="PADDOCK_LINK")]
ForExercise = Annotated[str, typer.Option("--exercise", help="For which exercise. Default: the class's present one.")]
