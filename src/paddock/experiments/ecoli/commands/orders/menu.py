"""Menu of the host program, with the six entries of the original program of 2012."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.table import Table

from paddock.core.errors import PaddockError
from paddock.experiments.ecoli.commands.orders.calibrate import calibrate
from paddock.experiments.ecoli.commands.orders.find import find
from paddock.experiments.ecoli.commands.orders.language import _, translate
from paddock.experiments.ecoli.commands.orders.odometry import MOTIONS, measure_odometry
from paddock.experiments.ecoli.commands.orders.program import HostProgram, find_robot
from paddock.experiments.ecoli.commands.orders.send import send_in_turn
from paddock.experiments.ecoli.commands.orders.walk import walk

LEAVE = "q"


def run_menu(program: HostProgram) -> None:
    """Show the menu and execute the choices until the user quits with q, Ctrl-C or the end of the input."""
    while True:
        show_menu(program)
        try:
            choice = program.ask(_("choose:")).lower()
            if choice == LEAVE:
                return
            choose(program, choice)
        except (EOFError, KeyboardInterrupt):
            program.console.print()
            return


def show_menu(program: HostProgram) -> None:
    """Print the entries of the menu."""
    entries = (
        ("0", _("search for robots")),
        ("1", _("calibrate the proximity sensors")),
        ("2", _("walk")),
        ("3", _("walk with avoidance")),
        ("4", _("send your own orders")),
        ("5", _("odometry errors")),
        (LEAVE, _("quit")),
    )
    table = Table.grid(padding=(0, 2))
    for key, text in entries:
        table.add_row(key, text)
    program.console.print()
    program.console.print(table)


def choose(program: HostProgram, choice: str) -> None:
    """Execute a menu entry. Print errors; Ctrl-C returns to the menu."""
    actions: dict[str, Callable[[], object]] = {
        "0": lambda: find(program),
        "1": lambda: calibrate(program, lamp=program.ask(_("description of the light here:")), verify=True),
        "2": lambda: walk(program, ask_file(program), avoiding=False),
        "3": lambda: walk(program, ask_file(program), avoiding=True),
        "4": lambda: send_in_turn(program, ask_robot(program)),
        "5": lambda: ask_odometry(program),
    }
    if choice not in actions:
        program.print_line(_("expected 0 to 5, or q to quit, got {choice!r}").format(choice=choice), "red")
        return
    try:
        actions[choice]()
    except PaddockError as error:
        program.print_line(translate(error), "red")
    except KeyboardInterrupt:
        program.print_line(_("cancelled"), "yellow")


def ask_file(program: HostProgram) -> Path:
    """Ask for the file of way-points; the default is the file of the configuration."""
    known = program.config.waypoints
    question = _("file of way-points [{known}]:").format(known=known) if known else _("file of way-points:")
    text = program.ask(question) or known
    if not text:
        raise PaddockError(_("a walk needs a file with a line name;x;y in cm for each way-point"))
    return Path(text)


def ask_robot(program: HostProgram) -> str:
    """Ask for a robot, by its name or its number in the list, and return its name."""
    names = [robot.name for robot in program.config.robots]
    if len(names) == 1:
        return names[0]
    listed = ", ".join(f"{number} {name}" for number, name in enumerate(names))
    text = program.ask(_("which robot ({listed}):").format(listed=listed))
    name = names[int(text)] if text.isascii() and text.isdecimal() and int(text) < len(names) else text
    return find_robot(program.config, name).name


def ask_odometry(program: HostProgram) -> None:
    """Ask for the robot and for a served world that measures, then measure the odometry errors."""
    name = ask_robot(program)
    served = program.ask(_("address of the served world that measures (Enter: measure by hand):"))
    measure_odometry(program, name, motions=MOTIONS, served=served or None)
