"""`paddock class`: commands for a class folder; `paddock submit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from paddock.cli import class_options as options
from paddock.cli.options import Force
from paddock.core.terminal_text import shell_word

if TYPE_CHECKING:
    from paddock.teaching.classroom import ClassFolder, Student

class_app = typer.Typer(
    name="class",
    help="A class as a folder: students, their robots and links, submissions, results.",
    no_args_is_help=True,
)


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


@class_app.command("new")
def new_class(
    folder: options.NewClassPath,
    names: options.NamesFile = None,
    title: options.Title = "",
    world: options.ClassWorld = "",
    exercise: options.ClassExercise = "",
    robot: options.ClassRobot = "",
) -> None:
    """Create the folder of a class, with a robot and a link for every student.

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


@class_app.command("add")
def add_students(folder: options.ClassPath, names: options.StudentNames) -> None:
    """Add students; a running class admits them immediately. A removed student returns with the same link.

    If one name is invalid, no student is added.

    paddock class add robotics-101 "Zoë M." 李雷
    """
    found = open_class(folder)
    show_students(found, "was added", *found.add_all(names))


@class_app.command("remove")
def remove_student(folder: options.ClassPath, name: options.StudentName) -> None:
    """Remove a student. Submissions and results are kept.

    paddock class remove robotics-101 "Zoë M."
    """
    found = open_class(folder)
    show_students(found, "was removed; submissions and results are kept", found.remove(name))


@class_app.command("rename")
def rename_student(folder: options.ClassPath, name: options.StudentName, new: options.NewName) -> None:
    """Change a student's name. Robot and link stay the same.

    paddock class rename robotics-101 "Zoe M." "Zoë Meyer"
    """
    found = open_class(folder)
    show_students(found, "is the new name; robot and link stay the same", found.rename(name, new))


@class_app.command("lock-out")
def lock_out_student(folder: options.ClassPath, name: options.StudentName, off: options.Off = False) -> None:
    """Lock a student out, or admit the student again with --off.

    paddock class lock-out robotics-101 "Zoë M."
    paddock class lock-out robotics-101 "Zoë M." --off
    """
    found = open_class(folder)
    show_students(found, "may join again" if off else "is locked out", found.lock_out(name, not off))


@class_app.command("new-token")
def renew_token(folder: options.ClassPath, name: options.StudentName) -> None:
    """Give a student a new link; the old link stops working.

    paddock class new-token robotics-101 "Zoë M."
    """
    found = open_class(folder)
    found.new_token(name)
    show_students(found, "has a new link", found.find(name))


@class_app.command("list")
def list_students(folder: options.ClassPath) -> None:
    """List the students, their robots and their submissions.

    paddock class list robotics-101
    """
    from paddock.cli.class_tables import print_students

    print_students(open_class(folder))


@class_app.command("links")
def print_links(folder: options.ClassPath, address: options.Address = "", out: options.LinksFile = None) -> None:
    """Print every student's link, and write links.csv for a mail merge.

    paddock class links robotics-101
    paddock class links robotics-101 --address https://robots.example.org
    """
    from paddock.cli.class_tables import print_class_links
    from paddock.cli.files import print_written
    from paddock.teaching.classroom import write_links

    found = open_class(folder, address)
    print_class_links(found)
    write_links(found, out or folder / "links.csv")
    print_written(out or folder / "links.csv")
    print_locked_out(found)
    print_link_warning(found)


@class_app.command("sheet")
def print_sheet(folder: options.ClassPath, address: options.Address = "", out: options.SheetFile = None) -> None:
    """Write an HTML page of cards with names, links and QR codes, to print and cut out.

    paddock class sheet robotics-101
    """
    from paddock.cli.files import print_written
    from paddock.teaching.classroom import write_sheet

    found = open_class(folder, address)
    write_sheet(found, out or folder / "sheet.html")
    print_written(out or folder / "sheet.html", ": open it in a browser and print it")
    print_locked_out(found)
    print_link_warning(found)


@class_app.command("collect")
def collect_submissions(
    folder: options.ClassPath, exercise: options.Exercise, out: options.CollectFolder = None, force: Force = False
) -> None:
    """Copy each student's last submission for an exercise into a folder, as ROBOT.py, for `paddock grade`.

    paddock class collect robotics-101 line-following
    paddock grade line-following robotics-101/collected/line-following --out marks.csv
    """
    from paddock.cli.files import check_new
    from paddock.core.terminal_text import visible

    found = open_class(folder)
    place = out or folder / "collected" / exercise
    if out is not None and place.exists() and any(place.iterdir()):
        check_new(place, force=force)
    copies = found.collect(exercise, place)
    typer.echo(f"wrote {len(copies)} files into {place}")
    for student in found.students:
        if student.name not in copies:
            typer.echo(visible(f"  no submission from {student.name}"))


@class_app.command("results")
def show_results(folder: options.ClassPath) -> None:
    """Print the results of all heats, which are stored in results/results.csv.

    paddock class results robotics-101
    """
    from paddock.cli.class_tables import print_results

    print_results(open_class(folder))


def submit(file: options.SubmittedFile, link: options.Link, exercise: options.ForExercise = "") -> None:
    """Submit a Python file for an exercise of your class, and print the receipt.

    paddock submit my_controller.py --link "http://192.168.1.20:8642/#token=…&robot=ada"
    """
    from paddock.core.terminal_text import visible
    from paddock.network.client.submission import submit_file

    receipt = submit_file(link, file, exercise=exercise)
    typer.echo(visible(receipt.text or f"receipt {receipt.number}, {receipt.time}"))
    typer.echo(visible(f"SHA-256 {receipt.sha256}"))
