"""Calls about signals, custom data of objects, and script functions."""

from __future__ import annotations

from functools import partial
from typing import Any

from paddock.bridges.coppelia.calls.object_calls import find_object, find_script
from paddock.bridges.coppelia.calls.table import Steps, call
from paddock.bridges.coppelia.calls.values import read_bytes, read_float, read_int, read_text
from paddock.bridges.coppelia.scene import script_functions
from paddock.bridges.coppelia.scene.objects import SCRIPTS, SceneObject
from paddock.bridges.coppelia.scene.script_functions import ScriptData
from paddock.bridges.coppelia.scene.signals import MAX_BYTES, SignalKind
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.core.errors import PaddockError
from paddock.core.packages import import_package

load_cbor = partial(import_package, "cbor2", "sim.packTable", extra="coppelia")

# ---- signals


@call("setInt32Signal", "setIntegerSignal")
def set_int32_signal(caller: SceneCaller, name: str, value: int) -> None:
    caller.signals.set(int, name, value)


@call("setFloatSignal", "setDoubleSignal")
def set_float_signal(caller: SceneCaller, name: str, value: float) -> None:
    caller.signals.set(float, name, value)


@call("setStringSignal", "setBufferSignal")
def set_string_signal(caller: SceneCaller, name: str, value: bytes) -> None:
    caller.signals.set(bytes, name, value)


def _declare_kind(kind: SignalKind, *names: str) -> None:
    @call(*(f"get{name}Signal" for name in names))
    def get_signal(caller: SceneCaller, name: str) -> int | float | bytes | None:
        return caller.signals.get(kind, name)

    @call(*(f"clear{name}Signal" for name in names))
    def clear_signal(caller: SceneCaller, name: str = "") -> None:
        caller.signals.clear(name, kind)


_declare_kind(int, "Int32", "Integer")
_declare_kind(float, "Float", "Double")
_declare_kind(bytes, "String", "Buffer")


@call()
def wait_for_signal(caller: SceneCaller, first: Any, second: Any = None) -> Steps:
    """Wait for a signal. Versions before 4.9 pass a name, later ones a target and a name."""
    name = read_text(first if second is None else second)
    while (value := caller.signals.find(name)) is None:
        yield
    return value


# ---- data of objects


@call("writeCustomDataBlock", "writeCustomStringData", "writeCustomBufferData")
def write_custom_data(caller: SceneCaller, target: int, tag: str, data: bytes = b"") -> None:
    """Attach data to an object, or with a negative handle to the scene; empty data deletes the entry."""
    settings, key = caller.scene.settings, ("data", target, tag)
    if target >= SCRIPTS:
        _check_script(caller, target)
    elif target >= 0:
        caller.scene.get(target)
    entries = [other for other in settings if isinstance(other, tuple) and other[0] == "data" and other != key]
    if sum(len(settings[other]) for other in entries) + len(data) > MAX_BYTES:
        raise PaddockError(f"expected at most {MAX_BYTES} bytes of custom data in all objects")
    settings.pop(key, None)
    if data:
        caller.scene.remember(key, data)


@call("readCustomDataBlock", "readCustomBufferData", "readCustomStringData")
def read_custom_data(caller: SceneCaller, target: int, tag: str) -> bytes | None:
    found: bytes | None = caller.scene.settings.get(("data", target, tag))
    return found


@call()
def write_custom_table_data(caller: SceneCaller, target: int, tag: str, table: Any, options: Any = None) -> None:
    write_custom_data(caller, target, tag, load_cbor().dumps(table))


@call()
def read_custom_table_data(caller: SceneCaller, target: int, tag: str, options: Any = None) -> Any:
    data = caller.scene.settings.get(("data", target, tag))
    return [] if data is None else unpack_table(caller, data)


@call("readCustomDataTags", "readCustomDataBlockTags")
def read_custom_data_tags(caller: SceneCaller, target: int) -> list[str]:
    return [key[2] for key in caller.scene.settings if isinstance(key, tuple) and key[:2] == ("data", target)]


@call()
def pack_table(caller: SceneCaller, table: Any, scheme: int = 0) -> bytes:
    packed: bytes = load_cbor().dumps(table)
    return packed


@call()
def unpack_table(caller: SceneCaller, data: bytes) -> Any:
    try:
        return load_cbor().loads(data, max_depth=50)
    except Exception:
        raise PaddockError("expected bytes of sim.packTable") from None


NAMED_KINDS = ("Bool", "Float", "Int32", "String")


@call(*(f"setNamed{kind}Param" for kind in NAMED_KINDS))
def set_named_param(caller: SceneCaller, name: str, value: Any) -> None:
    if not isinstance(value, bool | int | float | str | bytes):
        raise PaddockError(f"parameter {name!r}: expected a number, a text, true or false")
    caller.scene.remember(("named", name), value)


@call(*(f"getNamed{kind}Param" for kind in NAMED_KINDS))
def get_named_param(caller: SceneCaller, name: str) -> Any:
    return caller.scene.settings.get(("named", name))


# ---- scripts


@call("getScript", "getScriptHandle")
def get_script(caller: SceneCaller, kind: int, owner: Any = "", name: Any = None) -> int:
    """Return the script of a robot by its handle, name or path; without an owner, the script of the scene."""
    if isinstance(owner, int | float) and owner >= 0:
        return find_script(caller.scene.get(read_int(owner)))
    return (
        find_script(find_object(caller.scene, read_text(owner)))
        if owner and isinstance(owner, str | bytes)
        else SCRIPTS
    )


@call()
def call_script_function(caller: SceneCaller, first: Any, second: Any, *given: Any) -> Any:
    """Call a script function. Accept both argument orders of function and script; `function@robot` names both."""
    function, script = (first, second) if isinstance(first, str | bytes) else (second, first)
    name, _, robot = read_text(function).partition("@")
    owner = robot or _find_script(caller, script)
    answer = script_functions.call_script_function(caller.scene, owner, name, read_script_data(given))
    return list(answer.ints), list(answer.floats), list(answer.strings), answer.buffer


def _find_script(caller: SceneCaller, script: Any) -> str:
    """Return the legacy name of a script's robot; "" for the first robot."""
    if isinstance(script, str | bytes):
        return find_object(caller.scene, read_text(script)).name if script else ""
    handle = read_int(script)
    if handle >= SCRIPTS:
        _check_script(caller, handle)
    found: SceneObject | None = caller.scene.objects.get(handle - SCRIPTS) or caller.scene.objects.get(handle)
    return "" if found is None else found.name


def _check_script(caller: SceneCaller, handle: int) -> None:
    if handle - SCRIPTS not in caller.scene.objects:
        raise PaddockError(f"script {handle} does not exist")


def read_script_data(given: tuple[Any, ...]) -> ScriptData:
    """Return the arguments of a script function, given as integers, floats, texts and buffer, or as plain values."""
    if len(given) in (3, 4) and all(isinstance(part, list | tuple) for part in given[:3]):
        ints, floats, strings = given[:3]
        buffer = read_bytes(given[3]) if len(given) == 4 and given[3] is not None and given[3] != [] else b""
        texts = [read_text(text) for text in strings]
        return ScriptData([read_int(n) for n in ints], [read_float(n) for n in floats], texts, buffer)
    flat = [value for part in given for value in (part if isinstance(part, list | tuple) else (part,))]
    numbers = [value for value in flat if isinstance(value, int | float) and not isinstance(value, bool)]
    return ScriptData(
        [int(number) for number in numbers if float(number).is_integer()],
        [read_float(number) for number in numbers],
        [value for value in flat if isinstance(value, str)],
        b"".join(value for value in flat if isinstance(value, bytes)),
    )
