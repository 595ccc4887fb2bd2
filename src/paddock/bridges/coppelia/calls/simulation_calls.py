"""Calls about the simulation: time, stepping, parameters."""

from __future__ import annotations

import time
from typing import Any

from paddock.bridges.coppelia.calls.caller import RemoteCaller
from paddock.bridges.coppelia.calls.constants import CONSTANTS
from paddock.bridges.coppelia.calls.table import CALLS, Steps, call
from paddock.bridges.coppelia.calls.values import read_int, take_count
from paddock.bridges.coppelia.scene import parameters
from paddock.bridges.coppelia.scene.simulator import SceneCaller

STATES = {"stopped": 0, "paused": 8, "running": 17}
VERSION, REVISION = 40700, 0  # version of CoppeliaSim whose calls are supported
PROGRAM_REVISION = 30
LATE = 1e-9  # tolerance of the end of a wait [s], because sums of ticks are not exact

# ---- time


@call()
def start_simulation(caller: SceneCaller) -> int:
    caller.control.start()
    return 1


@call()
def pause_simulation(caller: SceneCaller) -> int:
    caller.control.pause()
    return 1


@call()
def stop_simulation(caller: SceneCaller, wait: bool = False) -> int:
    caller.control.stop()
    return 1


@call()
def get_simulation_state(caller: SceneCaller) -> int:
    return STATES[caller.control.state]


@call()
def get_simulation_stopping(caller: SceneCaller) -> bool:
    return caller.control.state == "stopped"


@call()
def get_simulation_time(caller: SceneCaller) -> float:
    return caller.scene.live.time


@call()
def get_simulation_time_step(caller: SceneCaller) -> float:
    return caller.simulator.step


@call()
def set_simulation_time_step(caller: SceneCaller, step: float) -> None:
    caller.simulator.set_step(step)


@call("getSystemTime")
def get_system_time(caller: SceneCaller) -> float:
    return time.monotonic()


@call("getSystemTimeInMs", "getSystemTimeInMilliseconds")
def get_system_time_in_ms(caller: SceneCaller, since: int = -1) -> int:
    now = int(time.monotonic() * 1000) & 0x7FFFFFFF
    return now if since < 0 else (now - since) & 0x7FFFFFFF


@call("getRealTimeSimulation", "getIsRealTimeSimulation")
def get_real_time_simulation(caller: SceneCaller) -> bool:
    return caller.control.real_time


# ---- stepping


@call()
def set_stepping(caller: RemoteCaller, on: bool = True) -> int:
    return caller.set_stepping(on)


@call()
def set_thread_automatic_switch(caller: RemoteCaller, on: Any) -> int:
    """Switch automatic time steps: stepping with inverted meaning (before version 4.6). A number sets the level."""
    if isinstance(on, bool):
        return caller.set_stepping(not on)
    before, caller.level = caller.level, max(0, read_int(on))
    caller.hold_time()
    return before


@call("step", "switchThread", "yield")
def step(caller: SceneCaller, *ignored: Any) -> Steps:
    """Advance the simulation by a step; do nothing if it is not running."""
    if caller.control.state == "running":
        yield


@call()
def wait(caller: RemoteCaller, seconds: float, simulated: bool = True) -> Steps:
    """Wait, and return by how much the wait exceeded the requested time [s]."""
    if not simulated:
        end = caller.control.wall_time + seconds
        while caller.control.wall_time < end:
            yield
        return caller.control.wall_time - end
    last = caller.scene.live.time
    end = last + seconds
    while last < end - LATE and caller.control.state != "stopped":
        yield
        if caller.scene.live.time < last:  # the simulation was restarted
            break
        last = caller.scene.live.time
    return max(0.0, last - end)


@call()
def acquire_lock(caller: RemoteCaller) -> None:
    caller.locks += 1
    caller.hold_time()


@call()
def release_lock(caller: RemoteCaller) -> None:
    caller.locks = max(0, caller.locks - 1)
    caller.hold_time()


# ---- parameters


@call("getBoolParam", "getBoolParameter")
def get_bool_param(caller: SceneCaller, number: int) -> bool:
    if number == parameters.REAL_TIME:
        return caller.control.real_time
    return bool(parameters.get_parameter(caller.scene, "boolean", number))


@call("setBoolParam", "setBoolParameter")
def set_bool_param(caller: SceneCaller, number: int, value: bool) -> None:
    parameters.set_parameter(caller.scene, "boolean", number, value)


@call("getInt32Param", "getInt32Parameter")
def get_int32_param(caller: SceneCaller, number: int) -> Any:
    if number in (parameters.PROGRAM_VERSION, PROGRAM_REVISION):
        return VERSION if number == parameters.PROGRAM_VERSION else REVISION
    return parameters.get_parameter(caller.scene, "integer", number)


@call("setInt32Param", "setInt32Parameter")
def set_int32_param(caller: SceneCaller, number: int, value: int) -> None:
    parameters.set_parameter(caller.scene, "integer", number, value)


@call("getFloatParam", "getFloatParameter")
def get_float_param(caller: SceneCaller, number: int) -> Any:
    if number == parameters.TIME_STEP:
        return caller.simulator.step
    return parameters.get_parameter(caller.scene, "floating", number)


@call("setFloatParam", "setFloatParameter")
def set_float_param(caller: SceneCaller, number: int, value: float) -> None:
    if number == parameters.TIME_STEP:
        caller.simulator.set_step(value)
    else:
        parameters.set_parameter(caller.scene, "floating", number, value)


@call("getArrayParam", "getArrayParameter")
def get_array_param(caller: SceneCaller, number: int) -> Any:
    return list(parameters.get_parameter(caller.scene, "array", number))  # type: ignore[call-overload]


@call("setArrayParam", "setArrayParameter")
def set_array_param(caller: SceneCaller, number: int, value: list[float]) -> None:
    parameters.set_parameter(caller.scene, "array", number, tuple(take_count(value, 3)))


@call("getStringParam", "getStringParameter")
def get_string_param(caller: SceneCaller, number: int) -> str:
    return parameters.get_string(caller.scene, number)


@call("setStringParam", "setStringParameter")
def set_string_param(caller: SceneCaller, number: int, value: str) -> None:
    parameters.check_number("string", number)


@call()
def get_random(caller: SceneCaller, seed: Any = None) -> Any:
    return parameters.get_parameter(caller.scene, "floating", parameters.RANDOM)


# ---- introspection


@call()
def get_api_func(caller: SceneCaller, script: int, word: str) -> list[str]:
    words = [*CALLS, *(f"sim.{name}" for name in CONSTANTS)]
    return sorted(name for name in words if name.startswith(word.removeprefix("+")))


@call()
def get_api_info(caller: SceneCaller, script: int, word: str) -> str | None:
    found = CALLS.get(word)
    return None if found is None else f"{word}({', '.join(argument.name for argument in found.arguments)})"
