"""Calls about the user interface of CoppeliaSim: logs, colours, drawings. They are accepted but not displayed."""

from __future__ import annotations

from typing import Any

from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.coppelia.calls.table import call
from paddock.bridges.coppelia.calls.values import read_text, take_count
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.core.terminal_text import visible

log = get_client_log("coppelia")
MAX_CHARACTERS = 1000  # maximum length of a logged line [characters]
WHITE = (1.0, 1.0, 1.0)


@call()
def add_log(caller: SceneCaller, level: int, text: Any = None) -> None:
    if text is not None:
        log.info("%s", visible(read_text(text)[:MAX_CHARACTERS]))


@call("addStatusbarMessage")
def add_statusbar_message(caller: SceneCaller, text: str) -> None:
    add_log(caller, 0, text)


@call()
def auxiliary_console_open(caller: SceneCaller, title: str, *layout: Any) -> int:
    return count_windows(caller)


@call()
def auxiliary_console_print(caller: SceneCaller, console: int, text: Any = None) -> int:
    add_log(caller, 0, text)
    return 1


@call()
def display_dialog(caller: SceneCaller, title: str, text: str, *layout: Any) -> int:
    add_log(caller, 0, f"{title}: {text}")
    return count_windows(caller)


@call()
def get_dialog_result(caller: SceneCaller, dialog: int) -> int:
    return 1  # confirmed


@call()
def get_dialog_input(caller: SceneCaller, dialog: int) -> str:
    return ""


@call("addDrawingObject", "addGraphStream", "addGraphCurve", "floatingViewAdd", "addParticleObject")
def open_drawing(caller: SceneCaller, *layout: Any) -> int:
    return count_windows(caller)


def count_windows(caller: SceneCaller) -> int:
    """Return a new handle for an element that is not displayed."""
    number: int = caller.scene.settings.get("windows", 0) + 1
    caller.scene.settings["windows"] = number
    return number


@call(
    "addDrawingObjectItem",
    "adjustView",
    "announceSceneContentChange",
    "auxiliaryConsoleClose",
    "auxiliaryConsoleShow",
    "cameraFitToView",
    "endDialog",
    "floatingViewRemove",
    "refreshDialogs",
)
def accept(caller: SceneCaller, *ignored: Any) -> int:
    """Return success without displaying anything."""
    return 1


@call(
    "addParticleObjectItem",
    "handleGraph",
    "removeDrawingObject",
    "removeParticleObject",
    "resetGraph",
    "setGraphStreamTransformation",
    "setGraphStreamValue",
    "setNavigationMode",
    "setPage",
    "setThreadSwitchTiming",
)
def ignore(caller: SceneCaller, *ignored: Any) -> None:
    """Do nothing: the element is not displayed."""


@call()
def set_object_color(caller: SceneCaller, item: SceneObject, index: int, component: int, colour: list[float]) -> bool:
    caller.scene.remember(("colour", item.handle), tuple(take_count(colour, 3)))
    return True


@call()
def get_object_color(caller: SceneCaller, item: SceneObject, index: int, component: int) -> list[float]:
    return list(caller.scene.settings.get(("colour", item.handle), WHITE))


@call()
def set_shape_color(caller: SceneCaller, item: SceneObject, part: Any, component: int, colour: list[float]) -> None:
    caller.scene.remember(("colour", item.handle), tuple(take_count(colour, 3)))


@call()
def get_shape_color(caller: SceneCaller, item: SceneObject, part: Any, component: int) -> tuple[int, list[float]]:
    return 1, get_object_color(caller, item, 0, component)


@call()
def set_light_parameters(caller: SceneCaller, item: SceneObject, on: int, *colours: Any) -> None:
    """Switch a robot's LED. Lights of the world are always on."""
    if item.part == "led" and item.robot is not None:
        item.robot.set_led(item.device, 1.0 if on else 0.0)


@call()
def get_light_parameters(caller: SceneCaller, item: SceneObject) -> tuple[int, list[float], list[float], list[float]]:
    led = item.part == "led" and item.robot is not None
    on = item.robot.read_leds()[item.device] > 0 if led and item.robot is not None else True
    return int(on), [0.0, 0.0, 0.0], list(WHITE), list(WHITE)
