"""Menu entry 0: search the serial devices for robots."""

from __future__ import annotations

from paddock.core.terminal.console import cell, new_table
from paddock.experiments.ecoli.commands.orders.language import _, translate
from paddock.experiments.ecoli.commands.orders.program import HostProgram
from paddock.experiments.ecoli.waypoint_robots import find_order_robots, list_serial_devices

ANSWERING = 2.0  # timeout for the answer of a robot [s]


def find(program: HostProgram) -> bool:
    """Query all serial devices and those of the configuration; return whether a robot answered."""
    known = {robot.path: robot for robot in program.config.robots} if program.has_config else {}
    devices = list_serial_devices()
    program.print_line(_("searching serial devices ({count}) …").format(count=len({**devices, **known})))
    states = {
        "robot": _("takes orders"),
        "checked": _("takes orders, checked mode"),
        "legacy": _("takes orders, legacy mode only"),
        "silent": _("no answer"),
        "something else": _("another device answers"),
        "closed": _("cannot be opened"),
    }
    table = new_table(_("Robots"), _("robot"), _("device"), _("address"), _("answer"))
    found = find_order_robots([*known, *devices], ANSWERING)
    for device, state, text, mode in found:
        name = known[device].name if device in known else ""
        about = devices.get(device, "")
        state_text = f"{states[state]}: {translate(text)}" if text else states[mode or state]
        table.add_row(cell(name), cell(device), cell(about), cell(state_text))
        program.note(f"{name} {device} {about} {state_text}".strip())
        program.print_json(robot=name, device=device, address=about, state=state, mode=mode, text=text)
    program.print(table)
    return any(finding.state == "robot" for finding in found)
