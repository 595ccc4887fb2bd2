"""Arguments and options of `paddock class`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ClassPath = Annotated[Path, typer.Argument(help="The class folder.")]
NewClassPath = Annotated[Path, typer.Argument(help="The folder to create; its name should be short.")]
StudentName = Annotated[str, typer.Argument(help="A student's name, or the name of the robot.")]
StudentNames = Annotated[list[str], typer.Argument(help="Names of students; quote names with spaces.")]
NewName = Annotated[str, typer.Argument(help="The new name.")]
NamesFile = Annotated[
    Path | None,
    typer.Option("--names", help="A text file with one student per line, or a CSV file with a column name."),
]
Title = Annotated[str, typer.Option(help="Title of the class. Default: the folder's name.")]
ClassWorld = Annotated[str, typer.Option(help="A shipped world, or a TOML file in the class folder.")]
ClassExercise = Annotated[
    str, typer.Option(help="Exercise instead of a world, by name or folder; it includes a world.")
]
ClassRobot = Annotated[str, typer.Option(help="Type of the students' robots. Default: that of the world.")]
Address = Annotated[
    str, typer.Option(help="Address of the class server, http://HOST:PORT. Default: the one in class.toml.")
]
LinksFile = Annotated[Path | None, typer.Option("--out", help="Output file. Default: links.csv in the class folder.")]
SheetFile = Annotated[Path | None, typer.Option("--out", help="Output file. Default: sheet.html in the class folder.")]
Exercise = Annotated[str, typer.Argument(help="The exercise's name.")]
CollectFolder = Annotated[
    Path | None, typer.Option("--out", help="Folder for the files. Default: collected/EXERCISE in the class folder.")
]
Off = Annotated[bool, typer.Option("--off", help="Admit the student again.")]
SubmittedFile = Annotated[Path, typer.Argument(help="The Python file to submit.")]
Link = Annotated[str, typer.Option("--link", help="Your join link.", envvar="PADDOCK_LINK")]
ForExercise = Annotated[
    str, typer.Option("--exercise", help="Name of the exercise. Default: the current one of the class.")
]
