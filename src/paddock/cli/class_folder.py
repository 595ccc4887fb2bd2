"""`paddock class`: the commands for the folder of a class, its students and their links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.core.terminal.shared_options import out_option
from paddock.core.terminal_text import shell_word

if TYPE_CHECKING:
    from paddock.teaching.classroom import ClassFolder, Student

FOLDER = "The class"
folder_app = typer.Typer()
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
LinksFile = Annotated[
    Path | None,
    out_option("Output file. Default: links.csv in the class folder."),
]
SheetFile = Annotated[
    Path | None,
    out_option("Output file. Default: sheet.html in the class folder."),
]
Off = Annotated[bool, typer.Option("--off", help="Admit the student again.")]


def open_class(path: Path, address: str = "") -> ClassFolder:
    """Load the class of a folder; an address replaces the one in class.toml."""
    from dataclasses import replace

    from paddock.teaching.classroom import ClassFolder

    found = ClassFolder.load(path)
    if address:
        found.spec = replace(found.spec, address=address)
    return found


def show_students(folder: ClassFolder, what: str, *students: Student) -> None:
    """Print a message for each student, the links of those who may join, and the files that are out of date."""
    from paddock.core.terminal_text import visible
    from paddock.teaching.classroom import join_links

    links = {link.robot: link.link for link in join_links(folder)}
    for student in students:
        typer.echo(visible(f"{student.name} {what}"))
        if student.robot in links:
            typer.echo(visible(f"  robot {student.robot}: {links[student.robot]}"))
    for file, command in (("links.csv", "links"), ("sheet.html", "sheet")):
        if (folder.path / file).exists():
            typer.echo(f"{file} is out of date; update it with: paddock class {command} {shell_word(folder.path)}")


def print_link_warning(folder: ClassFolder) -> None:
    """Warn if the links work on this machine only."""
    from paddock.teaching.classroom.links import warn_unreachable

    if warning := warn_unreachable(folder):
        typer.echo(warning)


def print_locked_out(folder: ClassFolder) -> None:
    """Print the students without a link because they are locked out."""
    from paddock.core.terminal_text import visible

    for student in folder.students:
        if student.state == "locked-out":
            typer.echo(visible(f"  without {student.name}, who is locked out"))


@folder_app.command("new", rich_help_panel=FOLDER)
def new_class(
    folder: NewClassPath,
    names: NamesFile = None,
    title: Title = "",
    world: ClassWorld = "",
    exercise: ClassExercise = "",
    robot: ClassRobot = "",
) -> None:
    """Create the folder of a class, with robots and links.

    paddock class new robotics-101 --names names.txt
    paddock class new robotics-101 --names names.csv --exercise line-following
    """
    from paddock.teaching.classroom import ClassSpec, make_class, read_students

    students = read_students(names) if names is not None else []
    spec = ClassSpec(title=title or folder.name, world=world, exercise=exercise, robot=robot)
    made = make_class(folder, spec, students)
    if (copied := folder / "exercises" / made.spec.exercise / "exercise.toml").is_file():
        typer.echo(f"the exercise is copied to {copied.parent}: edit it there to change it for the class")
    typer.echo(f"created {folder} with {len(made.students)} students; check {folder / 'class.toml'}, then:")
    where = shell_word(folder)
    typer.echo(f"  paddock class sheet {where}    # links to hand out\n  paddock class serve {where}")


@folder_app.command("add", rich_help_panel=FOLDER)
def add_students(folder: ClassPath, names: StudentNames) -> None:
    """Add students; a running class admits them immediately.

    If one name is invalid, no student is added. A removed student returns with the
    same link.

    paddock class add robotics-101 "Zoë M." 李雷
    """
    found = open_class(folder)
    show_students(found, "was added", *found.add_all(names))


@folder_app.command("remove", rich_help_panel=FOLDER)
def remove_student(folder: ClassPath, name: StudentName) -> None:
    """Remove a student. Submissions and results are kept.

    paddock class remove robotics-101 "Zoë M."
    """
    found = open_class(folder)
    show_students(found, "was removed; submissions and results are kept", found.remove(name))


@folder_app.command("rename", rich_help_panel=FOLDER)
def rename_student(folder: ClassPath, name: StudentName, new: NewName) -> None:
    """Change a student's name. Robot and link stay the same.

    paddock class rename robotics-101 "Zoe M." "Zoë Meyer"
    """
    found = open_class(folder)
    show_students(found, "is the new name; robot and link stay the same", found.rename(name, new))


@folder_app.command("lock-out", rich_help_panel=FOLDER)
def lock_out_student(folder: ClassPath, name: StudentName, off: Off = False) -> None:
    """Lock a student out, or admit the student again with --off.

    paddock class lock-out robotics-101 "Zoë M."
    paddock class lock-out robotics-101 "Zoë M." --off
    """
    found = open_class(folder)
    show_students(found, "may join again" if off else "is locked out", found.lock_out(name, not off))


@folder_app.command("new-token", rich_help_panel=FOLDER)
def renew_token(folder: ClassPath, name: StudentName) -> None:
    """Give a student a new link; the old link stops working.

    paddock class new-token robotics-101 "Zoë M."
    """
    found = open_class(folder)
    found.new_token(name)
    show_students(found, "has a new link", found.find(name))


@folder_app.command("list", rich_help_panel=FOLDER)
def list_students(folder: ClassPath) -> None:
    """List the students, their robots and their submissions.

    paddock class list robotics-101
    """
    from paddock.cli.class_tables import print_students

    print_students(open_class(folder))


@folder_app.command("links", rich_help_panel=FOLDER)
def print_links(folder: ClassPath, address: Address = "", out: LinksFile = None) -> None:
    """Print all links, and write links.csv for a mail merge.

    paddock class links robotics-101
    paddock class links robotics-101 --address https://robots.example.org
    """
    from paddock.cli.class_tables import print_class_links
    from paddock.core.terminal.output_files import print_written
    from paddock.teaching.classroom import write_links

    found = open_class(folder, address)
    print_class_links(found)
    write_links(found, out or folder / "links.csv")
    print_written(out or folder / "links.csv")
    print_locked_out(found)
    print_link_warning(found)


@folder_app.command("sheet", rich_help_panel=FOLDER)
def print_sheet(folder: ClassPath, address: Address = "", out: SheetFile = None) -> None:
    """Write a page of cards with links and QR codes, to cut out.

    paddock class sheet robotics-101
    """
    from paddock.core.terminal.output_files import print_written
    from paddock.teaching.classroom import write_sheet

    found = open_class(folder, address)
    write_sheet(found, out or folder / "sheet.html")
    print_written(out or folder / "sheet.html", ": open it in a browser and print it")
    print_locked_out(found)
    print_link_warning(found)
