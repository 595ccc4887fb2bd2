"""The call table: every function of `sim`, by its name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeVar

from paddock.bridges.coppelia.calls import values
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.core.errors import PaddockError, Refused

Steps = Generator[None, None, Any]
"""A call that takes simulated time: each `yield` waits for a step; the return value is the result."""
Function = TypeVar("Function", bound=Callable[..., Any])
Convert = Callable[[SceneCaller, Any], Any]

FIRST_FLAG = 0x400000  # the lowest bit of sim.handleflag_…


def read_object(caller: SceneCaller, value: Any) -> SceneObject:
    """Return the object with a handle. Flags that are added to the handle are stored in `caller.flags`."""
    handle = values.read_int(value)
    plain = handle if handle in caller.scene.objects else handle % FIRST_FLAG
    if handle < FIRST_FLAG or plain not in caller.scene.objects:
        plain = handle
    caller.flags = handle - plain
    return caller.scene.get(plain)


CONVERTERS: dict[str, Convert] = {
    "SceneObject": read_object,
    "int": lambda caller, value: values.read_int(value),
    "float": lambda caller, value: values.read_float(value),
    "str": lambda caller, value: values.read_text(value),
    "bytes": lambda caller, value: values.read_bytes(value),
    "bool": lambda caller, value: values.read_bool(value),
    "list[float]": lambda caller, value: values.read_floats(value),
    "list[int]": lambda caller, value: values.read_ints(value),
    "dict[str, Any]": lambda caller, value: values.read_map(value),
    "Any": lambda caller, value: value,
}
"""Converters of arguments, by the annotation of the handler's parameter."""


class Argument(NamedTuple):
    """A parameter of a call."""

    name: str
    convert: Convert
    default: Any  # inspect.Parameter.empty: required
    takes_null: bool


class RemoteCall(NamedTuple):
    """A function that clients can call."""

    handler: Callable[..., Any]
    arguments: tuple[Argument, ...]
    rest: bool  # whether it accepts further arguments, unconverted


CALLS: dict[str, RemoteCall] = {}


def call(*names: str) -> Callable[[Function], Function]:
    """Declare the handler of a call.

    The handler takes a `SceneCaller`, or a `RemoteCaller` if it needs the stepping mode, and arguments, which are
    converted according to their annotations. It returns the result: a tuple for several results, None for none. It may
    also be a generator, see `Steps`.

    Args:
        names: names of the call; default: the handler's name, `get_object_position` for `sim.getObjectPosition`.
    """

    def declare(handler: Function) -> Function:
        _, *parameters = inspect.signature(handler).parameters.values()
        rest = bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_POSITIONAL
        arguments = tuple(
            Argument(p.name, CONVERTERS[p.annotation], p.default, p.annotation == "Any")
            for p in (parameters[:-1] if rest else parameters)
        )
        for name in names or (name_call(handler.__name__),):
            full = f"sim.{name}"
            assert full not in CALLS, f"{full} twice"
            CALLS[full] = RemoteCall(handler, arguments, rest)
        return handler

    return declare


def name_call(function: str) -> str:
    """Return the name of a call for a handler: `getObjectPosition` for `get_object_position`."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), function)


def carry_out(caller: SceneCaller, name: str, given: Sequence[Any]) -> Any:
    """Execute a call. Errors are `PaddockError`s that name the call. Superfluous arguments are ignored."""
    found = CALLS.get(name)
    if found is None:
        raise PaddockError(f"No such function: {name}")
    try:
        return found.handler(caller, *_convert(caller, found, given))
    except PaddockError as error:
        raise name_error(error, name) from None


def _convert(caller: SceneCaller, remote_call: RemoteCall, given: Sequence[Any]) -> list[Any]:
    converted = []
    for k, (name, convert, default, takes_null) in enumerate(remote_call.arguments):
        value = given[k] if k < len(given) else None
        if (value is None and not (takes_null and k < len(given))) or value == values.NIL:
            if default is inspect.Parameter.empty:
                raise PaddockError(f"argument {k + 1} ({name}) is missing")
            converted.append(default)
            continue
        try:
            converted.append(convert(caller, value))
        except PaddockError as error:
            raise PaddockError(f"argument {k + 1} ({name}): {error}") from None
    return converted + list(given[len(remote_call.arguments) :]) if remote_call.rest else converted


def name_error(error: PaddockError, name: str) -> PaddockError:
    """Return the error with the name of the call appended, as in CoppeliaSim."""
    return Refused(f"{error} (in function '{name}')")
