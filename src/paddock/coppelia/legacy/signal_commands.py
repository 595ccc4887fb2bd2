"""Commands about signals and script functions."""

from __future__ import annotations

from paddock.coppelia.legacy.caller import Caller
from paddock.coppelia.legacy.table import command, pack_float, pack_int, read_text, take
from paddock.coppelia.script_functions import ScriptData, call_script_function
from paddock.core.errors import PaddockError


def require(name: str, value: object) -> None:
    """Refuse a signal that is not set."""
    if value is None:
        raise PaddockError(f"there is no signal {name!r}")


@command(0x3010, "simxGetFloatSignal")
def get_float_signal(caller: Caller, name: str, data: bytes) -> bytes:
    value = caller.signals.get_float(name)
    require(name, value)
    return pack_float(value or 0.0)


@command(0x3011, "simxGetIntegerSignal")
def get_integer_signal(caller: Caller, name: str, data: bytes) -> bytes:
    value = caller.signals.get_int(name)
    require(name, value)
    return pack_int(value or 0)


@command(0x3012, "simxGetStringSignal")
def get_string_signal(caller: Caller, name: str, data: bytes) -> bytes | None:
    value = caller.signals.get_string(name)
    require(name, value)
    return value


@command(0x3017, "simxGetAndClearStringSignal")
def take_string_signal(caller: Caller, name: str, data: bytes) -> bytes | None:
    value = caller.signals.take_string(name)
    require(name, value)
    return value


@command(0x3018, "simxReadStringStream")
def read_string_stream(caller: Caller, name: str, data: bytes) -> bytes | None:
    return caller.signals.take_string(name)


@command(0x3013, "simxSetFloatSignal")
def set_float_signal(caller: Caller, name: str, data: bytes) -> None:
    caller.signals.set_float(name, *take("<f", data))


@command(0x3014, "simxSetIntegerSignal")
def set_integer_signal(caller: Caller, name: str, data: bytes) -> None:
    caller.signals.set_int(name, *take("<i", data))


@command(0x3015, "simxSetStringSignal")
def set_string_signal(caller: Caller, name: str, data: bytes) -> None:
    caller.signals.set_string(name, data)


@command(0x3016, "simxAppendStringSignal")
def append_string_signal(caller: Caller, name: str, data: bytes) -> None:
    caller.signals.append_string(name, data)


@command(0x300D, "simxClearFloatSignal")
def clear_float_signal(caller: Caller, name: str, data: bytes) -> None:
    caller.signals.clear_float(name)


@command(0x300E, "simxClearIntegerSignal")
def clear_integer_signal(caller: Caller, name: str, data: bytes) -> None:
    caller.signals.clear_int(name)


@command(0x300F, "simxClearStringSignal")
def clear_string_signal(caller: Caller, name: str, data: bytes) -> None:
    caller.signals.clear_string(name)


@command(0x3401, "simxCallScriptFunction")
def call_function(caller: Caller, kind: int, script: str, function: str, data: bytes) -> bytes:
    return pack_script_data(call_script_function(caller.scene, script, function, read_script_data(data)))


def read_script_data(data: bytes) -> ScriptData:
    """Arguments of a script function: four counts, integers, floats, texts, and a buffer."""
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
    """The same for what it answers."""
    counts = pack_int(len(data.ints), len(data.floats), len(data.strings), len(data.buffer))
    texts = b"".join(text.encode() + b"\0" for text in data.strings)
    return counts + pack_int(*data.ints) + pack_float(*data.floats) + texts + data.buffer
