"""Menu entry 0: search the serial devices and paired Bluetooth devices for robots."""

from __future__ import annotations

from paddock.core.terminal.console import cell, new_table
from paddock.experiments.ecoli.commands.orders.language import _, translate
from paddock.experiments.ecoli.commands.orders.program import HostProgram
from paddock.experiments.ecoli.waypoint_robots import (
    find_order_robots,
    list_paired_devices,
    list_serial_devices,
)

E_PUCK = "e-puck"  # part of the friendly name of such robots; other paired devices are not disturbed
ANSWERING = 2.0  # timeout for the answer of a robot [s]


def find(program: HostProgram) -> bool:
    """Query serial devices, paired e-pucks and the devices of the configuration; return whether a robot answered."""
    names = {robot.path: robot.name for robot in program.config.robots} if program.has_config else {}
    devices, paired = list_serial_devices(), list_paired_devices()
    known = list(names)
    names |= {device: paired[about] for device, about in devices.items() if about in paired and device not in names}
    for address, name in paired.items():
        if E_PUCK in name.lower() and address not in devices.values():  # else it is asked at its serial device
            devices[address] = address
            names.setdefault(address, name)
    program.print_line(_("searching serial devices ({count}) …").format(count=len({*devices, *known})))
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
        name, about = names.get(device, ""), devices.get(device, "")
        state_text = f"{states[state]}: {translate(text)}" if text else states[mode or state]
        table.add_row(cell(name), cell(device), cell(about), cell(state_text))
        program.note(f"{name} {device} {about} {state_text}".strip())
        program.print_json(robot=name, device=device, address=about, state=state, mode=mode, text=text)
    program.print(table)
    return any(finding.state == "robot" for finding in found)
