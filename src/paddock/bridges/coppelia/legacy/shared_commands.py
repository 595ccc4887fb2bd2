"""Commands that are the same as calls of CoppeliaSim: only the format of arguments and results differs."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from typing import Any

from paddock.bridges.coppelia.calls import CALLS
from paddock.bridges.coppelia.calls.table import read_object
from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.bridges.coppelia.legacy.table import command, pack_float, pack_int, take

SHARED = (
    # number, name of the command, call of `sim`, arguments in the data (3f: a list), type of the result
    (0x0005, "simxCloseScene", "closeScene", "", ""),
    (0x0009, "simxCreateDummy", "createDummy", "", "i"),
    (0x1001, "simxGetJointPosition", "getJointPosition", "", "f"),
    (0x1002, "simxSetJointPosition", "setJointPosition", "f", ""),
    (0x1008, "simxSetJointTargetVelocity", "setJointTargetVelocity", "f", ""),
    (0x100A, "simxGetJointMatrix", "getJointMatrix", "", "list"),
    (0x100C, "simxSetJointTargetPosition", "setJointTargetPosition", "f", ""),
    (0x100D, "simxGetJointForce", "getJointForce", "", "f"),
    (0x100E, "simxSetJointForce", "setJointForce", "f", ""),
    (0x100F, "simxReadForceSensor", "readForceSensor", "", ""),
    (0x1010, "simxBreakForceSensor", "readForceSensor", "", ""),
    (0x1012, "simxGetObjectParent", "getObjectParent", "", "i"),
    (0x1018, "simxGetObjectOrientation", "getObjectOrientation", "i", "list"),  # before V-REP 3.2
    (0x1019, "simxGetObjectPosition", "getObjectPosition", "i", "list"),  # before V-REP 3.2
    (0x101A, "simxSetObjectOrientation", "setObjectOrientation", "i3f", ""),
    (0x101B, "simxSetObjectPosition", "setObjectPosition", "i3f", ""),
    (0x101C, "simxSetObjectParent", "setObjectParent", "iB", ""),
    (0x101D, "simxGetArrayParameter", "getArrayParam", "", "list"),
    (0x101E, "simxSetArrayParameter", "setArrayParam", "3f", ""),
    (0x101F, "simxGetBooleanParameter", "getBoolParam", "", "i"),
    (0x1022, "simxSetIntegerParameter", "setInt32Param", "i", ""),
    (0x1023, "simxGetFloatingParameter", "getFloatParam", "", "f"),
    (0x1025, "simxGetStringParameter", "getStringParam", "", "s"),
    (0x1028, "simxRemoveObject", "removeObject", "", ""),
    (0x1034, "simxGetModelProperty", "getModelProperty", "", "i"),
    (0x1035, "simxSetModelProperty", "setModelProperty", "i", ""),
    (0x1036, "simxGetObjectVelocity", "getObjectVelocity", "", "lists"),
    (0x1037, "simxRemoveModel", "removeModel", "", ""),
    (0x1038, "simxGetJointMaxForce", "getJointMaxForce", "", "f"),
    (0x1801, "simxSetObjectQuaternion", "setObjectQuaternion", "i4f", ""),
    (0x2007, "simxGetObjectFloatParameter", "getObjectFloatParam", "", "f"),
    (0x2008, "simxGetObjectIntParameter", "getObjectInt32Param", "", "i"),
    (0x2009, "simxSetObjectFloatParameter", "setObjectFloatParam", "f", ""),
    (0x200A, "simxSetObjectIntParameter", "setObjectInt32Param", "i", ""),
    (0x200D, "simxGetObjectOrientation", "getObjectOrientation", "", "list"),
    (0x200E, "simxGetObjectPosition", "getObjectPosition", "", "list"),
    (0x2801, "simxGetObjectQuaternion", "getObjectQuaternion", "", "list"),
    (0x3001, "simxGetObjectHandle", "getObject", "", "i"),
    (0x3002, "simxLoadScene", "loadScene", "", ""),
    (0x3003, "simxLoadModel", "loadModel", "", "i"),
)


PACKERS: dict[str, Callable[[Any], bytes]] = {
    "": lambda result: b"",
    "i": pack_int,
    "f": pack_float,
    "s": lambda text: text.encode() + b"\0",
    "list": lambda numbers: pack_float(*numbers),
    "lists": lambda parts: pack_float(*chain(*parts)),
}
"""Functions that convert the result of a call to the data of a reply."""


def share(number: int, name: str, call: str, given: str, result: str) -> None:
    """Declare the command for a call."""
    handler, arguments, _ = CALLS[f"sim.{call}"]
    names_object = bool(arguments) and arguments[0].convert is read_object
    scalars, layout, pack = len(re.split(r"\d", given)[0]), f"<{given}", PACKERS[result]

    @command(number, name)
    def execute(caller: Caller, *key_and_data: Any) -> bytes:
        *values, data = key_and_data
        if names_object:
            values[0] = caller.scene.get(values[0])
        if given:
            numbers = take(layout, data)
            values += numbers[:scalars]
            if len(numbers) > scalars:
                values.append(list(numbers[scalars:]))
        return pack(handler(caller, *values))


for _row in SHARED:
    share(*_row)
