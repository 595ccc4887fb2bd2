"""CoppeliaSim's client calls every function of `sim` with valid and invalid arguments."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bridges.coppelia.coppelia_fixtures import new_client, served
from paddock.bridges.coppelia import CoppeliaServer
from paddock.bridges.coppelia.calls import CALLS, CONSTANTS, signal_calls
from paddock.bridges.coppelia.calls.absent_calls import ABSENT
from paddock.bridges.coppelia.calls.math_calls import PACKED
from paddock.bridges.coppelia.calls.property_calls import KINDS
from paddock.bridges.coppelia.calls.signal_calls import NAMED_KINDS
from paddock.bridges.coppelia.scene.objects import SCRIPTS

MISSING = 9999  # no object has this handle
UNIT = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]  # a matrix
POSE = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
ROBOT, JOINT, SONAR, CAMERA, DUMMY = (
    "@/PioneerP3DX",
    "@/PioneerP3DX/leftMotor",
    "@/PioneerP3DX/ultrasonicSensor[3]",
    "@/ePuck/camera",
    "@/Dummy",
)
COLLECTION = "@collection"
Arguments = tuple[Any, ...]

# Arguments that have a value, and arguments that are an error. A text with @ stands for a handle. None: no error.
TABLE: dict[str, tuple[Arguments, Arguments | None]] = {
    # objects
    "getObject": (("/PioneerP3DX",), ("/Pioneer",)),
    "getObjectHandle": (("Pioneer_p3dx_ultrasonicSensor16#0",), ("Pioneer_p3dx#9",)),
    "isHandle": ((ROBOT,), None),
    "isHandleValid": ((MISSING,), None),
    "getObjectAlias": ((JOINT, 1), (MISSING,)),
    "getObjectName": ((JOINT,), (MISSING,)),
    "setObjectAlias": ((DUMMY, "Dummy"), (ROBOT, "")),
    "setObjectName": ((DUMMY, "Dummy"), (DUMMY, "a/b")),
    "getObjectUid": ((JOINT,), (MISSING,)),
    "getObjectUniqueIdentifier": ((JOINT,), (MISSING,)),
    "getObjectFromUid": ((JOINT,), (MISSING,)),
    "getObjectType": ((JOINT,), (MISSING,)),
    "getObjectsInTree": ((ROBOT, 5, 1), (MISSING,)),
    "getObjects": ((0, 1), ()),
    "getObjectParent": ((JOINT,), (MISSING,)),
    "setObjectParent": ((DUMMY, ROBOT, True), (ROBOT, DUMMY)),
    "getObjectChild": ((ROBOT, 0), (MISSING, 0)),
    "getObjectSel": ((), None),
    "getObjectSelection": ((), None),
    "setObjectSel": (([ROBOT],), ([MISSING],)),
    "setObjectSelection": (([],), (7,)),
    "createDummy": ((0.01,), ("large",)),
    "removeObject": (("@/Dummy[1]",), (JOINT,)),
    "removeModel": (("@/Dummy[1]",), (JOINT,)),
    "removeObjects": ((["@/Dummy[1]"],), ([MISSING],)),
    "copyPasteObjects": (([DUMMY], 0), ([JOINT],)),
    "loadModel": (("models/robots/mobile/e-puck.ttm",), ("models/robots/unicorn.ttm",)),
    "loadScene": (("/home/me/coppelia-room.ttt",), ("another.ttt",)),
    "closeScene": ((), None),
    "getObjectInt32Param": ((CAMERA, 1002), (ROBOT, 4711)),
    "getObjectInt32Parameter": ((CAMERA, 1003), (MISSING, 1)),
    "getObjectFloatParam": ((JOINT, 2012), (ROBOT, 4711)),
    "getObjectFloatParameter": ((CAMERA, 1004), (ROBOT, 4711)),
    "setObjectInt32Param": ((ROBOT, 10, 1), (ROBOT, 10)),
    "setObjectInt32Parameter": ((ROBOT, 10, 1), (ROBOT, 10, 1.5)),
    "setObjectFloatParam": ((ROBOT, 3000, 1.0), (ROBOT, 3000, "x")),
    "setObjectFloatParameter": ((ROBOT, 3000, 1.0), (ROBOT, 3000, math.inf)),
    "getModelProperty": ((ROBOT,), (MISSING,)),
    "setModelProperty": ((ROBOT, 0), (MISSING, 0)),
    "getObjectProperty": ((ROBOT,), (MISSING,)),
    "setObjectProperty": ((ROBOT, 1), (MISSING, 0)),
    "getObjectSpecialProperty": ((ROBOT,), (MISSING,)),
    "setObjectSpecialProperty": ((ROBOT, 1), (ROBOT,)),
    "getExplicitHandling": ((SONAR,), (MISSING,)),
    "setExplicitHandling": ((SONAR, 1), (MISSING, 0)),
    "getObjectSizeFactor": ((ROBOT,), (MISSING,)),
    "getShapeBB": ((ROBOT,), (MISSING,)),
    "getModelBB": ((ROBOT,), (MISSING,)),
    "getShapeMass": ((ROBOT,), (JOINT,)),
    # places
    "getObjectPosition": ((ROBOT, -1), (ROBOT, MISSING)),
    "getObjectOrientation": ((ROBOT,), (MISSING,)),
    "getObjectQuaternion": ((SONAR, ROBOT), (MISSING,)),
    "getObjectPose": ((ROBOT,), (MISSING,)),
    "getObjectMatrix": ((ROBOT,), (MISSING,)),
    "getObjectChildPose": ((ROBOT,), (MISSING,)),
    "setObjectPosition": ((ROBOT, [2.0, 2.0, 0.1]), ("@/Cuboid", [3.0, 2.0, 0.1])),
    "setObjectOrientation": ((ROBOT, [0.0, 0.0, 0.0]), (ROBOT, [0.0])),
    "setObjectQuaternion": ((ROBOT, [0.0, 0.0, 0.0, 1.0]), (ROBOT, [0.0] * 4)),
    "setObjectPose": ((ROBOT, [2.0, 2.0, 0.1, 0.0, 0.0, 0.0, 1.0]), (ROBOT, [3.0, 2.0, 0.1, 0.0, 0.0, 0.0, 1.0])),
    "setObjectMatrix": ((DUMMY, UNIT), (JOINT, UNIT)),
    "getObjectVelocity": ((ROBOT,), (MISSING,)),
    "getVelocity": ((ROBOT,), (MISSING,)),
    "resetDynamicObject": ((ROBOT,), ()),
    "resetProximitySensor": ((SONAR,), ()),
    "resetVisionSensor": ((CAMERA,), ()),
    # joints
    "getJointPosition": ((JOINT,), (ROBOT,)),
    "getJointVelocity": ((JOINT,), (MISSING,)),
    "getJointTargetVelocity": ((JOINT,), (ROBOT,)),
    "setJointTargetVelocity": ((JOINT, 1.0), (JOINT, math.nan)),
    "getJointTargetPosition": ((JOINT,), (ROBOT,)),
    "getJointForce": ((JOINT,), (ROBOT,)),
    "getJointTargetForce": ((JOINT,), (ROBOT,)),
    "getJointMaxForce": ((JOINT,), (ROBOT,)),
    "setJointTargetForce": ((JOINT, 5.0), (ROBOT, 5.0)),
    "setJointMaxForce": ((JOINT, 5.0), (ROBOT, 5.0)),
    "setJointForce": ((JOINT, 5.0), (JOINT, "strong")),
    "getJointType": ((JOINT,), (ROBOT,)),
    "getJointMode": ((JOINT,), (ROBOT,)),
    "setJointMode": ((JOINT, 5, 0), (JOINT, 0, 0)),
    "getJointInterval": ((JOINT,), (ROBOT,)),
    "getJointMatrix": ((JOINT,), (ROBOT,)),
    # sensors
    "readProximitySensor": ((SONAR,), (ROBOT,)),
    "checkProximitySensor": ((SONAR, -2), (ROBOT, -2)),
    "handleProximitySensor": ((-2,), (ROBOT,)),
    "getVisionSensorImg": ((CAMERA, 0, 0.0, [0, 0], [8, 8]), (CAMERA, 0, 0.0, [60, 0], [8, 8])),
    "getVisionSensorCharImage": ((CAMERA,), (ROBOT,)),
    "getVisionSensorImage": ((CAMERA,), (ROBOT,)),
    "getVisionSensorDepth": ((CAMERA, 1), (ROBOT,)),
    "getVisionSensorDepthBuffer": ((CAMERA,), (ROBOT,)),
    "getVisionSensorRes": ((CAMERA,), (ROBOT,)),
    "getVisionSensorResolution": ((CAMERA,), (ROBOT,)),
    "setVisionSensorImg": (("@/ePuck[1]/camera", bytes(64 * 64 * 3)), (CAMERA, b"short")),
    "setVisionSensorCharImage": (("@/ePuck[1]/camera", bytes(64 * 64)), (ROBOT, b"")),
    "readVisionSensor": ((CAMERA,), (ROBOT,)),
    "handleVisionSensor": ((CAMERA,), (ROBOT,)),
    "checkVisionSensor": ((CAMERA, -2), (ROBOT, -2)),
    "transformImage": ((bytes(12), [2, 2], 4), (bytes(13), [2, 2], 4)),
    "transformBuffer": ((b"\0\0\x80\x3f", 6, 1000.0, 10.0, 2), (b"\0", 6, 1.0, 0.0, 2)),
    "getScaledImage": ((bytes(12), [2, 2], [4, 4], 0), (bytes(12), [2, 3], [4, 4], 0)),
    "createCollection": ((0,), None),
    "addItemToCollection": ((COLLECTION, 0, ROBOT, 0), (7, 0, ROBOT, 0)),
    "getCollectionObjects": ((COLLECTION,), (7,)),
    "checkCollision": ((COLLECTION, -2), (MISSING, -2)),
    "checkDistance": ((ROBOT, "@/Cuboid", 0.0), (MISSING, -2)),
    "readCollision": ((ROBOT,), (MISSING,)),
    "destroyCollection": ((COLLECTION,), (7,)),
    # signals, data, scripts
    "setInt32Signal": (("i", 3), ("i", 0.5)),
    "getInt32Signal": (("i",), ()),
    "setIntegerSignal": (("i", 3), ("i", 0.5)),
    "getIntegerSignal": (("i",), ()),
    "setFloatSignal": (("f", 0.5), ("f", "x")),
    "getFloatSignal": (("f",), (3,)),
    "setDoubleSignal": (("f", 0.5), ("f",)),
    "getDoubleSignal": (("f",), ()),
    "setStringSignal": (("s", "text"), ("s", 3)),
    "getStringSignal": (("s",), ()),
    "setBufferSignal": (("b", b"\0\xff"), ("b", [])),
    "getBufferSignal": (("b",), ()),
    "waitForSignal": (("i",), ()),
    "clearInt32Signal": (("i",), (3,)),
    "clearIntegerSignal": (("i",), (3,)),
    "clearFloatSignal": (("f",), (3,)),
    "clearDoubleSignal": (("f",), (3,)),
    "clearStringSignal": (("s",), (3,)),
    "clearBufferSignal": (("b",), (3,)),
    "writeCustomDataBlock": ((ROBOT, "tag", b"x"), (MISSING, "tag", b"x")),
    "readCustomDataBlock": ((ROBOT, "tag"), ()),
    "writeCustomStringData": ((ROBOT, "tag", "x"), (ROBOT, "tag", 3)),
    "readCustomStringData": ((ROBOT, "tag"), ()),
    "writeCustomBufferData": ((-12, "tag", b"x"), (ROBOT,)),
    "readCustomBufferData": ((-12, "tag"), ()),
    "writeCustomTableData": ((ROBOT, "table", {"a": [1, 2]}), (MISSING, "table", {})),
    "readCustomTableData": ((ROBOT, "table"), ()),
    "readCustomDataTags": ((ROBOT,), ()),
    "readCustomDataBlockTags": ((ROBOT,), ()),
    "packTable": (({"a": 1},), ()),
    "unpackTable": ((b"\xa1\x61a\x01",), (b"\xff",)),
    "getScript": ((1, "/PioneerP3DX"), (1, "/nothing")),
    "getScriptHandle": ((1, ROBOT), (1, "@/Cuboid")),
    "callScriptFunction": (("getPoseForRemote", "@/ePuck", [], [], [], b""), ("fly", "@/ePuck")),
    # the simulation
    "startSimulation": ((), None),
    "pauseSimulation": ((), None),
    "stopSimulation": ((), None),
    "getSimulationState": ((), None),
    "getSimulationStopping": ((), None),
    "getSimulationTime": ((), None),
    "getSimulationTimeStep": ((), None),
    "setSimulationTimeStep": ((0.05,), (0.001,)),
    "getSystemTime": ((), None),
    "getSystemTimeInMs": ((-1,), ("x",)),
    "getSystemTimeInMilliseconds": ((), None),
    "getRealTimeSimulation": ((), None),
    "getIsRealTimeSimulation": ((), None),
    "setStepping": ((False,), ("x",)),
    "setThreadAutomaticSwitch": ((True,), ()),
    "step": ((), None),
    "switchThread": ((), None),
    "yield": ((), None),
    "wait": ((0.0,), (-math.inf,)),
    "acquireLock": ((), None),
    "releaseLock": ((), None),
    "getBoolParam": ((25,), (99,)),
    "setBoolParam": ((16, False), (99, True)),
    "getBoolParameter": ((16,), (99,)),
    "setBoolParameter": ((16, False), (99, True)),
    "getInt32Param": ((1,), (999,)),
    "setInt32Param": ((36, 1), (1, 5)),
    "getInt32Parameter": ((36,), (999,)),
    "setInt32Parameter": ((36, 1), (36,)),
    "getFloatParam": ((1,), (99,)),
    "setFloatParam": ((1, 0.05), (1, 0.001)),
    "getFloatParameter": ((0,), (99,)),
    "setFloatParameter": ((1, 0.05), (0, 0.5)),
    "getArrayParam": ((0,), (99,)),
    "setArrayParam": ((1, [0, 0, 0]), (1, [0])),
    "getArrayParameter": ((0,), (99,)),
    "setArrayParameter": ((1, [0, 0, 0]), (99, [0, 0, 0])),
    "getStringParam": ((15,), (999,)),
    "setStringParam": ((0, "x"), (999, "x")),
    "getStringParameter": ((13,), (999,)),
    "setStringParameter": ((0, "x"), (0,)),
    "getRandom": ((), None),
    "getApiFunc": ((-1, "+sim.getObject"), ()),
    "getApiInfo": ((-1, "sim.getObject"), ()),
    # properties
    "getPropertyName": ((ROBOT, 0), (MISSING, 0)),
    "getPropertyInfo": ((ROBOT, "pose"), (MISSING, "pose")),
    "getProperties": ((JOINT,), (MISSING,)),
    "setProperties": ((JOINT, {"targetVelocity": 1.0}), (JOINT, {"jointPosition": 1.0})),
    "removeProperty": ((ROBOT, "customData.x"), (ROBOT, "pose")),
    # numbers
    "buildIdentityMatrix": ((), None),
    "buildMatrix": (([1, 2, 3], [0.1, 0.2, 0.3]), ([1], [0.1, 0.2, 0.3])),
    "buildMatrixQ": (([1, 2, 3], [0, 0, 0, 1]), ([1, 2, 3], [0, 0, 1])),
    "buildPose": (([1, 2, 3], [0.1, 0.2, 0.3]), ([1, 2, 3], [0.1])),
    "matrixToPose": ((UNIT,), ([1.0],)),
    "poseToMatrix": ((POSE,), ([1.0],)),
    "multiplyMatrices": ((UNIT, UNIT), (UNIT, [1.0])),
    "multiplyPoses": ((POSE, POSE), (POSE, [1.0])),
    "getMatrixInverse": ((UNIT,), ([1.0],)),
    "getPoseInverse": ((POSE,), ([1.0],)),
    "getQuaternionInverse": ((POSE[3:],), ([1.0],)),
    "invertMatrix": ((UNIT,), ([1.0],)),
    "invertPose": ((POSE,), ([1.0],)),
    "multiplyVector": ((UNIT, [1.0, 2.0, 3.0]), (UNIT, [1.0])),
    "getEulerAnglesFromMatrix": ((UNIT,), ([1.0],)),
    "getEulerAnglesFromPose": ((POSE,), ([1.0],)),
    "getQuaternionFromMatrix": ((UNIT,), ([1.0],)),
    "alphaBetaGammaToYawPitchRoll": ((0.1, 0.2, 0.3), (0.1,)),
    "yawPitchRollToAlphaBetaGamma": ((0.1, 0.2, 0.3), (0.1,)),
    # windows
    "addLog": ((450, "hello"), ("x", "hello")),
    "addStatusbarMessage": (("hello",), (3,)),
    "auxiliaryConsoleOpen": (("log", 10, 0), ()),
    "auxiliaryConsolePrint": ((1, "hello"), ("x",)),
    "displayDialog": (("title", "text", 0), ()),
    "getDialogResult": ((1,), ()),
    "getDialogInput": ((1,), ()),
    "setObjectColor": ((ROBOT, 0, 0, [1, 0, 0]), (ROBOT, 0, 0, [1])),
    "getObjectColor": ((ROBOT, 0, 0), (MISSING, 0, 0)),
    "setShapeColor": ((ROBOT, None, 0, [1, 0, 0]), (ROBOT, None, 0, "red")),
    "getShapeColor": ((ROBOT, None, 0), (MISSING, None, 0)),
    "setLightParameters": (("@/ePuck/led", 1, None, None, None), (MISSING, 1)),
    "getLightParameters": (("@/ePuck/led",), (MISSING,)),
    **{f"setNamed{kind}Param": (("x", 1), ()) for kind in NAMED_KINDS},
    **{f"getNamed{kind}Param": (("x",), ()) for kind in NAMED_KINDS},
    **{f"set{kind}Property": ((ROBOT, "customData.x", 1), (ROBOT, "colour", 1)) for kind in ("", *KINDS)},
    **{f"get{kind}Property": ((ROBOT, "pose"), (ROBOT, "colour")) for kind in ("", *KINDS)},
    **{f"pack{kind}Table": (([1, 2, 3],), (["x"],)) for kind in PACKED},
    **{f"unpack{kind}Table": ((bytes(8),), (3,)) for kind in PACKED},
    "readForceSensor": ((), (ROBOT,)),
    "setJointPosition": ((), (JOINT, 1.0)),
    "setJointTargetPosition": ((), (JOINT, 1.0)),
}  # fmt: skip
ALWAYS_REFUSED = {"readForceSensor", "setJointPosition", "setJointTargetPosition"}
ANYTHING = {name for name, found in CALLS.items() if found.rest and not found.arguments}  # taken, whatever it is


@pytest.fixture(scope="module")
def room() -> Iterator[tuple[CoppeliaServer, Any, Any]]:
    with served() as bridge:
        client = new_client(bridge)
        yield bridge, client, client.require("sim")


@pytest.fixture
def sim(room: tuple[CoppeliaServer, Any, Any]) -> Any:
    """Stopped simulation with two dummies, a collection and some signals."""
    _, _, sim = room
    sim.stopSimulation()
    for handle in sim.getObjectsInTree(sim.handle_scene, sim.sceneobject_dummy):
        sim.removeObject(handle)
    sim.createDummy(0.1)
    sim.createDummy(0.1)
    sim.setInt32Signal("i", 3)
    sim.setProperty(sim.getObject("/PioneerP3DX"), "customData.x", 1)
    sim.collection = sim.createCollection(0)
    sim.addItemToCollection(sim.collection, 0, sim.getObject("/PioneerP3DX"), 0)
    return sim


def fill_in(sim: Any, arguments: Arguments) -> list[Any]:
    def handle(value: Any) -> Any:
        if isinstance(value, list):
            return [handle(item) for item in value]
        if value == COLLECTION:
            return sim.collection
        return sim.getObject(value[1:]) if isinstance(value, str) and value.startswith("@") else value

    return [handle(value) for value in arguments]


def test_call_table_is_complete() -> None:
    named = {f"sim.{name}" for name in (*TABLE, *ABSENT)} | ANYTHING
    assert named == set(CALLS) | ANYTHING


@pytest.mark.parametrize("name", [name for name in TABLE if name not in ALWAYS_REFUSED])
def test_valid_call_succeeds(room: tuple[CoppeliaServer, Any, Any], sim: Any, name: str) -> None:
    _, client, _ = room
    client.call(f"sim.{name}", fill_in(sim, TABLE[name][0]))
    assert sim.getSimulationState() in (sim.simulation_stopped, sim.simulation_paused, sim.simulation_advancing_running)


@pytest.mark.parametrize("name", [name for name, (_, wrong) in TABLE.items() if wrong is not None])
def test_invalid_arguments_raise_an_error_that_names_the_call(
    room: tuple[CoppeliaServer, Any, Any], sim: Any, name: str
) -> None:
    _, client, _ = room
    wrong = TABLE[name][1]
    assert wrong is not None
    with pytest.raises(Exception, match=rf"\(in function 'sim\.{name}'\)"):
        client.call(f"sim.{name}", fill_in(sim, wrong))


@pytest.mark.parametrize("name", [*ABSENT])
def test_unsupported_call_is_reported_as_not_supported(room: tuple[CoppeliaServer, Any, Any], name: str) -> None:
    with pytest.raises(Exception, match=rf"sim\.{name} is not supported"):
        getattr(room[2], name)(1, [2], "three")


def test_unknown_calls_and_modules_are_reported_by_name(room: tuple[CoppeliaServer, Any, Any]) -> None:
    _, client, sim = room
    with pytest.raises(Exception, match=r"No such function: sim\.makeCoffee"):
        client.call("sim.makeCoffee", [])
    with pytest.raises(Exception, match=r"No such function: os\.system"):
        client.call("os.system", ["true"])
    with pytest.raises(Exception, match="module 'simIK' not found"):
        client.require("simIK")
    assert {name: getattr(sim, name) for name in CONSTANTS} == CONSTANTS


def test_all_path_name_and_handle_forms_resolve_to_the_same_object(sim: Any) -> None:
    left = sim.getObject("/PioneerP3DX/leftMotor")
    base = sim.getObject("/PioneerP3DX")
    for path in ("/PioneerP3DX[0]/leftMotor", "/pioneer/leftMotor", "Pioneer_p3dx_leftMotor", "/Pioneer_p3dx_leftMotor",
                 "/Pioneer_p3dx/Pioneer_p3dx_leftMotor", "./PioneerP3DX/leftMotor", "/leftMotor"):  # fmt: skip
        assert sim.getObject(path) == left, path
    assert sim.getObject("./leftMotor", {"proxy": base}) == left
    sonar = sim.getObject("/PioneerP3DX/ultrasonicSensor[3]")
    for path, proxy in (("../leftMotor", sonar), (":/leftMotor", sonar), (":/leftMotor", left), (":/leftMotor", base)):
        assert sim.getObject(path, {"proxy": proxy}) == left, (path, proxy)
    assert sim.getObject(":", {"proxy": sonar}) == base
    assert sim.getObject("/PioneerP3DX[1]/leftMotor") == sim.getObject("/other/leftMotor") != left
    assert sim.getObject("/PioneerP3DX[1]/Pioneer_p3dx_leftMotor") == sim.getObject("/other/leftMotor")
    assert sim.getObject("/PioneerP3DX/ultrasonicSensor", {"index": 15}) == sim.getObject(
        "Pioneer_p3dx_ultrasonicSensor16"
    )
    assert sim.getObject("/nothing", {"noError": True}) == -1
    assert sim.getObjectAlias(left, 1) == "/PioneerP3DX[0]/leftMotor"
    handles = np.array([base, left], float)  # programs keep handles in numpy's arrays
    assert sim.getObjectPosition(handles[0], -1) == sim.getObjectPosition(base)
    assert sim.getObjectParent(handles[1]) == base
    with pytest.raises(Exception, match=r"expected an integer, got 17\.5"):
        sim.getObjectParent(17.5)


def test_alias_options_and_object_trees(sim: Any) -> None:
    base, sonar = sim.getObject("/PioneerP3DX"), sim.getObject("/PioneerP3DX/ultrasonicSensor[3]")
    floor = sim.getObject("/Floor")
    path = "/PioneerP3DX[0]/ultrasonicSensor[3]"
    assert [sim.getObjectAlias(sonar, option) for option in (-1, 0, 2, 3, 4, 6)] == [
        "ultrasonicSensor", "ultrasonicSensor[3]", path, f"ultrasonicSensor__{sonar}__", f"ultrasonicSensor__{sonar}__",
        "/ultrasonicSensor{3}",
    ]  # fmt: skip
    assert [sim.getObjectAlias(floor, option) for option in (3, 4, 5)] == ["Floor", f"Floor__{floor}__", "/Floor"]
    assert sim.getObject(path) == sim.getObject("/ultrasonicSensor{3}") == sonar
    children = sim.getObjectsInTree(base, sim.handle_all, 3)
    assert sim.getObjectsInTree(base, sim.handle_all, 2) == [base, *children]
    assert set(children) < set(sim.getObjectsInTree(base, sim.handle_all, 1))
    assert all(sim.getObjectParent(child) == base for child in children)


def test_both_argument_orders_are_accepted(sim: Any) -> None:
    robot, script = sim.getObject("/ePuck"), sim.getScript(sim.scripttype_childscript, "/ePuck")
    sim.setObjectPosition(robot, [1.5, 1.5, 0.0])
    assert sim.getObjectPosition(robot)[:2] == pytest.approx([1.5, 1.5])
    sim.setObjectPosition(robot, -1, [1.4, 1.5, 0.0])
    assert sim.getObjectPosition(robot)[:2] == pytest.approx([1.4, 1.5])
    sim.setObjectOrientation(robot, sim.handle_world, [0.0, 0.0, 1.0])
    assert sim.getObjectOrientation(robot) == pytest.approx([0.0, 0.0, 1.0])
    answers = [
        sim.callScriptFunction("getPoseForRemote", script, [], [], [], ""),
        sim.callScriptFunction(script, "getPoseForRemote", [], [], [], ""),
        sim.callScriptFunction("getPoseForRemote@ePuck", sim.scripttype_childscript),
        sim.callScriptFunction("getPoseForRemote", sim.getObject("/ePuck/Script")),
        sim.getScriptFunctions(script).getPoseForRemote(),
    ]
    assert answers[0][1] == pytest.approx([1.4, 1.5, 1.0])
    assert all(answer == answers[0] for answer in answers)


def test_properties_access_object_attributes_signals_and_custom_data(sim: Any) -> None:
    left, camera = sim.getObject("/PioneerP3DX/leftMotor"), sim.getObject("/ePuck/camera")
    sim.setFloatProperty(left, "targetVelocity", 1.5)
    assert sim.getJointTargetVelocity(left) == pytest.approx(1.5)
    assert sim.getIntArray2Property(camera, "resolution") == sim.getVisionSensorRes(camera) == [64, 64]
    assert sim.getPoseProperty(camera, "absolutePose") == sim.getObjectPose(camera)
    sim.setFloatProperty(sim.handle_scene, "signal.mine", 0.25)
    assert sim.getFloatSignal("mine") == 0.25
    sim.setBufferProperty(sim.handle_scene, "customData.tag", b"\0\1")
    assert sim.getBufferProperty(sim.handle_scene, "customData.tag") == b"\0\1"
    assert sim.getProperty(sim.handle_scene, "customData.other", {"noError": True}) is None
    with pytest.raises(Exception, match=r"no property called 'possition' .did you mean 'position'"):
        sim.getVector3Property(left, "possition")


def test_signals_are_also_scene_properties(sim: Any) -> None:
    for value, get in ((7, sim.getInt32Signal), (0.5, sim.getFloatSignal), (b"\xff\0", sim.getStringSignal)):
        sim.setProperty(sim.handle_scene, "signal.mine", value)
        assert get("mine") == sim.getProperty(sim.handle_scene, "signal.mine") == value
        sim.removeProperty(sim.handle_scene, "signal.mine")
        assert get("mine") is None
    with pytest.raises(Exception, match="expected a number, a text or bytes"):
        sim.setProperty(sim.handle_scene, "signal.mine", [1])


def test_wait_without_simulation_time_uses_the_wall_clock(sim: Any) -> None:
    began = time.monotonic()
    assert sim.wait(0.05, False) >= 0
    assert time.monotonic() - began >= 0.05


def test_oversized_custom_data_is_refused_and_the_old_data_kept(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal_calls, "MAX_BYTES", 1000)
    dummy = sim.getObject("/Dummy[0]")
    sim.writeCustomDataBlock(dummy, "tag", b"old")
    with pytest.raises(Exception, match=r"expected at most \d+ bytes of custom data"):
        sim.writeCustomDataBlock(dummy, "tag", bytes(1001))
    assert sim.readCustomDataBlock(dummy, "tag") == b"old"


def test_custom_data_of_a_missing_object_is_refused(sim: Any) -> None:
    for handle in (999_999, SCRIPTS, SCRIPTS + 999_999):
        with pytest.raises(Exception, match=f"{handle} does not exist"):
            sim.writeCustomDataBlock(handle, "tag", b"data")


def test_custom_data_is_removed_with_its_object(room: tuple[CoppeliaServer, Any, Any], sim: Any) -> None:
    dummy = sim.getObject("/Dummy[0]")
    sim.writeCustomDataBlock(dummy, "tag", b"data")
    sim.removeObject(dummy)
    settings = room[0].simulator.scene.settings
    assert not [key for key in settings if isinstance(key, tuple) and dummy in key]


def test_custom_data_of_a_script_is_removed_with_its_robot(room: tuple[CoppeliaServer, Any, Any], sim: Any) -> None:
    robot = sim.loadModel("models/robots/mobile/e-puck.ttm")
    script = sim.getScript(1, robot)
    sim.writeCustomDataBlock(script, "tag", b"data")
    sim.removeModel(robot)
    assert sim.readCustomDataBlock(script, "tag") in (None, b"")
    with pytest.raises(Exception, match=r"script \d+ does not exist"):
        sim.writeCustomDataBlock(script, "tag", b"data")


def test_call_that_fails_while_waiting_for_a_step_returns_an_error(
    room: tuple[CoppeliaServer, Any, Any], sim: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(caller: Any) -> Iterator[None]:
        yield
        raise ZeroDivisionError

    monkeypatch.setitem(CALLS, "sim.step", CALLS["sim.step"]._replace(handler=fail))
    sim.startSimulation()
    with pytest.raises(Exception, match="internal error"):
        sim.step()
    monkeypatch.undo()
    assert sim.getSimulationTime() >= 0
    assert "ZeroDivisionError" in caplog.text


def test_camera_images_are_bytes_in_bottom_up_row_order(room: tuple[CoppeliaServer, Any, Any], sim: Any) -> None:
    bridge, _, _ = room
    camera = sim.getObject("/ePuck/camera")
    robot = bridge.arena.robots.new_handle("red")
    robot.camera.enable()
    picture = robot.camera.read()[::-1]
    image, resolution = sim.getVisionSensorImg(camera)
    assert (resolution, image) == ([64, 64], picture.tobytes())
    grey, _ = sim.getVisionSensorImg(camera, 1)
    assert len(grey) == 64 * 64
    assert len(sim.getVisionSensorImg(camera, 2, 0.5)[0]) == 64 * 64 * 4
    part, resolution = sim.getVisionSensorImg(camera, 0, 0.0, [8, 16], [4, 2])
    assert (resolution, part) == ([4, 2], picture[16:18, 8:12].tobytes())
    upright = np.frombuffer(sim.transformImage(image, [64, 64], 4), np.uint8).reshape(64, 64, 3)
    assert (upright == picture[::-1]).all()
    depth = np.frombuffer(sim.getVisionSensorDepth(camera, 1)[0], np.float32)
    assert depth.min() > 0


def test_flags_of_handles_select_the_form_of_the_result(sim: Any) -> None:
    camera, robot = sim.getObject("/ePuck/camera"), sim.getObject("/ePuck")
    depths = sim.getVisionSensorDepthBuffer(camera)
    coded = sim.getVisionSensorDepthBuffer(camera + sim.handleflag_codedstring)
    assert np.frombuffer(coded, np.float32).tolist() == depths
    assert max(sim.getVisionSensorDepthBuffer(camera + sim.handleflag_depthbuffermeters)) > 1.0
    assert len(sim.getVisionSensorImage(camera + sim.handleflag_greyscale)) == len(depths)
    sim.setObjectOrientation(robot, [0.0, 0.0, 1.0])
    x, y, z, *turn = sim.getObjectPose(robot)
    assert sim.getObjectPose(robot + sim.handleflag_wxyzquat) == [x, y, z, turn[3], *turn[:3]]
    assert sim.getObjectQuaternion(robot | sim.handleflag_wxyzquat) == [turn[3], *turn[:3]]
    sim.setObjectQuaternion(robot + sim.handleflag_wxyzquat, [1.0, 0.0, 0.0, 0.0])
    sim.setObjectPose(robot + sim.handleflag_wxyzquat, [x, y, z, math.cos(0.2), 0.0, 0.0, math.sin(0.2)])
    assert sim.getObjectOrientation(robot)[2] == pytest.approx(0.4)
    with pytest.raises(Exception, match=f"object {MISSING + sim.handleflag_model} does not exist"):
        sim.getObjectPose(MISSING + sim.handleflag_model)


def test_depths_are_converted_to_millimetres(sim: Any) -> None:
    depths = np.array([0.0, 0.5, 1.0, 90.0], np.float32).tobytes()
    arguments = depths, sim.buffer_float, 1000.0, 10.0
    for kind, number in ((sim.buffer_uint16, np.uint16), (sim.buffer_int32, np.int32), (sim.buffer_double, float)):
        values = np.frombuffer(sim.transformBuffer(*arguments, kind), number)
        assert values.tolist()[:3] == [10, 510, 1010]
    assert np.frombuffer(sim.transformBuffer(*arguments, sim.buffer_uint16 + sim.buffer_clamp), np.uint16)[3] == 65535


def test_old_names_of_object_parameters_return_a_status_and_the_value(sim: Any) -> None:
    camera, floor = sim.getObject("/ePuck/camera"), sim.getObject("/Floor")
    assert sim.getObjectInt32Parameter(camera, sim.visionintparam_resolution_x) == (1, 64)
    assert sim.getObjectFloatParameter(floor, sim.objfloatparam_objbbox_max_x) == (1, 3.0)
    assert sim.getObjectFloatParam(floor, sim.objfloatparam_objbbox_min_y) == -2.0
    size, _ = sim.getShapeBB(sim.getObject("/ResizableFloor_5_25_element"))
    assert size == sim.getModelBB(floor) == [6.0, 4.0, 0.0]


def test_distance_is_the_length_of_the_segment_between_the_bodies(sim: Any) -> None:
    robot, cylinder, border = (sim.getObject(f"/{name}") for name in ("ePuck", "Cylinder", "border"))
    for first, second in ((robot, cylinder), (sim.getObject("/PioneerP3DX"), border), (border, robot)):
        _, (*ends, distance), handles = sim.checkDistance(first, second)
        assert handles == [first, second]
        assert math.dist(ends[:3], ends[3:]) == pytest.approx(distance)
    x, y, _ = sim.getObjectPosition(cylinder)
    ends = sim.checkDistance(robot, cylinder)[1]
    assert math.dist(ends[3:5], (x, y)) == pytest.approx(0.1)  # on its surface
