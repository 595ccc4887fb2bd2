"""Commands about the simulation: time, parameters, scenes, and windows, which are not displayed."""

from __future__ import annotations

from typing import TypeVar

from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.bridges.coppelia.legacy.table import command, pack_int, read_text, take
from paddock.bridges.coppelia.scene import parameters
from paddock.core.errors import PaddockError
from paddock.core.terminal_text import visible

log = get_client_log("vrep")
Window = TypeVar("Window")

START, PAUSE, STOP = 0, 1, 2
MAX_WINDOWS = 100  # maximum number of consoles, and of dialogs, per client
QUESTION, INPUT, STILL_OPEN, OK, YES = 3, 4, 0, 1, 3  # kinds and results of dialogs
NO_WINDOWS = {
    0x1029: "simxRemoveUI",
    0x2001: "simxGetUISlider",
    0x2002: "simxSetUISlider",
    0x2003: "simxGetUIEventButton",
    0x2004: "simxGetUIButtonProperty",
    0x2005: "simxSetUIButtonProperty",
    0x2006: "simxSetUIButtonLabel",
    0x3005: "simxLoadUI",
    0x3007: "simxGetUIHandle",
}

# ---- time


@command(0x0001, "simxSynchronous")
def enable_synchronous(caller: Caller, data: bytes) -> None:
    caller.control.set_synchronous(True)


@command(0x0002, "simxSynchronous")
def disable_synchronous(caller: Caller, data: bytes) -> None:
    caller.control.set_synchronous(False)


@command(0x0003, "simxSynchronousTrigger")
def trigger(caller: Caller, data: bytes) -> None:
    caller.control.trigger()


@command(0x1007, "simxStartSimulation, simxPauseSimulation or simxStopSimulation")
def set_simulation(caller: Caller, action: int, data: bytes) -> None:
    control = caller.control
    actions = {START: control.start, PAUSE: control.pause, STOP: control.stop}
    if action not in actions:
        raise PaddockError(f"expected 0 to start, 1 to pause or 2 to stop, got {action}")
    actions[action]()


@command(0x0004, "simxGetLastErrors")
def get_last_errors(caller: Caller, data: bytes) -> bytes:
    errors = list(caller.errors)
    caller.errors.clear()
    return pack_int(len(errors)) + b"".join(text.encode() + b"\0" for text in errors)


# ---- parameters


@command(0x1020, "simxSetBooleanParameter")
def set_boolean(caller: Caller, number: int, data: bytes) -> None:
    (value,) = take("<i", data) if len(data) >= 4 else take("<B", data)
    if number == parameters.REAL_TIME:
        raise PaddockError("real time cannot be set by clients: serve the world at another speed")
    parameters.set_parameter(caller.scene, "boolean", number, bool(value))


@command(0x1021, "simxGetIntegerParameter")
def get_integer(caller: Caller, number: int, data: bytes) -> bytes:
    value = parameters.get_parameter(caller.scene, "integer", number)
    assert isinstance(value, int)
    return pack_int(value)


@command(0x1024, "simxSetFloatingParameter")
def set_floating(caller: Caller, number: int, data: bytes) -> None:
    (value,) = take("<f", data)
    if number == parameters.TIME_STEP:
        caller.simulator.set_step(round(value, 6))  # 0.01 as a float32 is 0.00999999977
    else:
        parameters.set_parameter(caller.scene, "floating", number, value)


# ---- files


@command(0x3004, "simxTransferFile")
def transfer_file(caller: Caller, name: str, data: bytes) -> None:
    raise PaddockError("client files are not supported: use a shipped scene or model")


@command(0x3006, "simxEraseFile")
def erase_file(caller: Caller, name: str, data: bytes) -> None:
    raise PaddockError("client files are not supported")


# ---- windows


@command(0x3008, "simxAddStatusbarMessage")
def add_statusbar_message(caller: Caller, text: str, data: bytes) -> None:
    log.info("status: %s", visible(text))


def open_window(windows: dict[int, Window]) -> int:
    """Return a handle for a new console or dialog."""
    if len(windows) >= MAX_WINDOWS:
        raise PaddockError(f"{MAX_WINDOWS} windows of this kind are open already; close some")
    return max(windows, default=0) + 1


def find_window(windows: dict[int, Window], what: str, handle: int) -> Window:
    """Return an open console or dialog."""
    if handle not in windows:
        raise PaddockError(f"there is no {what} {handle}")
    return windows[handle]


@command(0x3009, "simxAuxiliaryConsoleOpen")
def open_console(caller: Caller, title: str, data: bytes) -> bytes:
    handle = open_window(caller.consoles)
    caller.consoles[handle] = title
    return pack_int(handle)


@command(0x1014, "simxAuxiliaryConsoleClose")
def close_console(caller: Caller, handle: int, data: bytes) -> None:
    find_window(caller.consoles, "console", handle)
    del caller.consoles[handle]


@command(0x1015, "simxAuxiliaryConsolePrint")
def print_to_console(caller: Caller, handle: int, data: bytes) -> None:
    title = find_window(caller.consoles, "console", handle)
    log.info("%s: %s", visible(title), visible(data.rstrip(b"\0").decode("utf-8", "replace")))


@command(0x1016, "simxAuxiliaryConsoleShow")
def show_console(caller: Caller, handle: int, data: bytes) -> None:
    find_window(caller.consoles, "console", handle)


@command(0x300C, "simxDisplayDialog")
def display_dialog(caller: Caller, title: str, data: bytes) -> bytes:
    text, rest = read_text(data)
    (kind,) = take("<i", rest)
    initial, _ = read_text(rest[4:])
    handle = open_window(caller.dialogs)
    caller.dialogs[handle] = kind, initial
    log.info("%s: %s", visible(title), visible(text))
    return pack_int(handle, -1)


@command(0x102D, "simxGetDialogResult")
def get_dialog_result(caller: Caller, handle: int, data: bytes) -> bytes:
    kind, _ = find_window(caller.dialogs, "dialog", handle)
    return pack_int(STILL_OPEN if kind == 0 else YES if kind == QUESTION else OK)  # dialogs are confirmed immediately


@command(0x102C, "simxGetDialogInput")
def get_dialog_input(caller: Caller, handle: int, data: bytes) -> bytes:
    return find_window(caller.dialogs, "dialog", handle)[1].encode() + b"\0"


@command(0x102B, "simxEndDialog")
def end_dialog(caller: Caller, handle: int, data: bytes) -> None:
    find_window(caller.dialogs, "dialog", handle)
    del caller.dialogs[handle]


def refuse_window(caller: Caller, *about: object) -> None:
    """Raise an error: user interfaces are not supported."""
    raise PaddockError("windows with sliders and buttons are not supported")


for _number, _name in NO_WINDOWS.items():
    command(_number, _name)(refuse_window)
