"""V-REP's native library controls robots of a served world: every call, in every operation mode."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from bridges.coppelia.vrep_fixtures import ROOM, NativeClient, load_native, native, served
from paddock.bridges.coppelia import VrepServer

MODES = ["blocking", "oneshot", "streaming", "delayed", "split", "streamed split"]
MISSING = 9999  # no object has this handle


@pytest.fixture(scope="module")
def room() -> Iterator[tuple[VrepServer, NativeClient]]:
    load_native()
    with served() as bridge, native(bridge) as client:
        yield bridge, client


def ask(client: NativeClient, mode: str, name: str, arguments: tuple[Any, ...]) -> Any:
    """Make a call in one of the modes, and end streams afterwards."""
    vrep = client.vrep
    codes = {
        "blocking": vrep.simx_opmode_oneshot_wait,
        "oneshot": vrep.simx_opmode_oneshot,
        "streaming": vrep.simx_opmode_streaming,
        "delayed": vrep.simx_opmode_streaming + 5,
        "split": vrep.simx_opmode_oneshot_split + 100,
        "streamed split": vrep.simx_opmode_streaming_split + 100,
    }
    client(name, *arguments, mode=vrep.simx_opmode_remove)
    answer = client(name, *arguments, mode=codes[mode])
    if mode == "blocking":
        return answer
    buffered = client.until_ok(lambda: client(name, *arguments, mode=vrep.simx_opmode_buffer))
    client(name, *arguments, mode=vrep.simx_opmode_discontinue)
    vrep.simxGetPingTime(client.id)
    return buffered


# Calls that read, with arguments that have a value, and arguments that are an error. A text stands for a handle.
READING: dict[str, tuple[tuple[Any, ...], tuple[Any, ...] | None]] = {
    "GetObjectHandle": (("Pioneer_p3dx",), ("Pioneer_p4dx",)),
    "GetJointPosition": (("@Pioneer_p3dx_leftMotor",), (MISSING,)),
    "GetJointMatrix": (("@Pioneer_p3dx_leftMotor",), ("@Pioneer_p3dx",)),
    "JointGetForce": (("@Pioneer_p3dx_leftMotor",), (MISSING,)),
    "ReadProximitySensor": (("@Pioneer_p3dx_ultrasonicSensor4",), ("@Pioneer_p3dx",)),
    "ReadVisionSensor": (("@ePuck_camera",), (MISSING,)),
    "GetVisionSensorImage": (("@ePuck_camera", 0), (MISSING, 0)),
    "GetVisionSensorDepthBuffer": (("@ePuck_camera",), ("@ePuck",)),
    "GetObjectChild": (("@Pioneer_p3dx", 0), (MISSING, 0)),
    "GetObjectParent": (("@Pioneer_p3dx_leftMotor",), (MISSING,)),
    "GetObjectPosition": (("@Pioneer_p3dx", -1), (MISSING, -1)),
    "GetObjectOrientation": (("@Pioneer_p3dx#0", -1), ("@Pioneer_p3dx", MISSING)),
    "GetObjectVelocity": (("@Pioneer_p3dx",), (MISSING,)),
    "GetObjects": ((1,), None),
    "GetObjectGroupData": ((5, 13), (5, 99)),
    "GetObjectSelection": ((), None),
    "GetArrayParameter": ((0,), (99,)),
    "GetBooleanParameter": ((25,), (99,)),
    "GetIntegerParameter": ((8,), (999,)),
    "GetFloatingParameter": ((1,), (99,)),
    "GetStringParameter": ((13,), (999,)),
    "GetCollisionHandle": (("Collision",), ("Kollision",)),
    "GetDistanceHandle": (("Distance#0",), ("Distance#9",)),
    "GetCollectionHandle": (("Pioneer_p3dx",), ("nothing",)),
    "ReadCollision": (("!Collision",), (MISSING,)),
    "ReadDistance": (("!Distance",), (MISSING,)),
    "GetFloatSignal": (("float",), ("none",)),
    "GetIntegerSignal": (("integer",), ("none",)),
    "GetStringSignal": (("red_allSens",), ("none",)),
    "GetObjectFloatParameter": (("@Pioneer_p3dx_leftMotor", 2012), ("@Pioneer_p3dx", 4711)),
    "GetObjectIntParameter": (("@ePuck_camera", 1002), ("@ePuck", 4711)),
    "GetModelProperty": (("@Pioneer_p3dx",), (MISSING,)),
    "CallScriptFunction": (
        ("ePuck", 1, "getPoseForRemote", [], [], [], bytearray()),
        ("ePuck", 1, "noFunction", [], [], [], bytearray()),
    ),
}
NEITHER_SPLIT_NOR_STREAMED = {"CallScriptFunction"}  # the library never merges these


def resolve(client: NativeClient, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    calls = {"@": "GetObjectHandle", "!": ""}
    found = []
    for argument in arguments:
        if isinstance(argument, str) and argument[:1] in calls:
            name = argument[1:]
            found.append(client.get(calls[argument[0]] or f"Get{name}Handle", name))
        else:
            found.append(argument)
    return tuple(found)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", READING)
def test_every_getter_returns_its_value_or_error_in_every_mode(
    room: tuple[VrepServer, NativeClient], name: str, mode: str
) -> None:
    _, client = room
    if name in NEITHER_SPLIT_NOR_STREAMED and mode != "blocking":
        pytest.skip("programs call script functions in the blocking mode")
    client("StopSimulation")
    client("SetFloatSignal", "float", 0.5)
    client("SetIntegerSignal", "integer", -7)
    good, bad = READING[name]
    arguments = resolve(client, good)
    value = ask(client, mode, name, arguments)
    assert value[0] == 0, client("GetLastErrors")
    assert value == ask(client, "blocking", name, arguments)
    if bad is not None:
        client("GetLastErrors")
        assert ask(client, mode, name, resolve(client, bad))[0] == client.vrep.simx_return_remote_error_flag
        assert any(f"{name.replace('JointGet', 'GetJoint')}:" in text for text in client.get("GetLastErrors"))


# Calls that do something: arguments, how to read what came of it, and what it is then; arguments that are an error.
DOING: dict[str, tuple[tuple[Any, ...], tuple[Any, ...] | None, tuple[Any, ...] | None, Any]] = {
    "SetJointTargetVelocity": (("@Pioneer_p3dx_leftMotor", 0.0), (MISSING, 1.0), None, None),
    "SetJointForce": (("@Pioneer_p3dx_leftMotor", 3.0), (MISSING, 1.0), None, None),
    "SetObjectPosition": (
        ("@Pioneer_p3dx", -1, [2.5, 3.0, 0.14]), ("@Cuboid", -1, [3.0, 2.0, 0.0]),
        ("GetObjectPosition", "@Pioneer_p3dx", -1), pytest.approx([2.5, 3.0, 0.1388], abs=1e-6),
    ),
    "SetObjectOrientation": (
        ("@Pioneer_p3dx", -1, [0.0, 0.0, 1.0]), (MISSING, -1, [0.0, 0.0, 0.0]),
        ("GetObjectOrientation", "@Pioneer_p3dx", -1), pytest.approx([0.0, 0.0, 1.0], abs=1e-6),
    ),
    "SetFloatSignal": (("f", 2.5), None, ("GetFloatSignal", "f"), 2.5),
    "SetIntegerSignal": (("i", 25), None, ("GetIntegerSignal", "i"), 25),
    "SetStringSignal": (("s", bytearray(b"a\0b" * 200)), None, ("GetStringSignal", "s"), bytearray(b"a\0b" * 200)),
    "SetArrayParameter": ((3, [0.25, 0.5, 0.75]), (99, [0.0, 0.0, 0.0]), ("GetArrayParameter", 3), [0.25, 0.5, 0.75]),
    "SetBooleanParameter": ((16, True), (25, True), ("GetBooleanParameter", 16), True),
    "SetIntegerParameter": ((8, 2), (1, 2), ("GetIntegerParameter", 8), 2),
    "SetFloatingParameter": ((2, 0.5), (1, 0.001), ("GetFloatingParameter", 2), 0.5),
    "SetObjectIntParameter": (
        ("@ePuck_led1", 10, 1), (MISSING, 10, 1), ("GetObjectIntParameter", "@ePuck_led1", 10), 1,
    ),
    "SetObjectFloatParameter": (
        ("@ePuck", 4000, 0.5), (MISSING, 1, 0.5), ("GetObjectFloatParameter", "@ePuck", 4000), 0.5,
    ),
    "SetModelProperty": (("@ePuck", 16), (MISSING, 16), ("GetModelProperty", "@ePuck"), 16),
    "AddStatusbarMessage": (("hello",), None, None, None),
    "PauseSimulation": ((), (), None, None),
}  # fmt: skip

EARLIER: dict[str, Any] = {  # the value before, where it can be asked for
    "SetObjectPosition": [2.0, 3.0, 0.14],
    "SetObjectOrientation": [0.0, 0.0, 0.5],
    "SetFloatSignal": 1.0,
    "SetIntegerSignal": 1,
    "SetStringSignal": bytearray(b"b"),
    "SetArrayParameter": [0.0, 0.0, 0.0],
    "SetBooleanParameter": False,
    "SetIntegerParameter": 1,
    "SetFloatingParameter": 0.25,
    "SetObjectIntParameter": 0,
    "SetObjectFloatParameter": 0.25,
    "SetModelProperty": 0,
}


@pytest.mark.parametrize("mode", ["blocking", "oneshot", "split"])
@pytest.mark.parametrize("name", DOING)
def test_every_setter_is_applied_or_refused_in_every_mode(
    room: tuple[VrepServer, NativeClient], name: str, mode: str
) -> None:
    _, client = room
    vrep = client.vrep
    client("StopSimulation")
    good, bad, look, expected = DOING[name]
    if name == "PauseSimulation":
        assert client(name) == vrep.simx_return_remote_error_flag  # it is stopped
        assert client("StartSimulation") == 0
    if look is not None:
        assert client(name, *resolve(client, good)[:-1], EARLIER[name]) == 0
        assert client.get(look[0], *resolve(client, look[1:])) != expected
    modes = {"oneshot": vrep.simx_opmode_oneshot, "split": vrep.simx_opmode_oneshot_split + 100}
    assert client(name, *resolve(client, good), mode=modes.get(mode)) in (0, 1)
    for _ in range(8):  # pieces go with one message each
        vrep.simxGetPingTime(client.id)
    if look is not None:
        assert client.get(look[0], *resolve(client, look[1:])) == expected
    if bad:
        assert client(name, *resolve(client, bad)) == vrep.simx_return_remote_error_flag
        assert client.get("GetLastErrors")


def test_stock_models_have_their_object_names(room: tuple[VrepServer, NativeClient]) -> None:
    _, client = room
    names = set(client("GetObjectGroupData", 109, 0)[4])
    for suffix in ("", "#0"):
        assert {f"Pioneer_p3dx_ultrasonicSensor{i}{suffix}" for i in range(1, 17)} < names
        assert {f"Pioneer_p3dx{part}{suffix}" for part in ("", "_leftMotor", "_rightMotor")} < names
        assert {f"ePuck_{part}{suffix}" for part in ("leftJoint", "rightJoint", "camera", "lightSensor")} < names
        assert {f"ePuck_proxSensor{i}{suffix}" for i in range(1, 9)} < names
        assert {f"ePuck_led{i}{suffix}" for i in range(1, 9)} < names
    assert client.get("GetObjectHandle", "Pioneer_p3dx#") == client.get("GetObjectHandle", "pioneer")
    assert client.get("GetObjectHandle", "/PioneerP3DX[1]") == client.get("GetObjectHandle", "Pioneer_p3dx#0")


def test_pioneer_sonar_detects_within_one_metre_along_its_axis(room: tuple[VrepServer, NativeClient]) -> None:
    _, client = room
    pioneer = client.get("GetObjectHandle", "Pioneer_p3dx")
    sensor = client.get("GetObjectHandle", "Pioneer_p3dx_ultrasonicSensor4")
    box = client.get("GetObjectHandle", "Cuboid")
    client("SetObjectOrientation", pioneer, -1, [0.0, 0.0, 0.0])
    for x, seen in ((2.0, True), (1.5, False)):  # the box begins at 2.9
        assert client("SetObjectPosition", pioneer, -1, [x, 2.0, 0.0]) == 0
        code, state, point, handle, normal = client("ReadProximitySensor", sensor)
        assert (code, state) == (0, seen)
        if seen:
            assert point[:2] == [0.0, 0.0]
            assert 0.7 < point[2] < 0.75
            assert handle == box
            assert normal[2] < -0.9
        else:
            assert (point, handle) == ([0.0, 0.0, 0.0], -1)


def test_positions_are_read_and_set_relative_to_other_objects(room: tuple[VrepServer, NativeClient]) -> None:
    _, client = room
    red, blue = client.get("GetObjectHandle", "ePuck"), client.get("GetObjectHandle", "ePuck#0")
    client("SetObjectPosition", red, -1, [1.0, 1.0, 0.0])
    client("SetObjectOrientation", red, -1, [0.0, 0.0, math.pi / 2])
    assert client("SetObjectPosition", blue, red, [0.3, 0.1, 0.0]) == 0
    assert client.get("GetObjectPosition", blue, -1) == pytest.approx([0.9, 1.3, 0.0191], abs=1e-6)
    assert client.get("GetObjectPosition", blue, red) == pytest.approx([0.3, 0.1, 0.0], abs=1e-6)
    camera = client.get("GetObjectHandle", "ePuck_camera")
    parent = client.vrep.sim_handle_parent
    assert client.get("GetObjectPosition", camera, parent) == pytest.approx([0.03, 0.0, 0.0089], abs=1e-6)
    dummy = client.get("CreateDummy", 0.1, [])
    assert client("SetObjectParent", dummy, red, True) == 0
    assert client("SetObjectPosition", dummy, parent, [0.5, 0.0, 0.2]) == 0
    assert client.get("GetObjectPosition", dummy, -1) == pytest.approx([1.0, 1.5, 0.2191], abs=1e-6)
    assert client("RemoveObject", dummy) == 0
    assert client("GetObjectPosition", dummy, -1)[0] == 8


def test_vorarlberg_framework_finds_signals_and_script_functions() -> None:
    with served() as bridge, native(bridge) as client:
        vrep = client.vrep
        values = vrep.simxUnpackFloats(client.get("GetStringSignal", "epuck20000_allSens"))
        assert len(values) == 24
        assert values[:8] == pytest.approx([0.05] * 8)
        assert values[21] == pytest.approx(9.81, abs=0.05)
        code, _, floats, _, _ = client(
            "CallScriptFunction", "ePuck#0", 1, "getProxSensorsForRemote", [], [], [], bytearray()
        )
        assert code == 0
        assert min(floats) < 0.05  # it stands before the border
        _, _, pose, _, _ = client("CallScriptFunction", "ePuck#0", 1, "getPoseForRemote", [], [], [], bytearray())
        assert pose == pytest.approx([1.0, 0.06, -math.pi / 2])
        camera = vrep.simxUnpackFloats(client.get("GetStringSignal", "epuck20000_camera"))
        assert len(camera) == 64 * 64 * 3
        assert 0 <= min(camera) < max(camera) <= 1
        assert client("SetStringSignal", "epuck20000_velocities", vrep.simxPackFloats([1.0, 2.0])) == 0
        client("CallScriptFunction", "ePuck#0", 1, "setVelocitiesForRemote", [], [9.0, -1.0], [], bytearray())
        client("SetFloatSignal", "EPUCK_velLeft", 0.5)
        red, blue = bridge.arena["red"].body.command, bridge.arena["blue"].body.command
        assert red == pytest.approx((0.5 * 0.0205, 2.0 * 0.0205))
        assert blue == pytest.approx((2.094 * 0.0205, -1.0 * 0.0205))


def test_images_are_bottom_up_and_split_into_packets(room: tuple[VrepServer, NativeClient]) -> None:
    bridge, client = room
    camera = client.get("GetObjectHandle", "ePuck_camera")
    robot = bridge.arena.robots.new_handle("red")
    robot.camera.enable()
    picture = robot.camera.read()[::-1]
    code, size, image = client("GetVisionSensorImage", camera, 0)
    assert (code, size) == (0, [64, 64])
    assert bytes(value & 255 for value in image) == picture.tobytes()
    _, _, grey = client("GetVisionSensorImage", camera, 1)
    assert len(grey) == 64 * 64
    painted = [5] * (64 * 64 * 3)
    assert client("SetVisionSensorImage", camera, painted, 0) == 0
    assert client("GetVisionSensorImage", camera, 0)[2] == painted
    assert client("SetVisionSensorImage", camera, [5] * 12, 0) == 8


def test_string_streams_are_written_and_read() -> None:
    with served() as bridge, native(bridge) as client:
        for part in (b"one ", b"two"):
            assert client("WriteStringStream", "line", bytearray(part)) in (0, 1)
        client("ReadStringStream", "line", mode=client.vrep.simx_opmode_streaming)
        read = client.until_ok(lambda: client("ReadStringStream", "line", mode=client.vrep.simx_opmode_buffer))
        assert read == (0, bytearray(b"one two"))
        client("SetStringSignal", "once", bytearray(b"x"))
        assert client.get("GetAndClearStringSignal", "once") == bytearray(b"x")
        assert client("GetAndClearStringSignal", "once")[0] == 8
        assert client("ClearStringSignal", "") == 0


def test_window_and_file_calls_are_answered() -> None:
    with served() as bridge, native(bridge) as client:
        console = client.get("AuxiliaryConsoleOpen", "log", 4, 0, None, None, None, None)
        assert client("AuxiliaryConsolePrint", console, "hello") == 0
        assert client("AuxiliaryConsoleShow", console, True) == 0
        assert client("AuxiliaryConsoleClose", console) == 0
        assert client("AuxiliaryConsolePrint", console, "hello") == 8
        code, dialog, _ = client("DisplayDialog", "question", "really?", 3, "", None, None)
        assert code == 0
        assert client.get("GetDialogResult", dialog) == 3  # yes
        assert client("EndDialog", dialog) == 0
        assert client("GetUISlider", 1, 1)[0] == 8
        assert "sliders and buttons are not supported" in client.get("GetLastErrors")[-1]
        assert client("LoadScene", "scenes/vrep-room.ttt", 0) == 0
        assert client("LoadScene", "scenes/another.ttt", 0) == 8
        handle = client.get("LoadModel", "models/robots/mobile/pioneer p3dx.ttm", 0)
        assert client.get("GetObjectHandle", "Pioneer_p3dx#1") == handle
        copies = client.get("CopyPasteObjects", [client.get("GetObjectHandle", "ePuck")])
        assert client.get("GetObjectHandle", "ePuck#1") == copies[0]
        assert client("RemoveModel", handle) == 0
        assert client("GetObjectHandle", "Pioneer_p3dx#1")[0] == 8
        assert len(bridge.arena.robots) == len(ROOM.robots) + 1
