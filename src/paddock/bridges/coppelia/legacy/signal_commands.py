"""Commands about signals and script functions."""

from __future__ import annotations

import struct

from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.bridges.coppelia.legacy.table import command, pack_float, pack_int, read_text, take
from paddock.bridges.coppelia.scene.script_functions import ScriptData, call_script_function
from paddock.bridges.coppelia.scene.signals import Signal, SignalKind
from paddock.core.errors import PaddockError


@command(0x3017, "simxGetAndClearStringSignal")
def take_string_signal(caller: Caller, name: str, data: bytes) -> bytes:
    value = get_signal(caller, bytes, name)
    caller.signals.clear(name, bytes)
    assert isinstance(value, bytes)
    return value


@command(0x3018, "simxReadStringStream")
def read_string_stream(caller: Caller, name: str, data: bytes) -> bytes | None:
    return None if caller.signals.get(bytes, name) is None else take_string_signal(caller, name, data)


def get_signal(caller: Caller, kind: SignalKind, name: str) -> Signal:
    """Return the value of a signal, or raise an error if it is not set."""
    value = caller.signals.get(kind, name)
    if value is None:
        raise PaddockError(f"there is no signal {name!r}")
    return value


@command(0x3016, "simxAppendStringSignal")
def append_string_signal(caller: Caller, name: str, data: bytes) -> None:
    caller.signals.append(name, data)


def _declare_kind(name: str, kind: SignalKind, numbers: tuple[int, int, int], layout: str) -> None:
    """Declare the commands that get, set and clear signals of a type."""

    @command(numbers[0], f"simxGet{name}Signal")
    def get(caller: Caller, name: str, data: bytes) -> bytes:
        value = get_signal(caller, kind, name)
        return value if isinstance(value, bytes) else struct.pack(layout, value)

    @command(numbers[1], f"simxSet{name}Signal")
    def set_signal(caller: Caller, name: str, data: bytes) -> None:
        caller.signals.set(kind, name, take(layout, data)[0] if layout else data)

    @command(numbers[2], f"simxClear{name}Signal")
    def clear_signal(caller: Caller, name: str, data: bytes) -> None:
        caller.signals.clear(name, kind)


_declare_kind("Float", float, (0x3010, 0x3013, 0x300D), "<f")
_declare_kind("Integer", int, (0x3011, 0x3014, 0x300E), "<i")
_declare_kind("String", bytes, (0x3012, 0x3015, 0x300F), "")


@command(0x3401, "simxCallScriptFunction")
def call_function(caller: Caller, kind: int, script: str, function: str, data: bytes) -> bytes:
    return pack_script_data(call_script_function(caller.scene, script, function, read_script_data(data)))


def read_script_data(data: bytes) -> ScriptData:
    """Read the arguments of a script function: four counts, integers, floats, texts, and a buffer."""
    counts = take("<4i", data)
    if min(counts) < 0 or sum(counts) > len(data):
        raise PaddockError(f"expected the numbers of integers, floats, texts and bytes, got {counts}")
    ints, floats, strings, size = counts
    numbers = take(f"<4i{ints}i{floats}f", data)[4:]
    rest, texts = data[16 + 4 * (ints + floats) :], []
    for _ in range(strings):
        text, rest = read_text(rest)
        texts.append(text)
    if len(rest) < size:
        raise PaddockError(f"expected a buffer of {size} bytes, got {len(rest)}")
    return ScriptData(numbers[:ints], numbers[ints:], texts, rest[:size])


def pack_script_data(data: ScriptData) -> bytes:
    """Pack the results of a script function in the format of `read_script_data`."""
    counts = pack_int(len(data.ints), len(data.floats), len(data.strings), len(data.buffer))
    texts = b"".join(text.encode() + b"\0" for text in data.strings)
    return counts + pack_int(*data.ints) + pack_float(*data.floats) + texts + data.buffer
